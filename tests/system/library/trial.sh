#!/bin/sh
# trial.sh - makes a small input of each format, whole and damaged, and runs trial.c on them.
# usage: trial.sh BUILD MODE [PROGRAM]     MODE: pieces, failing, freed, threads or misuse, as trial.c has them
# With TIER=quick only a few inputs, all damaged; threads have one of each format.
# Judges: what the library gives of a file at once and alone; the sanitizers.
set -eu
build=$(cd "$1" && pwd)
mode=$2
program=${3:-$build/test/trial}
dir=$build/test/trials/$mode
decode=$build/tlog-decode
rm -rf "$dir"
mkdir -p "$dir"

# damage FILE OUT: other bytes at some places of it
damage() {
    cp "$1" "$2"
    for at in 5000 9100 9132; do
        printf 'damage' | dd of="$2" bs=1 seek=$at conv=notrunc 2>/dev/null
    done
}

"$build/gen_dump" --events=300 --slots=64 --chunks=8 --cpus=2 --names=4 --tasks=4 --drops=20 --traceevents=30 \
    -o "$dir/sound.bin"
damage "$dir/sound.bin" "$dir/damaged.bin"
if [ "$mode" = misuse ]; then
    localedef -i de_DE -f UTF-8 "$dir/de_DE.UTF-8" 2>/dev/null || true # Debian's locales may be missing
    LOCPATH=$dir exec "$program" misuse "$dir/sound.bin"
fi
for format in trace.dat shark kev lttng; do
    "$decode" -q "$dir/sound.bin" --format=$format -o "$dir/$format" || [ $? -eq 2 ]
done
"$decode" -q "$dir/sound.bin" --format=trace.dat --compress=zstd -o "$dir/packed.dat" || [ $? -eq 2 ]
"$decode" -q "$dir/sound.bin" --format=trace.dat-v6 -o "$dir/v6.dat" || [ $? -eq 2 ]
damage "$dir/trace.dat" "$dir/damaged.dat"
damage "$dir/shark" "$dir/damaged.shark"
damage "$dir/kev" "$dir/damaged.kev"
gzip -kn "$dir/damaged.bin"
zstd -q "$dir/sound.bin" -o "$dir/sound.zst"
tar -C "$dir" -cf "$dir/lttng.tar" lttng
damage "$dir/lttng.tar" "$dir/damaged.tar"
head -c 6000 "$dir/sound.bin" >"$dir/cut.bin"
head -c 3000 /dev/urandom >"$dir/nothing.bin"
files="sound.bin damaged.bin cut.bin damaged.bin.gz sound.zst trace.dat packed.dat v6.dat damaged.dat kev \
    damaged.kev lttng.tar damaged.tar nothing.bin"
[ "${TIER:-}" != quick ] || files="damaged.bin damaged.bin.gz damaged.kev"
[ "$mode" != threads ] || files="damaged.bin damaged.bin.gz packed.dat damaged.kev lttng.tar"
set --
for file in $files; do
    set -- "$@" - "$dir/$file" -
done
[ "${TIER:-}" = quick ] || set -- "$@" shark "$dir/shark" - - "$dir/sound.bin" "$build/demo/firmware.elf"
set -- "$@" shark "$dir/damaged.shark" -
exec timeout 600 "$program" "$mode" "$@"
