# host/module.mk - the decoder, build/tlog-decode, its manual, and the library, build/libtlogdecode.*.

HOST_MAIN   := host/cli/main.c
# What knows the operating system: posix; wasi, which has the files of posix but for those that wasi/ and none/ have; or
# windows.
HOST_OS     ?= posix
OS_BACK     := $(if $(filter windows,$(HOST_OS)),windows,posix)
NOT_posix   := host/os/wasi/% host/os/windows/% $(addprefix host/os/none/,signal.c launch.c)
NOT_wasi    := host/os/windows/% $(addprefix host/os/posix/,stream.c signal.c launch.c)
NOT_windows := host/os/posix/% host/os/wasi/% $(addprefix host/os/none/,signal.c launch.c)
# Parts that a machine may lack: with THREADS=0 and so on they are left out. Of each part: its name, its option of the
# linker, its source, and what stands in for that: a source, or the folder of a header.
PART_THREADS    := threads -pthread host/os/$(OS_BACK)/thread.c host/os/none/thread.c
PART_SOCKETS    := sockets - host/os/$(OS_BACK)/socket.c host/os/none/socket.c
PART_ZLIB       := zlib -lz - host/os/none/zlib
PART_ZSTD       := zstd -lzstd - host/os/none/zstd
PART_LIBARCHIVE := libarchive -larchive host/formats/lttng/archive.c host/formats/lttng/no_archive.c
PART_LIBDW      := libdw -ldw host/io/firmware/dwarf.c host/io/firmware/no_dwarf.c
HOST_PARTS      := THREADS SOCKETS ZLIB ZSTD LIBARCHIVE LIBDW
# macOS comes with zlib alone; ZSTD=1 and so on take what was installed.
HOST_SYSTEM     := $(shell uname)
ifeq ($(HOST_SYSTEM),Darwin)
$(foreach p,ZSTD LIBARCHIVE LIBDW,$(eval $p ?= 0))
endif
$(foreach p,$(HOST_PARTS),$(eval $p ?= 1))
PARTS_OUT := $(foreach p,$(HOST_PARTS),$(if $(filter 0,$($p)),$p))
PARTS_IN  := $(filter-out $(PARTS_OUT),$(HOST_PARTS))
# $(call part,column,parts)
part = $(foreach p,$(2),$(filter-out -,$(word $(1),$(PART_$p))))

HOST_CFLAGS := -std=c11 -DTLOG_VERSION='"$(VERSION)"' -DTLOG_WITH='"$(call part,1,$(PARTS_IN))"' \
               -DTLOG_WITHOUT='"$(call part,1,$(PARTS_OUT))"' $(WARNINGS) -Ihost -Itarget \
               $(foreach p,$(filter ZLIB ZSTD,$(PARTS_OUT)),-I$(call part,4,$p))
# What is compiled otherwise without a part: what prints them, and what includes <zlib.h> or <zstd.h>.
PARTS_TOLD  := $(HOST_MAIN) host/base/crc32.c host/io/decompress.c \
               $(addprefix host/formats/,html/writer.c perfetto/packet.c) \
               $(addprefix host/formats/tracedat/,read/decompress.c write/blocks.c)
HOST_LIBS   := $(call part,2,$(PARTS_IN))
HOST_SRC    := $(filter-out $(call part,4,$(PARTS_IN)) $(call part,3,$(PARTS_OUT)) $(NOT_$(HOST_OS)),\
                 $(sort $(shell find host -name "*.c")))

# The library has the tool's objects. Of them, only what tlog_decode.h names is seen from outside.
SHARED_CFLAGS := -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections

.PHONY: decoder
## decoder: the decoder alone, build/tlog-decode
decoder: $(BUILD)/tlog-decode

# Changes when the parts do.
$(BUILD)/host/parts: FORCE
	@mkdir -p $(@D)
	@echo "$(PARTS_IN)" | cmp -s - $@ || echo "$(PARTS_IN)" >$@
.PHONY: FORCE

$(PARTS_TOLD:%.c=$(BUILD)/%.o) $(BUILD)/tlog-decode$(EXE): $(BUILD)/host/parts
$(BUILD)/host/%.o: host/%.c Makefile host/module.mk
	@mkdir -p $(@D)
	@echo "  CC       $<"
	@$(CC) $(HOST_CFLAGS) $(SHARED_CFLAGS) $(CFLAGS) $(DEPENDS) -c $< -o $@

# EXE: what names of programs end with.
$(BUILD)/tlog-decode$(EXE): $(HOST_SRC:%.c=$(BUILD)/%.o)
	@echo "  LD       $@"
	@$(CC) $(CFLAGS) $(filter %.o,$^) $(LDFLAGS) $(HOST_LIBS) -o $@

# ---- as WebAssembly ------------------------------------------------------------------------------------------------
# A program of WASI: node and others run it, with the folders that it is given. Debian has no libraries for it, so all
# parts are left out. What is told to the compiler only is in SHARED_CFLAGS: with -O the linker would call wasm-opt if
# that is installed, and would make another file then. WebAssembly's later instructions are in all browsers since 2021,
# and in node 16; clang allows no variables of threads with them, even if there are no threads.
WASM        := $(BUILD)/wasm/tlog-decode.wasm
WASM_CFLAGS := -O2 -mbulk-memory -msign-ext -mnontrapping-fptoint -D_Thread_local= -Wno-gnu-statement-expression \
               -include host/os/wasi/missing.h
WASM_STACK  := 1048576

.PHONY: wasm
## wasm: the decoder as WebAssembly, build/wasm/tlog-decode.wasm (make deps-wasm first)
wasm: $(WASM)

$(WASM): $(BUILD)/wasm/tlog-decode
	@cp $< $@

$(BUILD)/wasm/tlog-decode: FORCE
	+@$(MAKE) -s --no-print-directory BUILD=$(BUILD)/wasm HOST_OS=wasi $(HOST_PARTS:%=%=0) \
	    CC='clang-14 --target=wasm32-wasi' CFLAGS= SHARED_CFLAGS='$(WASM_CFLAGS)' \
	    LDFLAGS='-Wl,--strip-all,--stack-first,-z,stack-size=$(WASM_STACK)' HOST_LIBS=-lc-printscan-long-double $@

# ---- for any Linux -------------------------------------------------------------------------------------------------
# With musl, a small C library, all is in one file. Debian has no other libraries for it.
MUSL_CC   := musl-gcc
MUSL      := $(BUILD)/musl/tlog-decode
MUSL_MAKE := $(MAKE) -s --no-print-directory BUILD=$(BUILD)/musl THREADS=1 SOCKETS=1 ZLIB=0 ZSTD=0 LIBARCHIVE=0 \
             LIBDW=0 CC='$(MUSL_CC)' CFLAGS=-O2 LDFLAGS='-static -s'

.PHONY: musl
## musl: the decoder as one static file for any Linux, build/musl/tlog-decode (make deps-musl first)
musl: $(MUSL)

$(MUSL): FORCE
	+@$(MUSL_MAKE) $@

include host/page/module.mk

# ---- for Windows ---------------------------------------------------------------------------------------------------
# One file that needs nothing but what each Windows has, from Windows 7 on, made by MinGW-w64. Debian has zlib for it,
# and none of the other libraries. MinGW-w64's own printf() takes all that C11 has; its formats are checked elsewhere.
# No time goes into the file.
WINDOWS     := x86_64-w64-mingw32
WINDOWS_EXE := $(BUILD)/windows/tlog-decode.exe
WINDOWS_OUT  = ZSTD LIBARCHIVE LIBDW $(if $(wildcard /usr/$(WINDOWS)/lib/libz.a),,ZLIB)
WINDOWS_CFLAGS := -O2 -D__USE_MINGW_ANSI_STDIO=1 -Wno-format

.PHONY: windows
## windows: the decoder for Windows, build/windows/tlog-decode.exe (make deps-windows first)
windows: $(WINDOWS_EXE)

$(WINDOWS_EXE): FORCE
	+@$(MAKE) -s --no-print-directory BUILD=$(BUILD)/windows HOST_OS=windows EXE=.exe $(WINDOWS_OUT:%=%=0) \
	    CC='$(filter ccache,$(CC)) $(WINDOWS)-gcc' CFLAGS= SHARED_CFLAGS='$(WINDOWS_CFLAGS)' \
	    LDFLAGS='-municode -static -s -Wl,--no-insert-timestamp' \
	    HOST_LIBS='$(if $(filter ZLIB,$(WINDOWS_OUT)),,-lz) -lws2_32' $@

# ---- the library ---------------------------------------------------------------------------------------------------
# The functions of tlog_decode.h and what they need, function by function, as one object: so a program that is linked
# with the static library meets no other names, and no writers.
OBJCOPY     ?= objcopy
LIBRARY     := $(BUILD)/libtlogdecode
LIBRARY_SRC := host/library/face.c host/model/event.c
# Programs look for LIBRARY_SO, the linker for LIBRARY_LINK: both are links to LIBRARY_FILE.
ifeq ($(HOST_SYSTEM),Darwin)
# Apple has no objcopy, so there is no static library. Its linker hides what is hidden by itself, and has other options.
LIBRARY_A    :=
LIBRARY_FILE := $(LIBRARY).$(VERSION).dylib
LIBRARY_SO   := $(LIBRARY).$(firstword $(subst ., ,$(VERSION))).dylib
LIBRARY_LINK := $(LIBRARY).dylib
LIBRARY_OF   := $(LIBRARY_SRC:%.c=$(BUILD)/%.o) $(BUILD)/host/whole/all.a
SHARED       := -dynamiclib -Wl,-dead_strip -install_name $(PREFIX)/lib/$(notdir $(LIBRARY_SO))
else
LIBRARY_A    := $(LIBRARY).a
LIBRARY_FILE := $(LIBRARY).so.$(VERSION)
LIBRARY_SO   := $(LIBRARY).so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY_LINK := $(LIBRARY).so
LIBRARY_OF   := $(BUILD)/host/whole/tlogdecode.o
SHARED       := -shared -Wl,-soname,$(notdir $(LIBRARY_SO)) -Wl,-z,defs -Wl,--as-needed
endif
# What the library has nothing of: the tool, answers, and writers.
LIBRARY_NOT := $(patsubst %,host/%/%,cli tool answer \
                 $(addprefix formats/,columns ctf html perfetto rows text tracedat/write vcd))
LIBRARY_MAY := $(filter-out $(LIBRARY_NOT) host/formats/%/writer.c $(LIBRARY_SRC),$(HOST_SRC))

.PHONY: library
library: $(LIBRARY_A) $(LIBRARY_LINK)

$(BUILD)/host/whole/all.a: $(LIBRARY_MAY:%.c=$(BUILD)/%.o) $(BUILD)/host/parts
	@mkdir -p $(@D)
	@rm -f $@
	@ar qcs $@ $(filter %.o,$^)

$(BUILD)/host/whole/tlogdecode.o: $(LIBRARY_SRC:%.c=$(BUILD)/%.o) $(BUILD)/host/whole/all.a
	@$(CC) -r -nostdlib -Wl,--gc-sections -Wl,--gc-keep-exported $^ -o $@

$(LIBRARY).a: $(BUILD)/host/whole/tlogdecode.o
	@echo "  AR       $@"
	@mkdir -p $(BUILD)/host/static
	@$(OBJCOPY) --localize-hidden -w --keep-symbol='tlog_*' --strip-unneeded-symbol='*' $< $(BUILD)/host/static/$(<F)
	@rm -f $@
	@ar rcs $@ $(BUILD)/host/static/$(<F)

$(LIBRARY_LINK): $(LIBRARY_OF)
	@echo "  LD       $@"
	@$(CC) $(CFLAGS) $(SHARED) $(filter %.o %.a,$^) $(LDFLAGS) $(HOST_LIBS) -o $(LIBRARY_FILE)
	@ln -sf $(notdir $(LIBRARY_FILE)) $(LIBRARY_SO)
	@ln -sf $(notdir $(LIBRARY_FILE)) $@

$(BUILD)/tlog-decode.1: host/cli/tlog-decode.1.scd
	@mkdir -p $(@D)
	@echo "  MAN      $@"
	@scdoc < $< > $@
