#!/bin/sh
# native.sh BUILD - whether tlog-decode and native.py, written from target/FORMAT.md alone, agree on generated dumps,
# and native.py on images of memory with what the rule of evidence gives.
set -eu
. tests/lib/needs.sh
needs python3
python3 "$(dirname "$0")/native_dumps.py" "$1" "${TIER:-full}"
python3 "$(dirname "$0")/native_memory.py" "$1" "${TIER:-full}"
