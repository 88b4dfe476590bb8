# Makefile - tlog: decoder, firmware runtime, demo, tests, benches. Everything goes to build/.

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
BOARD   ?= mps2-an385
ifneq ($(words $(BUILD)),1)
$(error BUILD=$(BUILD): make takes blanks for ends of words; a path from here, such as build, will do)
endif
# The one place where these stand, which packages tell: the version, where tlog is published, and who answers for it.
VERSION := 0.9.0
URL     ?= https://tlog.invalid
MAINTAINER ?= tlog developers <tlog@tlog.invalid>

# ---- toolchain -----------------------------------------------------------------------------------------------------
CC       ?= gcc
ARM_CC   ?= arm-none-eabi-gcc
ARM_AR   ?= arm-none-eabi-ar
ARM_OPT  ?= -O2
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef
comma    := ,
# Every compilation also writes a .d file with the headers it used.
DEPENDS   = -MMD -MP
# fish has its completions in a folder of such a name, which tests install below BUILD.
-include $(filter-out %/vendor_completions.d,$(wildcard $(addprefix $(BUILD)/,*.d */*.d */*/*.d */*/*/*.d */*/*/*/*.d \
    */*/*/*/*/*.d */*/*/*/*/*/*.d)))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all deps deps-test deps-wasm deps-page deps-musl deps-windows deps-gui runtime demo run install \
        uninstall dist dist-sources single release format format-check tags compile_commands help clean

## all: the decoder, its manual, the decoder as a library, and the runtime for BOARD (default)
all: $(BUILD)/tlog-decode $(BUILD)/tlog-decode.1 library runtime

include host/module.mk

# ---- boards --------------------------------------------------------------------------------------------------------
# A board has linker/BOARD.ld, linker/BOARD.h and its core in this list. BOARD is QEMU's name of the machine.
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
ifeq ($(filter $(BOARD),$(BOARDS)),)
$(error there is no board $(BOARD); BOARD is one of: $(BOARDS))
endif
# Further sources and options of QEMU that a board needs.
SUPPORT_lm3s6965evb := linker/ticks.c
QEMU_virt := -cpu cortex-a15 -m 64 -nic none

# With CPUS=2 or more, on boards that have them, QEMU runs the CPUs in parallel and does not count instructions. With
# one CPU it counts them, so that every run is the same.
CPUS      ?= 1
CPU_FLAGS  = $(if $(filter-out 1,$(CPUS)),-DTLOG_CPUS=$(CPUS))
SMP        = $(if $(filter virt,$(BOARD)),-smp $(CPUS)) -accel tcg$(comma)thread=multi
PACE       = $(if $(filter-out 1,$(CPUS)),$(SMP),-icount shift=6)
QEMU       = qemu-system-arm -M $(BOARD) $(QEMU_$(BOARD)) -display none -monitor none -serial none \
             -semihosting-config enable=on,target=native $(PACE)

# ---- runtime and firmware ------------------------------------------------------------------------------------------
STARTUP    = $(if $(filter cortex-a%,$(CORE_$(BOARD))),linker/startup_a.c,linker/startup_m.c)
ARM_FLAGS  = -std=c11 -mcpu=$(CORE_$(BOARD)) -mthumb $(ARM_OPT) -g -ffreestanding -ffunction-sections -fdata-sections \
             $(WARNINGS) $(CPU_FLAGS) -mfloat-abi=soft -Itarget -Iport -Ilinker -I$(BUILD)/$(BOARD) -include board.h
RUNTIME   := $(sort $(wildcard target/src/*.c)) port/port_v6m.c port/port_v7m.c port/irq_v7m.c
SUPPORT   := port/out_semihost.c port/out_disk.c $(STARTUP) linker/mem.c $(SUPPORT_$(BOARD))
LINK       = -nostdlib -Wl,--gc-sections -Wl,--build-id -Llinker -T linker/$(BOARD).ld -lgcc
# What every firmware depends on besides its own sources; the .d files add the headers.
FIRMWARE   = $(RUNTIME) $(SUPPORT) $(wildcard linker/*.ld) $(BUILD)/$(BOARD)/board.h Makefile
# $(call firmware,output.elf,sources,flags): build firmware for BOARD; all sources are compiled with the same flags
firmware   = mkdir -p $(dir $(1)) && echo "  FIRMWARE $(1)" && \
             $(ARM_CC) $(ARM_FLAGS) $(3) -MM -MP -MT $(1) $(2) $(RUNTIME) $(SUPPORT) >$(1).d && \
             $(ARM_CC) $(ARM_FLAGS) $(3) $(2) $(RUNTIME) $(SUPPORT) $(LINK) -o $(1)

## runtime: the firmware side as a library, build/BOARD/libtlog.a
runtime: $(BUILD)/$(BOARD)/libtlog.a

# Written under another name, then renamed, because tests that run side by side may make this file at the same time.
$(BUILD)/$(BOARD)/board.h: linker/$(BOARD).h
	@mkdir -p $(@D)
	@cp $< $@.$$$$ && mv $@.$$$$ $@

$(BUILD)/$(BOARD)/%.o: %.c $(BUILD)/$(BOARD)/board.h Makefile
	@mkdir -p $(@D)
	@$(ARM_CC) $(ARM_FLAGS) $(DEPENDS) -c $< -o $@

$(BUILD)/$(BOARD)/libtlog.a: $(RUNTIME:%.c=$(BUILD)/$(BOARD)/%.o)
	@rm -f $@
	@echo "  RUNTIME  $@"
	@$(ARM_AR) rcs $@ $^

# ---- demo, and the user's firmware ---------------------------------------------------------------------------------
DEMO     := tests/system/demo
DEMO_SRC := $(wildcard $(DEMO)/*.c)
DEMO_FLAGS := -I$(DEMO) -DTLOG_SLOTS=8192 -DTLOG_TRACEEVENTS=1

$(BUILD)/demo/firmware.elf: $(DEMO_SRC) $(FIRMWARE)
	@$(call firmware,$@,$(DEMO_SRC),$(DEMO_FLAGS))

$(BUILD)/demo/dump.bin: $(BUILD)/demo/firmware.elf
	@echo "  QEMU     $(BOARD) $<"
	@cd $(@D) && timeout 120 $(QEMU) -kernel firmware.elf

$(BUILD)/demo/trace.dat: $(BUILD)/demo/dump.bin $(BUILD)/tlog-decode
	@$(BUILD)/tlog-decode --elf=$(BUILD)/demo/firmware.elf $< -o $@ --session=$(BUILD)/demo/rows.json

## demo: run the demo firmware in QEMU, decode its dump, show what trace-cmd reports
# The page with the demo's trace in it is made if there is a page: make page.
demo: $(BUILD)/demo/trace.dat $(if $(wildcard $(PAGE)),$(BUILD)/demo/trace.html)
	@sh $(DEMO)/report.sh $<

$(BUILD)/demo/trace.pftrace: $(BUILD)/demo/dump.bin $(BUILD)/tlog-decode
	@$(BUILD)/tlog-decode -q --elf=$(BUILD)/demo/firmware.elf $< -o $@

$(BUILD)/demo/trace.html: $(BUILD)/demo/dump.bin $(BUILD)/tlog-decode $(wildcard $(PAGE))
	@$(BUILD)/tlog-decode -q --elf=$(BUILD)/demo/firmware.elf $< -o $@

## run: build APP=file.c for BOARD, run it in QEMU until it ends, Ctrl-C, or for TIME=5 seconds, decode; CPUS=2: 2 CPUs
# APP may have blanks, which make takes for ends of words: here they are _.
blank   := $() $()
RUN_DIR = $(BUILD)/run/$(basename $(notdir $(subst $(blank),_,$(APP))))
# By default a ring in which a first program loses no event, as far as the board's RAM allows; FLAGS may set the size.
SLOTS_lm3s6965evb := 2048
SLOTS_microbit    := 256
RUN_SLOTS = $(if $(filter -DTLOG_SLOTS% -DTLOG_CHUNKS% -DTLOG_RUNS% -DTLOG_ARENA% -DTLOG_CONFIG%,$(FLAGS)),,\
              -DTLOG_SLOTS=$(or $(SLOTS_$(BOARD)),4096))
run: $(BUILD)/$(BOARD)/board.h $(BUILD)/tlog-decode
	@test -n "$(APP)" || \
	    { echo "usage: make run APP=file.c [BOARD=$(BOARD)] [CPUS=$(CPUS)] [TIME=seconds] [FLAGS=-D...]"; exit 1; }
	@mkdir -p $(RUN_DIR)
	@$(call firmware,$(RUN_DIR)/firmware.elf,"$(APP)",-Wno-error $(RUN_SLOTS) $(FLAGS))
	@echo "  QEMU     $(BOARD)"
	@cd $(RUN_DIR) && sh "$(CURDIR)/linker/run.sh" "$(abspath $(BUILD))/tlog-decode" "$(TIME)" $(QEMU)

include tests/module.mk

# ---- install -------------------------------------------------------------------------------------------------------
## deps: install the Debian packages that building, run and demo need, and newlib, for kernels
deps:
	@sh tests/lib/deps.sh "building tlog, make run and make demo" gcc libc6-dev make gcc-arm-none-eabi \
	    libnewlib-arm-none-eabi qemu-system-arm trace-cmd scdoc zlib1g-dev libzstd-dev libdw-dev libarchive-dev

## deps-test: install what the tests, the benches and the analyses need besides
deps-test: deps deps-wasm deps-musl deps-windows
	@sh tests/lib/deps.sh "the tests" g++ python3 pkg-config libcmocka-dev libtracecmd-dev libtraceevent-dev \
	    libtracefs-dev libkshark-dev libjson-c-dev gdb-multiarch cppcheck spin clang clang-tidy clang-format lld \
	    libclang-rt-dev llvm valgrind zstd xz-utils cmake unzip libxml2-utils python3-kconfiglib babeltrace2 \
	    gtkwave sigrok-cli universal-ctags nodejs git zsh fish jq wine wine64 chromium fonts-dejavu-core dpkg-dev lintian

## deps-wasm: install what builds the decoder as WebAssembly, and runs it in the tests
deps-wasm:
	@sh tests/lib/deps.sh "make wasm" clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32 nodejs

## deps-windows: install what builds the decoder for Windows
deps-windows:
	@sh tests/lib/deps.sh "make windows" gcc-mingw-w64-x86-64-win32 libz-mingw-w64-dev

## deps-page: install what the page is made of: the same, and python3
deps-page: deps-wasm
	@sh tests/lib/deps.sh "make page" python3

## deps-musl: install what builds the decoder as one static file for any Linux
deps-musl:
	@sh tests/lib/deps.sh "make musl" musl-tools

## deps-gui: install what only the screenshot needs
deps-gui:
	@sh tests/lib/deps.sh "the screenshot" kernelshark xvfb x11-utils xdotool imagemagick fonts-dejavu-core

SHARE = $(DESTDIR)$(PREFIX)/share
LIB   = $(DESTDIR)$(PREFIX)/lib
# What firmware is compiled and linked with. A kernel's headers are used where they are, beside their sources.
SHIPPED   = $(sort $(shell find target port linker -type f ! -path 'port/package/*' ! -path 'port/examples/*')) \
            LICENSE README.md
# $(call place,mode,file,name): install a file, whose directory need not be there. macOS's install has no -D.
place = mkdir -p "$$(dirname $(3))" && install -m $(1) $(2) $(3)
# $(call filled,template,file): install a template with the version and the lists of sources and libraries filled in
filled = sed 's|@VERSION@|$(VERSION)|; s|@SOURCES@|$(RUNTIME:%=$${sourcedir}/%)|; s|@LIBS@|$(HOST_LIBS)|' \
             port/package/$(1) >$(BUILD)/$(1).$$$$ && \
         $(call place,644,$(BUILD)/$(1).$$$$,$(2)) && rm -f $(BUILD)/$(1).$$$$
## install: decoder, manual, completion, library, headers and runtime sources under PREFIX; for CMake and pkg-config
install: all
	@mkdir -p "$(DESTDIR)$(PREFIX)/bin" 2>/dev/null && test -w "$(DESTDIR)$(PREFIX)/bin" || \
	    { echo "$(DESTDIR)$(PREFIX)/bin cannot be written: sudo make install, or make install PREFIX=\$$HOME/.local"; \
	    exit 1; }
	$(call place,755,$(BUILD)/tlog-decode,"$(DESTDIR)$(PREFIX)/bin/tlog-decode")
	$(call place,644,$(BUILD)/tlog-decode.1,"$(SHARE)/man/man1/tlog-decode.1")
	$(call place,644,host/cli/tlog-decode.bash,"$(SHARE)/bash-completion/completions/tlog-decode")
	$(call place,644,host/cli/tlog-decode.zsh,"$(SHARE)/zsh/site-functions/_tlog-decode")
	$(call place,644,host/cli/tlog-decode.fish,"$(SHARE)/fish/vendor_completions.d/tlog-decode.fish")
	install -d "$(DESTDIR)$(PREFIX)/include/tlog/src"
	install -m 644 target/*.h port/*.h "$(DESTDIR)$(PREFIX)/include/tlog/"
	install -m 644 target/src/*.h "$(DESTDIR)$(PREFIX)/include/tlog/src/"
	$(call place,644,port/tlog-gdb.py,"$(SHARE)/tlog/tlog-gdb.py")
	@test ! -e $(PAGE) || { $(call place,644,$(PAGE),"$(SHARE)/tlog/page.html"); }
	@for file in $(SHIPPED); do $(call place,644,$$file,"$(SHARE)/tlog/$$file") || exit 1; done
	$(call place,644,port/cmake/tlogConfig.cmake,"$(SHARE)/cmake/tlog/tlogConfig.cmake")
	$(call filled,tlogConfigVersion.cmake.in,"$(SHARE)/cmake/tlog/tlogConfigVersion.cmake")
	$(call filled,tlog.pc.in,"$(SHARE)/pkgconfig/tlog.pc")
	$(call place,644,host/tlog_decode.h,"$(DESTDIR)$(PREFIX)/include/tlog_decode.h")
	$(call place,755,$(LIBRARY_FILE),"$(LIB)/$(notdir $(LIBRARY_FILE))")
	cp -P $(LIBRARY_SO) $(LIBRARY_LINK) "$(LIB)/"
	$(if $(LIBRARY_A),$(call place,644,$(LIBRARY_A),"$(LIB)/libtlogdecode.a"))
	$(call filled,tlogdecode.pc.in,"$(LIB)/pkgconfig/tlogdecode.pc")
	@test -n "$(DESTDIR)" || ldconfig 2>/dev/null || true

## uninstall: remove what install installed
uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/tlog-decode" "$(SHARE)/man/man1/tlog-decode.1" "$(SHARE)/pkgconfig/tlog.pc" \
	    "$(SHARE)/bash-completion/completions/tlog-decode" "$(SHARE)/zsh/site-functions/_tlog-decode" \
	    "$(SHARE)/fish/vendor_completions.d/tlog-decode.fish" "$(DESTDIR)$(PREFIX)/include/tlog_decode.h" \
	    "$(LIB)/libtlogdecode."* "$(LIB)/pkgconfig/tlogdecode.pc"
	rm -rf "$(DESTDIR)$(PREFIX)/include/tlog" "$(SHARE)/tlog" "$(SHARE)/cmake/tlog"

## single: build/single/tlog.h and tlog.c, the runtime as two files for every core; with hooks of kernels, tlog.ld
single:
	@python3 port/package/single.py $(BUILD)/single $(VERSION)
	@echo "  SINGLE   $(BUILD)/single/tlog.h $(BUILD)/single/tlog.c"

## dist: all packages, with check sums, in build/dist: of dist-sources, and the decoder for npm, any Linux, Debian
# Nothing in the Debian package's program tells where it was built, for it has no -g.
dist: $(MUSL) $(PAGE) $(WINDOWS_EXE) $(BUILD)/deb/tlog-decode
	@python3 port/package/dist.py $(VERSION) '$(URL)' '$(MAINTAINER)' $(BUILD)/dist $(BUILD)

$(BUILD)/deb/tlog-decode: FORCE
	+@$(MAKE) -s --no-print-directory BUILD=$(BUILD)/deb $(HOST_PARTS:%=%=1) CFLAGS=-O2 LDFLAGS=-s $@

## dist-sources: packages made without a compiler: sources, two files, CMSIS-Pack, PlatformIO, Arduino, Zephyr
dist-sources:
	@python3 port/package/dist.py $(VERSION) '$(URL)' '$(MAINTAINER)' $(BUILD)/dist

## release: all that is published, in build/release; with URL= and MAINTAINER=, or DRAFT=1 (.github/CONTRIBUTING.md)
# The page is there only behind dist, and the demo's one looks for it when make begins.
release:
	@DRAFT=$(DRAFT) sh port/package/release.sh check $(VERSION) '$(URL)' '$(MAINTAINER)'
	+@$(MAKE) --no-print-directory dist single
	+@$(MAKE) --no-print-directory $(BUILD)/demo/trace.pftrace $(BUILD)/demo/trace.html
	@sh port/package/release.sh gather $(VERSION) $(BUILD)

# ---- for those who change tlog -------------------------------------------------------------------------------------
C_FILES = $(shell find host target port linker tests -name '*.[ch]')
## format: lay out all C files as .clang-format says
format:
	@clang-format -i $(C_FILES)

## format-check: fail, and show where, if a C file is laid out otherwise
format-check:
	@clang-format --dry-run -Werror $(C_FILES)

## tags: build/tags, for editors: where each function, type and macro is; vim: set tags=build/tags
tags:
	@mkdir -p $(BUILD)
	@ctags --tag-relative=yes -f $(BUILD)/tags $(C_FILES)

# A line per source: its name, a tab, the command that compiles it.
define newline


endef
DECODER_TEST_SRC = $(sort $(shell find tests/decoder tests/gen -name '*.c'))
commands = $(foreach f,$(1),$(f)	$(2) -c $(f)$(newline))
test_command = $(call commands,$(firstword $(SRC_$(call kind,$(1)))),$(filter-out %.c,$(call host_test,$(1))))
## compile_commands: build/compile_commands.json, by which clangd and other tools know how sources are compiled
compile_commands: $(BUILD)/$(BOARD)/board.h
	$(file >$(BUILD)/commands,$(call commands,$(HOST_SRC),$(CC) $(HOST_CFLAGS) $(CFLAGS)))
	$(file >>$(BUILD)/commands,$(call commands,$(RUNTIME) $(SUPPORT),$(ARM_CC) $(ARM_FLAGS)))
	$(file >>$(BUILD)/commands,$(call commands,$(DEMO_SRC),$(ARM_CC) $(ARM_FLAGS) $(DEMO_FLAGS)))
	$(file >>$(BUILD)/commands,$(call commands,$(DECODER_TEST_SRC),$(CC) $(HOST_CFLAGS) $(TEST_POSIX) -Itests -Iport))
	$(file >>$(BUILD)/commands,$(foreach t,$(HOST_RUNTIME_TESTS),$(call test_command,$(t))))
	@python3 tests/lib/compile_commands.py <$(BUILD)/commands >$(BUILD)/compile_commands.json

## help: this list
help:
	@sed -n 's/^## //p' $(filter-out %.d,$(MAKEFILE_LIST))

## clean: remove build/
clean:
	rm -rf $(BUILD)
