# Makefile - tlog: decoder, firmware runtime, demo, tests, benches. Everything goes to build/.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
BOARD   ?= mps2-an385
VERSION := 0.1.0

# ---- host ----------------------------------------------------------------------------------------------------------
CC       ?= gcc
WARNINGS := -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef
CFLAGS   ?= -O2 -g
HOST_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -DTLOG_VERSION='"$(VERSION)"' $(WARNINGS) -Ihost -Itarget
HOST_LIBS   := -lz -lzstd -ldw -lelf -larchive -pthread
HOST_SRC    := $(sort $(wildcard host/*.c))
HOST_OBJ    := $(HOST_SRC:%.c=$(BUILD)/%.o)
MODULES     := $(filter-out host/main.c,$(HOST_SRC))
SANITIZE    := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all

# ---- target --------------------------------------------------------------------------------------------------------
# A board is linker/BOARD.ld, linker/BOARD.h and its core here; its name is QEMU's machine.
BOARDS           := mps2-an385 microbit lm3s6965evb mps2-an386 mps2-an500 mps2-an505 mps2-an521 mps3-an547 virt
CORE_mps2-an385  := cortex-m3
CORE_microbit    := cortex-m0
CORE_lm3s6965evb := cortex-m3
CORE_mps2-an386  := cortex-m4
CORE_mps2-an500  := cortex-m7
CORE_mps2-an505  := cortex-m33
CORE_mps2-an521  := cortex-m33
CORE_mps3-an547  := cortex-m55
CORE_virt        := cortex-a15
# What else a board needs, in its firmware and of QEMU.
SUPPORT_lm3s6965evb := linker/ticks.c
QEMU_virt := -cpu cortex-a15 -m 64 -nic none
STARTUP    = $(if $(filter cortex-a%,$(CORE_$(BOARD))),linker/startup_a.c,linker/startup_m.c)

ARM_CC     ?= arm-none-eabi-gcc
ARM_AR     ?= arm-none-eabi-ar
ARM_OPT    ?= -O2
ARM_FLAGS   = -std=c11 -mcpu=$(CORE_$(BOARD)) -mthumb $(ARM_OPT) -g -ffreestanding -ffunction-sections -fdata-sections \
              $(WARNINGS) $(CPU_FLAGS) -mfloat-abi=soft -Itarget -Iport -Ilinker -I$(BUILD)/$(BOARD) -include board.h
RUNTIME    := $(sort $(wildcard target/*.c)) port/port_v6m.c port/port_v7m.c
SUPPORT    := port/out_semihost.c port/out_disk.c $(STARTUP) linker/mem.c $(SUPPORT_$(BOARD))
HEADERS    := $(wildcard target/*.h port/*.h linker/*)
# $(call firmware,output.elf,sources,flags): a firmware for BOARD, all of it compiled with the same flags
firmware    = $(ARM_CC) $(ARM_FLAGS) $(3) $(2) $(RUNTIME) $(SUPPORT) -nostdlib -Wl,--gc-sections -Wl,--build-id \
              -Llinker -T linker/$(BOARD).ld -lgcc -o $(1)
# With CPUS=2 or more, where the board has them, they run side by side and not by counted instructions.
CPUS       ?= 1
CPU_FLAGS   = $(if $(filter-out 1,$(CPUS)),-DTLOG_CPUS=$(CPUS))
PACE        = $(if $(filter-out 1,$(CPUS)),$(if $(filter virt,$(BOARD)),-smp $(CPUS)) -accel tcg$(comma)thread=multi,-icount shift=6)
QEMU        = qemu-system-arm -M $(BOARD) $(QEMU_$(BOARD)) -display none -monitor none -serial none \
              -semihosting-config enable=on,target=native $(PACE)

DEMO_FLAGS := -Itests/demo -DTLOG_SLOTS=8192
DEMO_SRC   := $(wildcard tests/demo/*.c)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all deps deps-gui runtime demo run test test-big bench bench-big size screenshot install uninstall lint soak fuzz help clean

## all: the decoder, its manual, and the runtime for BOARD (default)
all: $(BUILD)/tlog-decode $(BUILD)/tlog-decode.1 runtime

## deps: install the Debian packages that building, demo and tests need
deps:
	@sh tests/deps.sh build-essential gcc-arm-none-eabi qemu-system-arm gdb-multiarch trace-cmd libcmocka-dev \
	    libtracecmd-dev libtraceevent-dev libtracefs-dev libkshark-dev libjson-c-dev zlib1g-dev libzstd-dev libelf-dev libdw-dev libarchive-dev \
	    pkg-config scdoc cppcheck spin clang clang-tidy libclang-rt-dev valgrind python3 zstd

## deps-gui: install what only the screenshot needs
deps-gui:
	@sh tests/deps.sh kernelshark xvfb x11-utils xdotool imagemagick fonts-dejavu-core

$(BUILD)/host/%.o: host/%.c $(wildcard host/*.h target/tlog_wire.h target/tlog_traceevent.h target/tlog_cxx.h) Makefile
	@mkdir -p $(@D)
	@echo "  CC       $<"
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/tlog-decode: $(HOST_OBJ)
	@echo "  LD       $@"
	@$(CC) $(CFLAGS) $^ $(LDFLAGS) $(HOST_LIBS) -o $@

$(BUILD)/tlog-decode.1: host/tlog-decode.1.scd
	@mkdir -p $(@D)
	@echo "  MAN      $@"
	@scdoc < $< > $@

## runtime: the firmware side as a library, build/BOARD/libtlog.a
runtime: $(BUILD)/$(BOARD)/libtlog.a

# All at once, for tests that run side by side and make the same one.
$(BUILD)/$(BOARD)/board.h: linker/$(BOARD).h
	@mkdir -p $(@D)
	@cp $< $@.$$$$ && mv $@.$$$$ $@

$(BUILD)/$(BOARD)/libtlog.a: $(RUNTIME) $(HEADERS) $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)/runtime
	@for f in $(RUNTIME); do $(ARM_CC) $(ARM_FLAGS) -c $$f -o $(@D)/runtime/$$(basename $$f .c).o || exit 1; done
	@rm -f $@
	@echo "  RUNTIME  $@"
	@$(ARM_AR) rcs $@ $(@D)/runtime/*.o

$(BUILD)/demo/firmware.elf: $(DEMO_SRC) $(wildcard tests/demo/*.h) $(RUNTIME) $(SUPPORT) $(HEADERS) \
                            $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@echo "  FIRMWARE $@"
	@$(call firmware,$@,$(DEMO_SRC),$(DEMO_FLAGS))

$(BUILD)/demo/dump.bin: $(BUILD)/demo/firmware.elf
	@echo "  QEMU     $(BOARD) $<"
	@cd $(BUILD)/demo && timeout 120 $(QEMU) -kernel firmware.elf

$(BUILD)/demo/trace.dat: $(BUILD)/demo/dump.bin $(BUILD)/tlog-decode
	@$(BUILD)/tlog-decode --elf=$(BUILD)/demo/firmware.elf $< -o $@

## demo: run the demo firmware in QEMU, decode its dump, show what trace-cmd reports
demo: $(BUILD)/demo/trace.dat
	@sh tests/report.sh $(BUILD)/demo/trace.dat

## run: build APP=file.c for BOARD, run it in QEMU until it ends, decode; all in build/run/NAME/. CPUS=2: on 2 CPUs
RUN_DIR = $(BUILD)/run/$(basename $(notdir $(APP)))
run: $(BUILD)/$(BOARD)/board.h $(BUILD)/tlog-decode
	@test -n "$(APP)" || { echo "usage: make run APP=path/to/app.c [BOARD=$(BOARD)] [CPUS=$(CPUS)] [FLAGS=-D...]"; exit 1; }
	@mkdir -p $(RUN_DIR)
	@rm -f $(RUN_DIR)/dump.bin $(RUN_DIR)/trace.dat
	@echo "  FIRMWARE $(APP)"
	@$(call firmware,$(RUN_DIR)/firmware.elf,$(APP),-Wno-error $(FLAGS))
	@echo "  QEMU     $(BOARD)"
	@cd $(RUN_DIR) && { $(QEMU) -kernel firmware.elf || echo "  the firmware ended with exit code $$?"; }
	@$(BUILD)/tlog-decode --elf=$(RUN_DIR)/firmware.elf $(RUN_DIR)/dump.bin -o $(RUN_DIR)/trace.dat

percent := %
comma   := ,

# ---- tests -----------------------------------------------------------------------------------------------------------
EXTRA_ring := tests/ring_harness.c
RING_TEST := tests/test_ring.c $(EXTRA_ring) tests/test.c

$(BUILD)/test/ring-%: $(RING_TEST) $(wildcard tests/*.h) tests/test_host.c port/port_posix.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) $(SANITIZE) -DTLOG_CHUNKS=$* -Itests -Itarget -Iport $(RING_TEST) tests/test_host.c \
	    port/port_posix.c $(filter target/%,$(RUNTIME)) -o $@

# Banks for three runs: an interrupt while one is chosen and formatted.
$(BUILD)/test/ring-runs: $(RING_TEST) $(wildcard tests/*.h) tests/test_host.c port/port_posix.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) $(SANITIZE) -DTLOG_CHUNKS=2 -DTLOG_RUNS=3 -Itests -Itarget -Iport $(RING_TEST) \
	    tests/test_host.c port/port_posix.c $(filter target/%,$(RUNTIME)) -o $@

# On the target: an interrupt everywhere; interrupts in interrupts are swept below. Where the clock cannot be set, the tests
# run with one in memory, and once more with the board's. On ARMv7-A, which is not swept, at every instruction, elsewhere at every
# eighth or, where QEMU is slow, twenty-fourth; which it is differs from filling to filling; make soak does all.
RING_CLOCK := microbit virt
CLOCK_FLAGS = $(if $(filter $(BOARD),$(RING_CLOCK)),-include tests/test_clock.h -DTLOG_CLOCK_ADDRESS=test_clock)
RING_FULL  := virt
RING_SLOW  := microbit lm3s6965evb
RING_FLAGS  = -Itests -DTEST_DEPTH=1 $(CLOCK_FLAGS) $(if $(filter $(BOARD),$(RING_FULL)),,-DTEST_STRIDE=$(if $(filter $(BOARD),$(RING_SLOW)),24u,8u))
RING_IMAGES = ring-1 ring-3 $(if $(filter $(BOARD),$(RING_CLOCK)),ring-clock)

$(BUILD)/$(BOARD)/ring-clock.elf: RING_FLAGS = -Itests -DTEST_DEPTH=1 -DTEST_STRIDE=8u
$(BUILD)/$(BOARD)/ring-%.elf: $(RING_TEST) tests/test_target.c $(wildcard tests/*.h) $(RUNTIME) $(SUPPORT) $(HEADERS) \
                              $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@echo "  FIRMWARE $@"
	@$(call firmware,$@,$(RING_TEST) tests/test_target.c,\
	    -DTLOG_CHUNKS=$(patsubst clock,2,$*) $(RING_FLAGS))

$(BUILD)/mps2-an385/clock.elf: tests/test_clock.c tests/test.c $(RUNTIME) $(SUPPORT) $(HEADERS) $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@echo "  FIRMWARE $@"
	@$(call firmware,$@,tests/test_clock.c tests/test.c,-Itests -DTLOG_CLOCK_ADDRESS=0x40028018u -DTLOG_CLOCK_CYCCNT=1)

## ring: the tests of the ring on BOARD in QEMU
.PHONY: ring
ring: $(patsubst %,$(BUILD)/$(BOARD)/%.elf,$(RING_IMAGES))
	@cd $(BUILD)/$(BOARD) && for image in $(RING_IMAGES); do \
	    echo "$(BOARD) $$image"; timeout 600 $(QEMU) -kernel $$image.elf || exit 1; done

# Threads as CPUs, under the checker of races.
$(BUILD)/test/threads: tests/test_threads.c port/port_threads.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@clang -std=c11 $(WARNINGS) -O1 -g -fsanitize=thread -mllvm -tsan-distinguish-volatile=1 -DTLOG_CPUS=3 -DTLOG_SLOTS=16384 \
	    -DTLOG_STOP_WHEN_FULL=1 -Itarget -Iport $< port/port_threads.c $(filter target/%,$(RUNTIME)) -pthread -o $@

# Two CPUs that open rings at once.
START_records := -DTLOG_RUNS=2 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=2
START_events  := -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=32
START_TESTS   := $(patsubst %,$(BUILD)/test/start-%,records events)
$(START_TESTS): $(BUILD)/test/start-%: tests/test_start.c tests/turns.h tests/test.c tests/start_steps.h $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) -O2 -g -fsanitize=undefined -fno-sanitize-recover=all -DTLOG_CPUS=2 $(START_$*) -DTLOG_NAME_SLOTS=1 \
	    -Itests -Itarget -Iport -include start_steps.h $< tests/test.c $(filter target/%,$(RUNTIME)) -o $@

# Two threads of one CPU that the scheduler switches between; what runs of the firmware leave to each other.
SLICE_2     := -DTLOG_CHUNKS=2
SLICE_event := -DTLOG_TRACEEVENTS=1
SLICE_runs  := -DTLOG_RUNS=2
SLICE_TESTS := $(patsubst %,$(BUILD)/test/slice-%,1 2 event runs)
$(SLICE_TESTS): $(BUILD)/test/slice-%: tests/test_slice.c tests/turns.h tests/test.c port/port_posix.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) -O2 -g -fsanitize=undefined -fno-sanitize-recover=all -DTLOG_SLOTS=6 -DTLOG_NAME_SLOTS=1 $(SLICE_$*) \
	    -Itests -Itarget -Iport $< tests/test.c port/port_posix.c $(filter target/%,$(RUNTIME)) -o $@

MEMORY_TESTS := $(patsubst %,$(BUILD)/test/memory-%,1 2)
$(MEMORY_TESTS): $(BUILD)/test/memory-%: tests/test_memory.c tests/chunks.ld tests/test.c port/port_posix.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) -O2 -g -fsanitize=undefined -fno-sanitize-recover=all -DTLOG_SLOTS=9 -DTLOG_NAME_SLOTS=8 -DTLOG_RUNS=$* \
	    -Itests -Itarget -Iport -Wl,-T,tests/chunks.ld $< tests/test.c port/port_posix.c \
	    $(filter-out target/tlog_name.c,$(filter target/%,$(RUNTIME))) -o $@

# An interrupt in front of every instruction, and the proof of it: see tests/sweep.sh. The tests are always optimised; the
# runtime as ARM_OPT says. lean: as firmware has it, one chunk. ring: two chunks, emergency slots. event: traceevents. chunk:
# chunks made at run time. Files whose private state is put back between schedules are compiled as part of another.
SWEEP_lean  := -DTLOG_SLOTS=4
SWEEP_ring  := -DTLOG_SLOTS=3 -DTLOG_CHUNKS=2 -DTLOG_EMERGENCY_SLOTS=2
SWEEP_event := -DTLOG_SLOTS=8 -DTLOG_TRACEEVENTS=1
SWEEP_chunk := -DTLOG_SLOTS=4 -DTLOG_ARENA=1 -DCHUNK_SLOTS=4 -DCHUNK_EMERGENCY=1 -Wl,--defsym=TLOG_ARENA_SIZE=2048
SWEEP_TEST   = tests/sweep_run.c tests/logged.c tests/hits.c tests/test.c tests/test_target.c \
               $(if $(filter chunk,$*),tests/sweep_chunk.c tests/chunk_read.c,tests/sweep.c tests/sweep_preempt.c tests/sweep_read.c \
               $(if $(filter event,$*),tests/sweep_exact_event.c tests/sweep_model.c,tests/sweep_exact.c))
SWEEP_CALLS  = tests/test_code.c tests/sweep_calls.c \
               $(if $(filter chunk,$*),tests/chunk_ops.c tests/sweep_chunk_calls.c port/out_shark_udp.c)
SWEEP_INSIDE = target/tlog_name.c $(if $(filter chunk,$*),target/tlog_chunk.c port/out_disk.c,target/tlog_pack.c)
SWEEP_PART  ?= 0
SWEEP_BOARDS := microbit mps2-an385 mps2-an386 mps2-an500 mps2-an505
SWEEP_OPTS   := -O0 -Os -O2 -O3
SWEEP_FLAGS  = $(SWEEP_$*) -DSWEEP_PART=$(SWEEP_PART)u -DTEST_HITS -DTLOG_NAME_SLOTS=8 -Itests -include tests/test_clock.h -DTLOG_CLOCK_ADDRESS=test_clock

$(BUILD)/$(BOARD)/sweep$(ARM_OPT)-%.elf: $(wildcard tests/*.c tests/*.h) $(RUNTIME) $(SUPPORT) $(HEADERS) $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)/sweep$(ARM_OPT)-$*
	@echo "  FIRMWARE $@"
	@for f in $(filter-out $(SWEEP_INSIDE),$(SWEEP_TEST) $(SUPPORT)); do \
	    $(ARM_CC) $(ARM_FLAGS) -O2 $(SWEEP_FLAGS) -c $$f -o $(@D)/sweep$(ARM_OPT)-$*/$$(basename $$f .c).o || exit 1; done
	@$(ARM_CC) $(ARM_FLAGS) $(SWEEP_FLAGS) $(patsubst %.c,$(@D)/sweep$(ARM_OPT)-$*/%.o,$(notdir $(filter-out $(SWEEP_INSIDE),$(SWEEP_TEST) $(SUPPORT)))) \
	    $(SWEEP_CALLS) $(filter-out $(SWEEP_INSIDE),$(RUNTIME)) -nostdlib -Wl,--gc-sections \
	    -Wl,--build-id -Llinker -T linker/$(BOARD).ld -lgcc -o $@

$(BUILD)/cover: tests/cover.c tests/hits_set.c tests/hits_set.h tests/hits.h Makefile
	@mkdir -p $(@D)
	@echo "  TOOL     $@"
	@$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L $(WARNINGS) -Itests $(CFLAGS) tests/cover.c tests/hits_set.c -o $@

$(BUILD)/reach.so: tests/reach.c tests/hits_set.c tests/hits_set.h tests/hits.h Makefile
	@mkdir -p $(@D)
	@echo "  TOOL     $@"
	@$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L $(WARNINGS) -Itests $(CFLAGS) -fPIC -shared tests/reach.c tests/hits_set.c -o $@

# On the target at every 41st instruction: the sweep of chunks comes everywhere.
EXTRA_chunk := tests/test_chunk_irq.c tests/chunk_ops.c tests/chunk_read.c tests/logged.c
CHUNK_TEST := tests/test_chunk.c $(EXTRA_chunk) tests/test.c
SENDERS    := port/out_udp.c port/out_shark_udp.c port/net_udp.c port/net_lan9118.c

$(BUILD)/test/chunk: $(CHUNK_TEST) $(wildcard tests/*.h) tests/test_host.c port/port_posix.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) $(SANITIZE) -DTLOG_ARENA=1 -Itests -Itarget -Iport $(CHUNK_TEST) tests/test_host.c \
	    port/port_posix.c $(filter target/%,$(RUNTIME)) -o $@

$(BUILD)/$(BOARD)/chunk.elf: $(CHUNK_TEST) $(wildcard tests/*.h) tests/test_target.c $(RUNTIME) $(SUPPORT) $(HEADERS) $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@echo "  FIRMWARE $@"
	@$(call firmware,$@,$(CHUNK_TEST) tests/test_target.c $(SENDERS),-DTLOG_ARENA=1 -DTEST_STRIDE=41u -Itests -Wl$(comma)--defsym=TLOG_ARENA_SIZE=65536)

EVENT_TEST := tests/test_event.c tests/test.c
EVENT_FLAGS = -Itests $(CLOCK_FLAGS) -DTEST_STRIDE=$(if $(filter $(BOARD),$(RING_CLOCK)),13u,3u)

$(BUILD)/test/event-host: $(EVENT_TEST) tests/test_host.c port/port_posix.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) $(SANITIZE) -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=16 -Itests -Itarget -Iport $(EVENT_TEST) \
	    tests/test_host.c port/port_posix.c $(filter target/%,$(RUNTIME)) -o $@

$(BUILD)/$(BOARD)/event.elf: $(EVENT_TEST) tests/test_target.c $(RUNTIME) $(SUPPORT) $(HEADERS) $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@echo "  FIRMWARE $@"
	@$(call firmware,$@,$(EVENT_TEST) tests/test_target.c,-DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=16 $(EVENT_FLAGS))

## event: the tests of traceevents on BOARD in QEMU
.PHONY: event
event: $(BUILD)/$(BOARD)/event.elf
	@cd $(BUILD)/$(BOARD) && timeout 600 $(QEMU) -kernel event.elf

# With stamps that no two events share: a test of that, and the other tests of the runtime once more.
UNIQUE_FLAGS      := -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=16 -DTLOG_EMERGENCY_SLOTS=6
UNIQUE_OF_1       := unique $(UNIQUE_FLAGS)
UNIQUE_OF_2       := unique $(UNIQUE_FLAGS) -DTLOG_CHUNKS=2
UNIQUE_OF_ring-1  := ring -DTLOG_UNIQUE_STAMPS=1
UNIQUE_OF_ring-3  := ring -DTLOG_UNIQUE_STAMPS=1 -DTLOG_CHUNKS=3
UNIQUE_OF_chunk   := chunk -DTLOG_UNIQUE_STAMPS=1 -DTLOG_ARENA=1
UNIQUE_OF_event   := event -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=16
UNIQUE_TESTS      := 1 2 ring-1 ring-3 chunk event

$(BUILD)/test/unique-%: $(wildcard tests/*.c) port/port_posix.c $(RUNTIME) $(HEADERS) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) -std=c11 $(WARNINGS) $(SANITIZE) $(wordlist 2,9,$(UNIQUE_OF_$*)) -Itests -Itarget -Iport \
	    tests/test_$(firstword $(UNIQUE_OF_$*)).c $(EXTRA_$(firstword $(UNIQUE_OF_$*))) tests/test.c tests/test_host.c port/port_posix.c \
	    $(filter target/%,$(RUNTIME)) -o $@

$(BUILD)/$(BOARD)/unique.elf: tests/test_unique.c tests/test.c tests/test_target.c $(wildcard tests/*.h) $(RUNTIME) $(SUPPORT) \
                              $(HEADERS) $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@echo "  FIRMWARE $@"
	@$(call firmware,$@,tests/test_unique.c tests/test.c tests/test_target.c,\
	    $(UNIQUE_FLAGS) -Itests -include tests/test_clock.h -DTLOG_CLOCK_ADDRESS=test_clock -DTEST_STEP=41u)

## unique: the test of stamps that no two events share on BOARD in QEMU
.PHONY: unique
unique: $(BUILD)/$(BOARD)/unique.elf
	@cd $(BUILD)/$(BOARD) && timeout 600 $(QEMU) -kernel unique.elf

# Modules that the tests share, compiled once with the sanitizers.
$(BUILD)/test/obj/%.o: %.c $(wildcard host/*.h tests/*.h target/*.h port/*.h) Makefile
	@mkdir -p $(@D)
	@echo "  CC       $<"
	@$(CC) $(HOST_CFLAGS) $(SANITIZE) -Itests -Iport -DGEN_DUMP_LIBRARY -DNET_CLOCK_HZ=100000u -c $< -o $@

HOST_TESTS := trace input text map tracedat tracedat_pages tracedat_disk tracedat_variants shark shark_faults native \
              native_slots native_images native_faults native_runs pack pack_faults pack_dumps udp_send udp_receive udp_stop elf elf_faults \
              printk kev kev_faults tdread tdformat lttng lttng_faults lttng_fields merge

# What a test needs besides the decoder's modules, and the libraries that judge.
LIBS_elf            := -ltraceevent
LIBS_printk         := -ltraceevent
EXTRA_native        := tests/native_harness.c tests/gen_dump.c tests/gen_event.c
EXTRA_native_faults := $(EXTRA_native)
EXTRA_native_slots  := $(EXTRA_native)
EXTRA_native_images := $(EXTRA_native)
EXTRA_native_runs   := $(EXTRA_native)
EXTRA_tracedat      := tests/tracedat_harness.c
EXTRA_tracedat_pages    := $(EXTRA_tracedat)
EXTRA_tracedat_disk     := $(EXTRA_tracedat)
EXTRA_tracedat_variants := $(EXTRA_tracedat)
EXTRA_tracedat_big  := $(EXTRA_tracedat)
EXTRA_elf           := tests/elf_harness.c
EXTRA_elf_faults    := $(EXTRA_elf) $(EXTRA_native) target/tlog_pack.c
EXTRA_printk        := tests/printk_harness.c
EXTRA_kev           := tests/kev_harness.c $(EXTRA_native)
EXTRA_kev_faults    := $(EXTRA_kev)
EXTRA_lttng         := tests/lttng_harness.c
EXTRA_lttng_faults  := $(EXTRA_lttng)
EXTRA_lttng_fields  := $(EXTRA_lttng)
EXTRA_udp_send      := port/net_udp.c port/out_udp.c port/port_posix.c
EXTRA_udp_receive   := tests/udp_harness.c
EXTRA_udp_stop      := $(EXTRA_udp_receive)
EXTRA_shark         := tests/shark_harness.c
EXTRA_shark_faults  := $(EXTRA_shark)
EXTRA_trace         := tests/trace_harness.c
EXTRA_input         := $(EXTRA_trace)
EXTRA_text          := $(EXTRA_trace)
EXTRA_pack          := tests/pack_harness.c target/tlog_pack.c
EXTRA_pack_faults   := tests/pack_harness.c
EXTRA_pack_dumps    := $(EXTRA_pack) $(EXTRA_native)

.SECONDARY:
.SECONDEXPANSION:
$(BUILD)/test/test_%: $(BUILD)/test/obj/tests/test_%.o $(MODULES:%.c=$(BUILD)/test/obj/%.o) \
                      $$(patsubst $$(percent).c,$(BUILD)/test/obj/$$(percent).o,$$(EXTRA_$$*))
	@echo "  TEST     $@"
	@$(CC) $(SANITIZE) $^ $(HOST_LIBS) $(LIBS_$*) -lcmocka -o $@


# The decoder with a reader of event scripts in place of the native one, to test what is around a reader.
$(BUILD)/test/tlog-decode-script: $(filter-out host/read_native.c,$(HOST_SRC)) tests/fake_reader.c $(wildcard host/*.h) Makefile
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) $(HOST_CFLAGS) $(SANITIZE) $(filter %.c,$^) $(HOST_LIBS) -o $@

$(BUILD)/gen_dump: tests/gen_dump.c tests/gen_event.c $(wildcard tests/gen_*.h) Makefile
	@mkdir -p $(@D)
	@echo "  TOOL     $@"
	@$(CC) -std=c11 -D_POSIX_C_SOURCE=200809L $(WARNINGS) $(CFLAGS) $(filter %.c,$^) -o $@

$(BUILD)/signal_at.so: tests/signal_at.c Makefile
	@mkdir -p $(@D)
	@echo "  TOOL     $@"
	@$(CC) -std=c11 $(WARNINGS) $(CFLAGS) -shared -fPIC $< -o $@

$(BUILD)/check_tracedat: tests/check_tracedat.c Makefile
	@mkdir -p $(@D)
	@echo "  TOOL     $@"
	@$(CC) -std=gnu11 $(CFLAGS) $< $$(pkg-config --cflags --libs libtracecmd libtraceevent) -o $@

$(BUILD)/check_kshark: tests/check_kshark.c Makefile
	@mkdir -p $(@D)
	@echo "  TOOL     $@"
	@$(CC) -std=gnu11 $(CFLAGS) $< $$(pkg-config --cflags --libs libkshark json-c) -o $@

TESTED := $(BUILD)/tlog-decode $(BUILD)/test/tlog-decode-script $(BUILD)/gen_dump $(BUILD)/signal_at.so $(BUILD)/check_tracedat $(BUILD)/check_kshark \
          $(BUILD)/demo/dump.bin $(BUILD)/mps2-an385/clock.elf $(patsubst %,$(BUILD)/test/ring-%,1 3 runs) $(START_TESTS) $(BUILD)/test/threads $(BUILD)/test/chunk \
          $(SLICE_TESTS) $(MEMORY_TESTS) \
          $(BUILD)/test/event-host $(UNIQUE_TESTS:%=$(BUILD)/test/unique-%) $(BUILD)/$(BOARD)/chunk.elf $(BUILD)/$(BOARD)/event.elf \
          $(HOST_TESTS:%=$(BUILD)/test/test_%) $(BUILD)/cover $(BUILD)/reach.so

## test: all tests; ends with "N passed, N failed"
test: all $(TESTED)
	@BUILD=$(BUILD) BOARD=$(BOARD) BOARDS='$(BOARDS)' SWEEPS='$(foreach b,$(SWEEP_BOARDS),$(SWEEP_OPTS:%=$(b):%))' HOST_TESTS='$(HOST_TESTS)' sh tests/run.sh

## test-big: trace.dat files with more than 4 GiB of events per CPU; they have holes, and take 40 MB of disk
test-big: $(BUILD)/test/test_tracedat_big $(BUILD)/check_tracedat $(BUILD)/check_kshark
	@$(BUILD)/test/test_tracedat_big

## lint: cppcheck, and clang with all warnings, over host, target, port and linker
lint: $(BUILD)/$(BOARD)/board.h
	@BUILD=$(BUILD) BOARD=$(BOARD) sh tests/lint.sh

## analyze: gcc's analyzer, clang-tidy, and MISRA rules for the runtime; takes minutes
.PHONY: analyze
analyze:
	@sh tests/analyze.sh $(BUILD)

# Tests of the runtime without what is left out elsewhere, for tests/soak.sh.
SOAK_ring  := $(RING_TEST)
SOAK_event := $(EVENT_TEST)
SOAK_chunk := $(CHUNK_TEST) $(SENDERS)
SOAK_FLAGS_ring  := -DTEST_LONG=1u
SOAK_FLAGS_event := -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=16
SOAK_FLAGS_chunk := -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=65536

$(BUILD)/$(BOARD)/soak-%.elf: $(wildcard tests/*.c tests/*.h) $(RUNTIME) $(SUPPORT) $(HEADERS) $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@echo "  FIRMWARE $@"
	@$(call firmware,$@,$(SOAK_$*) tests/test_target.c,$(SOAK_FLAGS_$*) -Itests $(CLOCK_FLAGS))

## soak: what make test has no time for: every schedule, every mutant, long runs; hours. SOAK=word: what has it in its name
soak: $(BUILD)/$(BOARD)/board.h $(BUILD)/test/threads $(BUILD)/cover $(BUILD)/reach.so
	@sh tests/soak.sh $(BUILD) $(BOARD) '$(SWEEP_BOARDS)' '$(SWEEP_OPTS)' '$(SOAK)'

## seeded: the runtime with one mistake at a time, which one of its tests must notice; prints which, takes minutes
.PHONY: seeded
seeded:
	@sh tests/seeded.sh $(BUILD)
	@sh tests/reset/seeded.sh $(BUILD)
	@sh tests/seeded_target.sh $(BUILD)

## mutants: the record path's machine code with one instruction changed at a time, which a test must notice; hours
# MUTANTS=--new prints what survives, as it is to stand in tests/mutants.txt; other options are in tests/mutants.py.
.PHONY: mutants
mutants:
	@sh tests/mutants.sh $(BUILD) -j $$(nproc) $(MUTANTS)

## fuzz: libFuzzer on the dump reader for T=60 seconds
T ?= 60
fuzz:
	@mkdir -p $(BUILD)/fuzz/corpus
	clang $(HOST_CFLAGS) -O1 -g -fsanitize=fuzzer,address,undefined -DFUZZ_ENGINE -Itests tests/fuzz_native.c $(MODULES) \
	    $(HOST_LIBS) -o $(BUILD)/fuzz/native
	$(BUILD)/fuzz/native -max_total_time=$(T) -max_len=8192 $(BUILD)/fuzz/corpus

## bench: instructions per event on the target, decoding speed on the host
bench: $(BUILD)/tlog-decode $(BUILD)/gen_dump $(BUILD)/demo/dump.bin
	@sh tests/bench/target.sh $(BUILD)
	@sh tests/bench/pack.sh $(BUILD)
	@sh tests/bench/host.sh $(BUILD)

## bench-boards: instructions, masked windows, flash and stack of the record path on every core
.PHONY: bench-boards
bench-boards:
	@sh tests/bench/boards.sh $(BUILD)

## bench-big: memory of the decoder for 100 million events; needs 5 GB of disk
bench-big: $(BUILD)/tlog-decode $(BUILD)/gen_dump
	@sh tests/bench/host.sh $(BUILD) --big

## stack: stack of every public function on every core, from the call graph
.PHONY: stack
stack:
	@python3 tests/bench/stack.py $(BUILD)

## size: flash, RAM and stack of the runtime
size:
	@sh tests/bench/size.sh $(BUILD)

## screenshot: the demo's trace in KernelShark, build/demo/kernelshark.png (make deps-gui first)
screenshot: $(BUILD)/demo/trace.dat
	@sh tests/screenshot.sh $< $(BUILD)/demo/kernelshark.png

## screenshots: more of KernelShark, in build/screenshots: a function graph, losses, instances
.PHONY: screenshots
screenshots: $(BUILD)/tlog-decode $(BUILD)/test/tlog-decode-script $(BUILD)/gen_dump $(BUILD)/check_tracedat $(BUILD)/check_kshark $(BUILD)/$(BOARD)/board.h
	@mkdir -p $(BUILD)/screenshots
	@sh tests/printk.sh $(BUILD) $(BOARD) >/dev/null
	@sh tests/merge.sh $(BUILD) >/dev/null
	@$(BUILD)/gen_dump --tasks=4 --names=4 --events=300 --drops=40 -o $(BUILD)/screenshots/losses.bin
	@$(BUILD)/tlog-decode -q $(BUILD)/screenshots/losses.bin -o $(BUILD)/screenshots/losses.dat || [ $$? -eq 2 ]
	@sh tests/screenshot.sh $(BUILD)/test/printk/graph.dat $(BUILD)/screenshots/functions.png 65536,1,2,70009 inside 1100000 400000
	@sh tests/screenshot.sh $(BUILD)/screenshots/losses.dat $(BUILD)/screenshots/losses.png 1,2,3 DROPPED 30000 60000
	@sh tests/screenshot.sh $(BUILD)/test/merge/chunks.dat $(BUILD)/screenshots/instances.png all

# ---- install ---------------------------------------------------------------------------------------------------------
## install: decoder, manual, completion, headers and runtime sources under PREFIX
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/include/tlog \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/tlog/target \
	    $(DESTDIR)$(PREFIX)/share/tlog/port $(DESTDIR)$(PREFIX)/share/tlog/linker
	install -m 755 $(BUILD)/tlog-decode $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(BUILD)/tlog-decode.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 host/tlog-decode.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tlog-decode
	install -m 644 target/*.h port/*.h $(DESTDIR)$(PREFIX)/include/tlog/
	install -m 644 target/* $(DESTDIR)$(PREFIX)/share/tlog/target/
	install -m 644 port/* $(DESTDIR)$(PREFIX)/share/tlog/port/
	install -m 644 linker/* $(DESTDIR)$(PREFIX)/share/tlog/linker/

## uninstall: take that away again
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/tlog-decode $(DESTDIR)$(PREFIX)/share/man/man1/tlog-decode.1 \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tlog-decode
	rm -rf $(DESTDIR)$(PREFIX)/include/tlog $(DESTDIR)$(PREFIX)/share/tlog

## help: this list
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## clean: remove build/
clean:
	rm -rf $(BUILD)
