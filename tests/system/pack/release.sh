# release.sh - checks what `make release` refuses, and what it has made.
# usage: build=BUILD dir=DIRECTORY; . tests/system/pack/release.sh     (decoder.sh, which makes it, then calls released)

# refuses WORD COMMAND...: fail unless the command fails, with one line of release, which has the word
refuses() {
    word=$1
    shift
    ! "$@" >"$dir/out" 2>"$dir/told" || { echo "not refused: $word"; exit 1; }
    grep -v '^make' "$dir/told" >"$dir/line" || true
    [ "$(wc -l <"$dir/line")" -eq 1 ] && grep -q "^release: .*$word" "$dir/line" && [ ! -s "$dir/out" ] ||
        { cat "$dir/told"; echo "not told: $word"; exit 1; }
}

# refusals: each default alone, no section in CHANGELOG.md, a change that is in no commit, no checkout
refusals() {
    check=$PWD/port/package/release.sh
    for given in A=a URL=https://tlog.example "MAINTAINER=A <a@tlog.example>"; do
        refuses URL= make -s release "BUILD=$dir/none" "$given"
    done
    [ ! -e "$dir/none" ]
    rm -rf "$dir/git"
    mkdir "$dir/git"
    cd "$dir/git"
    GIT_CEILING_DIRECTORIES=$dir refuses checkout sh "$check" check 1.2 u m
    git init -q
    echo "## 1.2 - 2026-01-01" >CHANGELOG.md
    git add CHANGELOG.md
    git -c user.name=a -c user.email=a@tlog.example commit -q -m a
    sh "$check" check 1.2 u m
    refuses CHANGELOG.md sh "$check" check 1.3 u m
    echo >>CHANGELOG.md
    refuses commit sh "$check" check 1.2 u m
    DRAFT=1 sh "$check" check 1.3 https://tlog.invalid m
    cd - >/dev/null
}

# released: the release holds what it should, twice the same
released() {
    refusals
    at=$build/release
    (cd "$at" && sha256sum --quiet -c SHA256SUMS && [ "$(find . -type f | wc -l)" -eq $(($(wc -l <SHA256SUMS) + 1)) ])
    for package in "$dist"/*; do
        case $package in
        */SHA256SUMS) ;;
        */tlog-"$version".tar.gz) [ -s "$at/tlog-$version.tar.gz" ] ;;
        *) cmp "$package" "$at/$(basename "$package")" ;;
        esac
    done
    [ -s "$at/tlog-decode_${version}_$(dpkg --print-architecture).deb" ]
    [ "$(gunzip -c "$at/tlog-$version.tar.gz" | git get-tar-commit-id)" = "$(git rev-parse HEAD)" ]
    tar tzf "$at/tlog-$version.tar.gz" | sed -n "s|^tlog-$version/\(.*[^/]\)\$|\1|p" | LC_ALL=C sort >"$dir/packed"
    git ls-tree -r --name-only HEAD | LC_ALL=C sort | diff - "$dir/packed"
    for file in tlog.h tlog.c; do
        unzip -p "$at/tlog-single-$version.zip" "tlog-single-$version/$file" | cmp - "$at/$file"
    done
    "$build/tlog-decode" -q "$dump" "--elf=$elf" --format=perfetto | cmp - "$at/trace.pftrace"
    grep -q '"packed":' "$at/trace.html"
    cp "$at/SHA256SUMS" "$dir/sums"
    sh port/package/release.sh gather "$version" "$build" >"$dir/out"
    diff "$dir/sums" "$at/SHA256SUMS"
    echo "release: $(wc -l <"$dir/sums") files, twice the same; refused: the defaults, no section, no commit"
}
