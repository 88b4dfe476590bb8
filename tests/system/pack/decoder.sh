#!/bin/sh
# decoder.sh - checks the decoder's packages, which `make dist` makes: each is installed where nothing else is, by the
# program that its users install it with, and then decodes the demo's dump to the same bytes as the native decoder, and
# finds its page. Packed at another time, from files with other times and permissions, they are the same bytes. whole:
# so they are if all is built anew, in another folder, from the unpacked source archive. make release gathers them, and
# refuses what must not be published (release.sh).
# usage: decoder.sh BUILD full|whole
# Judges: npm, apt-get, dpkg-deb, lintian, tar, sha256sum, cmp, the native decoder.
set -eu
build=$1
dir=$build/test/pack/decoder
. tests/system/pack/lib.sh
needs lintian npm node clang-14 wasm-ld-14 musl-gcc x86_64-w64-mingw32-gcc dpkg-shlibdeps scdoc python3 unzip
[ -e /usr/lib/wasm32-wasi/libc.a ] || skipped wasi-libc "there is no C library for WebAssembly"
rm -rf "$dir"
mkdir -p "$dir"
dist=$build/dist
dump=$build/demo/dump.bin
elf=$build/demo/firmware.elf
rm -rf "$dist"
. tests/system/pack/release.sh
url=https://tlog.example
maintainer="A Name <name@tlog.example>"
what=dist
[ ! -e .git ] || what="release DRAFT=1"
# shellcheck disable=SC2086
make -s $what "BUILD=$build" "URL=$url" "MAINTAINER=$maintainer" >"$dir/making" 2>&1 || { cat "$dir/making"; exit 1; }
[ ! -e .git ] || released
(cd "$dist" && sha256sum --quiet -c SHA256SUMS && [ "$(find . -type f | wc -l)" -eq $(($(wc -l <SHA256SUMS) + 1)) ])
for package in "tlog-decode-$version.tgz" "tlog-decode-$version-linux-$(uname -m).tar.gz" \
    "tlog-decode-$version-windows.zip" \
    "tlog-decode_${version}_$(dpkg --print-architecture).deb" "tlog-$version.tar.gz"; do
    [ -s "$dist/$package" ] || { echo "there is no $package"; exit 1; }
done

# decodes NAME COMMAND...: fail unless the command, in an empty folder, makes of the dump what the native decoder makes.
# Without zlib the page has its trace unpacked.
decodes() {
    name=$1
    shift
    mkdir -p "$dir/by-$name" "$dir/by-native"
    for output in trace.pftrace trace.csv trace.html; do
        (cd "$dir/by-native" && TLOG_PAGE=$build/page/page.html "$build/tlog-decode" "$dump" "--elf=$elf" -o $output) \
            2>"$dir/native"
        (cd "$dir/by-$name" && "$@" "$dump" "--elf=$elf" -o "$PWD/$output") 2>"$dir/told"
        sed "s|$dir/by-$name/||" "$dir/told" | diff "$dir/native" -
        case $output:$("$@" --version) in
        trace.html:*without:*zlib*) grep -q '"packed":false' "$dir/by-$name/$output" ;;
        *) cmp "$dir/by-native/$output" "$dir/by-$name/$output" ;;
        esac
    done
    echo "$name: traces as the native decoder's, and the page"
}

mkdir "$dir/npm"
(cd "$dir/npm" && cp "$dist/tlog-decode-$version.tgz" . && npm install --offline "./tlog-decode-$version.tgz" &&
    [ "$(ls node_modules)" = tlog-decode ]) >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
by_npx() { npx --offline --no-install --prefix "$dir/npm" tlog-decode "$@"; }
by_npx --version >"$dir/version" 2>"$dir/told"
[ "$(head -n 1 "$dir/version")" = "tlog-decode $version" ] && [ ! -s "$dir/told" ]
decodes npm by_npx
cat >"$dir/names.mjs" <<'END'
const { placed } = await import(process.argv[2]);
for (const [given, wanted] of [
  ["C:\\a\\d.bin", "/c/a/d.bin"], ["d:/x y.bin", "/d/x y.bin"], ["..\\d.bin", "../d.bin"],
  ["--elf=C:\\f.elf", "--elf=/c/f.elf"],
  ["--guest=b:C:\\b.bin", "--guest=b:/c/b.bin"], ["--filter=a == \"\\n\"", "--filter=a == \"\\n\""], ["-o", "-o"],
  ["udp:*:20000", "udp:*:20000"],
]) if (placed(given) !== wanted) throw new Error(`${given}: ${placed(given)}`);
END
node "$dir/names.mjs" "$dir/npm/node_modules/tlog-decode/run.mjs"
echo "npm: names of Windows become names of WASI"

mkdir "$dir/any place"
tar xzf "$dist/tlog-decode-$version-linux-$(uname -m).tar.gz" -C "$dir/any place" --strip-components=1
decodes linux "$dir/any place/bin/tlog-decode"

deb=$dist/tlog-decode_${version}_$(dpkg --print-architecture).deb
apt-get --simulate install "$deb" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
grep -q "^Inst tlog-decode ($version" "$dir/log"
dpkg-deb -x "$deb" "$dir/deb"
dpkg-deb -e "$deb" "$dir/deb/control"
lintian --allow-root --fail-on error,warning "$deb"
(cd "$dir/deb" && md5sum --quiet -c control/md5sums)
[ "$(find "$dir/deb/usr" -type f | wc -l)" -eq "$(wc -l <"$dir/deb/control/md5sums")" ]
decodes deb "$dir/deb/usr/bin/tlog-decode"

unzip -q "$dist/tlog-decode-$version-windows.zip" -d "$dir/windows"
(cd "$dir/windows/tlog-decode-$version-windows" && cmp tlog-decode.exe "$build/windows/tlog-decode.exe" &&
    cmp page/page.html "$build/page/page.html" && [ -s LICENSE ])
echo "windows: the program, which tests/system/windows.sh runs, and the page"

# Another time, other times and permissions of files.
for each in musl/tlog-decode deb/tlog-decode windows/tlog-decode.exe wasm/tlog-decode.wasm page/page.html; do
    install -D -m 600 "$build/$each" "$dir/again/$each"
done
(umask 077 && TZ=Asia/Tokyo python3 port/package/dist.py "$version" "$url" "$maintainer" "$dir/dist" \
    "$dir/again" >/dev/null)
diff -r "$dist" "$dir/dist"
echo "packed twice: the same bytes"
if [ "$2" = whole ]; then
    mkdir "$dir/elsewhere"
    tar xzf "$dist/tlog-$version.tar.gz" -C "$dir/elsewhere" --strip-components=1
    CCACHE_DISABLE=1 make -s -C "$dir/elsewhere" BUILD=made "URL=$url" \
        "MAINTAINER=$maintainer" dist >"$dir/making" 2>&1 || { cat "$dir/making"; exit 1; }
    diff -r "$dist" "$dir/elsewhere/made/dist"
    echo "built twice, in different folders: the same bytes"
fi
