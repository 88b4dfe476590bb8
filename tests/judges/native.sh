#!/bin/sh
# native.sh BUILD - whether tlog-decode and native.py, written from target/FORMAT.md alone, agree on generated dumps.
set -eu
. tests/lib/needs.sh
needs python3
exec python3 "$(dirname "$0")/native_dumps.py" "$1" "${TIER:-full}"
