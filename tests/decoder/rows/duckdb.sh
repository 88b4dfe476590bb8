#!/bin/sh
# duckdb.sh - CSV of a thousand dumps, read by DuckDB with host/README.md's query. DuckDB comes from npm (make
# judges-deps).
# usage: duckdb.sh BUILD
set -eu
. tests/lib/needs.sh
build=$1
dir=$build/test/duckdb
decoder=$build/tlog-decode
modules=$build/tools/node_modules
needs node
[ -d "$modules/@duckdb/node-api" ] || skipped npm "DuckDB is not here; make judges-deps gets it from the network"
rm -rf "$dir"
mkdir -p "$dir"

fail() {
    echo "duckdb: $*"
    exit 1
}

# A thousand dumps, partitioned by board and run as host/README.md says. Which of them has how many events and losses
# is known from what each dump's text says.
for i in $(seq 0 999); do
    at=$dir/fleet/board=B$((i % 50))/run=$((i / 50))
    mkdir -p "$at"
    "$build/gen_dump" --seed="$i" --drops=30 --names=3 --slots=64 --chunks=2 --events=$((60 + i % 7)) -o "$dir/one.bin"
    "$decoder" -q "$dir/one.bin" -o "$at/trace.csv"
    "$decoder" -q --format=text-full "$dir/one.bin" |
        awk -v board="B$((i % 50))" '/EVENTS DROPPED/ { sub(/\[/, "", $2); n += $2; next } !/^cpus/ { events++ }
            END { print board, events, n + 0 }'
done >"$dir/known"
awk '{ events[$1] += $2; lost[$1] += $3 } END { for (b in lost) print b, events[b], lost[b] }' "$dir/known" |
    sort -k3,3nr -k1,1 | head -n 5 >"$dir/expected"
awk -v section='Many dumps' -f tests/lib/blocks.awk host/README.md >"$dir/queries"
query=$(sed '/^COPY/d' "$dir/queries")
[ -n "$query" ] || fail "host/README.md has no query"
duckdb() {
    (cd "$dir" && node "$OLDPWD/tests/decoder/rows/duckdb.mjs" "$(realpath "$OLDPWD/$modules")" "$@") |
        tr -d '[]"' | tr , ' '
}
duckdb "$query" >"$dir/found"
diff "$dir/expected" "$dir/found" || fail "DuckDB finds other figures"
columns=$(grep '^COPY' "$dir/queries")
[ -n "$columns" ] || fail "host/README.md does not say how to get columns"
duckdb "$columns" "SELECT count(*) FROM 'fleet.parquet' WHERE kind IN ('event', 'mark')" | tail -n 1 >"$dir/found"
[ "$(cat "$dir/found")" -eq "$(awk '{ n += $2 } END { print n }' "$dir/known")" ] || fail "Parquet has other events"
echo "DuckDB: $(wc -l <"$dir/known") dumps, the five boards that lost most are right, all events are in Parquet"
