#!/bin/sh
# page.sh - checks of the page (host/page), a part at a time:
#   types       the types of its modules, as their comments tell them. Judge: tsc, of make judges-deps
#   join        join.py: the same bytes from the same parts, nothing but the policy's hashes run, and what it refuses
#   NAME_parts  the checks in NAME_parts.mjs, of modules that need no browser, in node
#   NAME        the checks in NAME.mjs, in a headless Chromium that puppeteer drives (browser.mjs)
# usage: page.sh BUILD PART
set -eu
. tests/lib/needs.sh
build=$(cd "$1" && pwd)
here=tests/system/page
made=$build/page/page.html
dir=$build/test/page-join
tools=$build/tools

# refused TEXT: join.py refuses a module that has this text at its end, and writes nothing
refused() {
    rm -rf "$dir/bad"
    cp -r host/page "$dir/bad"
    printf '%s\n' "$1" >>"$dir/bad/units.js"
    if python3 host/page/join.py "$dir/bad" "$build/wasm/tlog-decode.wasm" "$dir/bad.html" 2>"$dir/why"; then
        echo "is not refused: $1"
        exit 1
    fi
    if [ -e "$dir/bad.html" ] || ! grep -q '^join.py: ' "$dir/why"; then
        echo "is refused by: $(cat "$dir/why")"
        exit 1
    fi
}

check_join() {
    need_page
    needs python3
    rm -rf "$dir"
    mkdir -p "$dir"
    for time in 1 2; do
        python3 host/page/join.py host/page "$build/wasm/tlog-decode.wasm" "$dir/$time.html"
    done
    cmp "$dir/1.html" "$dir/2.html"
    grep -q "@[A-Z]*@" "$dir/1.html" && { echo "a slot is left"; exit 1; }
    refused "import * as all from './rows.js';"
    refused "import './rows.js';"
    refused "export default 1;"
    refused "export { timeText };"
    refused "export let many = 1;"
    refused "const late = import('./rows.js');"
    refused "import { nothingLikeIt } from './trace.js';"
    refused "import { newDecoder } from './nowhere.js';"
    refused "import { newTimeline } from './timeline.js';" # it imports units.js
    refused "const text = '</script>';"
    refused "const text = '<!--';"
    echo "two pages of the same bytes; 11 modules refused"
}

check_types() {
    needs node
    tsc=$tools/typescript/package/lib/tsc.js
    [ -e "$tsc" ] || skipped npm "there is no tsc; make judges-deps gets it from the network"
    node "$tsc" --noEmit --allowJs --checkJs --strict --target es2022 --lib es2024,esnext,dom,dom.iterable \
        --module es2022 --moduleResolution bundler host/page/*.js
}

# check_in_node NAME
check_in_node() {
    needs node
    BUILD=$build node --no-warnings --experimental-default-type=module "$here/$1.mjs"
}

# need_page: the page is made before the tests, if there is what it is made with
need_page() {
    [ ! -e "$made" ] || return 0
    needs clang-14 wasm-ld-14
    skipped wasi-libc "there is no page without a C library for WebAssembly"
}

# check_in_browser NAME
check_in_browser() {
    need_page
    needs node
    command -v "${BROWSER:-chromium}" >/dev/null || skipped chromium "there is no browser"
    [ -d "$tools/puppeteer-core" ] || skipped npm "there is no puppeteer; make judges-deps gets it from the network"
    check_in_node "$1"
}

case $2 in
join) check_join ;;
types) check_types ;;
*_parts) check_in_node "$2" ;;
*) check_in_browser "$2" ;;
esac
