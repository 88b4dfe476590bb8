# shellcheck shell=sh disable=SC2154
# zephyr.sh - the part of dist.sh that checks the Zephyr module, unpacked in $dir/zephyr/tlog: the clock's rate by what
# the build knows, and an error where it knows none, or where the kernel calls other hooks; each option reaches the
# compiler; events of one's own and TLOG_PRINTK() link without a change in the application, whatever the kernel calls
# its RAM.
# usage: build=BUILD dir=DIRECTORY python=PYTHON; . tests/system/pack/lib.sh; . tests/system/pack/zephyr.sh

zephyr=$dir/zephyr
kconfig=$zephyr/tlog/zephyr/Kconfig
mkdir -p "$zephyr/source"
cp "$here/zephyr.cmake" "$zephyr/source/CMakeLists.txt"
cp "$here/zephyr.ld" "$zephyr/source/linker.ld"

# options ARGUMENT...: what Kconfig makes of them
options() {
    "$python" "$here/kconfig.py" "$kconfig" TLOG=y "$@"
}

# configured FOLDER REGION: let CMake configure the build in $zephyr/FOLDER, whose config.cmake is there
configured() {
    cmake -S "$zephyr/source" -B "$zephyr/$1" "-DCMAKE_TOOLCHAIN_FILE=$toolchain" "-DMODULE=$zephyr/tlog" \
        "-DREGION=$2" "-DMAIN=$here/consumer/main.c;$here/consumer/library.c" \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$dir/log" 2>&1
}

# refused MESSAGE ARGUMENT...: CMake must stop with that message
refused() {
    message=$1
    shift
    mkdir -p "$zephyr/refused"
    options "$@" >"$zephyr/refused/config.cmake"
    if configured refused RAM; then echo "not refused: $*"; exit 1; fi
    tr -s ' \n' ' ' <"$dir/log" | grep -q "$message" || { cat "$dir/log"; exit 1; }
}

# hz RATE ARGUMENT...: the clock's rate by Kconfig
hz() {
    rate=$1
    shift
    options "$@" >"$zephyr/hz.cmake"
    grep -q "^set(CONFIG_TLOG_CLOCK_HZ \"$rate\")$" "$zephyr/hz.cmake" ||
        { echo "$*: expected $rate"; grep CLOCK_HZ "$zephyr/hz.cmake"; exit 1; }
}

"$python" "$here/kconfig.py" "$kconfig" | { ! grep CONFIG_TLOG; }
core=/cpus/cpu@0:clock-frequency=120000000
rcc=/soc/rcc@40021000:clock-frequency=80000000
hz 25000000 CORTEX_M_SYSTICK=y "$core"
hz 120000000 "$core" "$rcc" SOC_SERIES_NRF52X=y
hz 80000000 "$rcc"
hz 64000000 SOC_SERIES_NRF52X=y
hz 1000000 SOC_SERIES_NRF52X=y TLOG_CLOCK_HZ=1000000
hz -1
hz -1 CORTEX_M_SYSTICK=y TLOG_CLOCK_ADDRESS=0x40000004
hz 5 CORTEX_M_SYSTICK=y TLOG_CLOCK_ADDRESS=0x40000004 TLOG_CLOCK_HZ=5
refused 'Write CONFIG_TLOG_CLOCK_HZ=... into prj.conf'
refused 'Write CONFIG_TRACING_USER=y into prj.conf' CORTEX_M_SYSTICK=y TRACING=y
echo "zephyr: the clock's rate is known, or asked for; tracing without tlog's hooks is refused"

# The hooks' options are there with the kernel's tracing only.
options | { ! grep CONFIG_TLOG_ZEPHYR; }
[ "$(options TRACING=y TRACING_USER=y | grep -c 'CONFIG_TLOG_ZEPHYR.*"y"')" = 5 ]
[ "$(options TRACING=y TLOG_ZEPHYR=n | grep -c 'CONFIG_TLOG_ZEPHYR.*"y"')" = 0 ]

for region in RAM SRAM; do
    mkdir -p "$zephyr/$region"
    options TLOG_SLOTS=64 TLOG_NAME_SLOTS=70 TLOG_TRACEEVENTS=y TLOG_CLOCK_HZ=7 TLOG_CLOCK_ADDRESS=0x40000004 \
        'TLOG_OPTIONS=OWN_EVENTS TLOG_CHUNKS=2' >"$zephyr/$region/config.cmake"
    configured "$region" "$region" || { cat "$dir/log"; exit 1; }
    cmake --build "$zephyr/$region" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    arm-none-eabi-nm "$zephyr/$region/application.elf" >"$zephyr/symbols"
    [ "$(sed -n 's/ . __start_tlog_chunks$//p' "$zephyr/symbols")" = 20000000 ]
    ring=$(sed -n 's/ . tlog_event_chunks$//p' "$zephyr/symbols")
    case $ring in 20000*) ;; *) echo "the ring is at $ring"; exit 1 ;; esac
done
commands=$zephyr/RAM/compile_commands.json
for definition in TLOG_SLOTS=64 TLOG_NAME_SLOTS=70 TLOG_CLOCK_HZ=7 TLOG_CLOCK_ADDRESS=0x40000004u TLOG_TRACEEVENTS=1 \
    OWN_EVENTS TLOG_CHUNKS=2; do
    grep '"command"' "$commands" | { ! grep -v -- "-D$definition "; }
done
for source in target/src/*.c; do
    grep -q "\"file\": .*/$source\"" "$commands"
done
echo "zephyr: the module and an application with events of its own compile and link, in RAM and in SRAM"
