# host/module.mk - the decoder, build/tlog-decode, its manual, and the library, build/libtlogdecode.*.

HOST_MAIN   := host/cli/main.c
# Parts that a machine may lack: with THREADS=0 and so on they are left out. Of each part: its name, its option of the
# linker, its source, and what stands in for that: a source, or the folder of a header.
PART_THREADS    := threads -pthread host/os/posix/thread.c host/os/none/thread.c
PART_SOCKETS    := sockets - host/os/posix/socket.c host/os/none/socket.c
PART_ZSTD       := zstd -lzstd - host/os/none/zstd
PART_LIBARCHIVE := libarchive -larchive host/formats/lttng/archive.c host/formats/lttng/no_archive.c
PART_LIBDW      := libdw -ldw host/io/firmware/dwarf.c host/io/firmware/no_dwarf.c
HOST_PARTS      := THREADS SOCKETS ZSTD LIBARCHIVE LIBDW
$(foreach p,$(HOST_PARTS),$(eval $p ?= 1))
PARTS_OUT := $(foreach p,$(HOST_PARTS),$(if $(filter 0,$($p)),$p))
PARTS_IN  := $(filter-out $(PARTS_OUT),$(HOST_PARTS))
# $(call part,column,parts)
part = $(foreach p,$(2),$(filter-out -,$(word $(1),$(PART_$p))))

HOST_CFLAGS := -std=c11 -DTLOG_VERSION='"$(VERSION)"' -DTLOG_WITH='"$(call part,1,$(PARTS_IN))"' \
               -DTLOG_WITHOUT='"$(call part,1,$(PARTS_OUT))"' $(WARNINGS) -Ihost -Itarget \
               $(if $(filter ZSTD,$(PARTS_OUT)),-I$(call part,4,ZSTD))
# What is compiled otherwise without a part: what prints them, and what includes <zstd.h>.
PARTS_TOLD  := $(HOST_MAIN) host/io/decompress.c $(addprefix host/formats/tracedat/,read/decompress.c write/blocks.c)
HOST_LIBS   := -lz $(call part,2,$(PARTS_IN))
HOST_SRC    := $(filter-out $(call part,4,$(PARTS_IN)) $(call part,3,$(PARTS_OUT)),\
                 $(sort $(shell find host -name "*.c")))

# The library has the tool's objects. Of them, only what tlog_decode.h names is seen from outside.
SHARED_CFLAGS := -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections

# Changes when the parts do.
$(BUILD)/host/parts: FORCE
	@mkdir -p $(@D)
	@echo "$(PARTS_IN)" | cmp -s - $@ || echo "$(PARTS_IN)" >$@
.PHONY: FORCE

$(PARTS_TOLD:%.c=$(BUILD)/%.o) $(BUILD)/tlog-decode: $(BUILD)/host/parts
$(BUILD)/host/%.o: host/%.c Makefile host/module.mk
	@mkdir -p $(@D)
	@echo "  CC       $<"
	@$(CC) $(HOST_CFLAGS) $(SHARED_CFLAGS) $(CFLAGS) $(DEPENDS) -c $< -o $@

$(BUILD)/tlog-decode: $(HOST_SRC:%.c=$(BUILD)/%.o)
	@echo "  LD       $@"
	@$(CC) $(CFLAGS) $(filter %.o,$^) $(LDFLAGS) $(HOST_LIBS) -o $@

# ---- the library ---------------------------------------------------------------------------------------------------
# The functions of tlog_decode.h and what they need, function by function, as one object: so a program that is linked
# with the static library meets no other names, and no writers.
OBJCOPY     ?= objcopy
LIBRARY     := $(BUILD)/libtlogdecode
LIBRARY_SO  := $(LIBRARY).so.$(firstword $(subst ., ,$(VERSION)))
LIBRARY_SRC := host/library/face.c host/model/event.c
# What the library has nothing of: the tool, answers, and writers.
LIBRARY_NOT := $(patsubst %,host/%/%,cli tool answer $(addprefix formats/,ctf perfetto rows text tracedat/write vcd))
LIBRARY_MAY := $(filter-out $(LIBRARY_NOT) host/formats/%/writer.c $(LIBRARY_SRC),$(HOST_SRC))

.PHONY: library
library: $(LIBRARY).a $(LIBRARY).so

$(BUILD)/host/whole/tlogdecode.o: $(LIBRARY_SRC:%.c=$(BUILD)/%.o) $(LIBRARY_MAY:%.c=$(BUILD)/%.o) $(BUILD)/host/parts
	@mkdir -p $(@D)
	@rm -f $(@D)/all.a
	@ar rcsT $(@D)/all.a $(LIBRARY_MAY:%.c=$(BUILD)/%.o)
	@$(CC) -r -nostdlib -Wl,--gc-sections -Wl,--gc-keep-exported $(LIBRARY_SRC:%.c=$(BUILD)/%.o) $(@D)/all.a -o $@

$(LIBRARY).a: $(BUILD)/host/whole/tlogdecode.o
	@echo "  AR       $@"
	@mkdir -p $(BUILD)/host/static
	@$(OBJCOPY) --localize-hidden -w --keep-symbol='tlog_*' --strip-unneeded-symbol='*' $< $(BUILD)/host/static/$(<F)
	@rm -f $@
	@ar rcs $@ $(BUILD)/host/static/$(<F)

# Programs look for $(LIBRARY_SO), the linker for libtlogdecode.so: both are links to the file.
$(LIBRARY).so: $(BUILD)/host/whole/tlogdecode.o
	@echo "  LD       $@"
	@$(CC) $(CFLAGS) -shared -Wl,-soname,$(notdir $(LIBRARY_SO)) -Wl,-z,defs $< $(LDFLAGS) -Wl,--as-needed \
	    $(HOST_LIBS) -o $@.$(VERSION)
	@ln -sf $(@F).$(VERSION) $(LIBRARY_SO)
	@ln -sf $(@F).$(VERSION) $@

$(BUILD)/tlog-decode.1: host/cli/tlog-decode.1.scd
	@mkdir -p $(@D)
	@echo "  MAN      $@"
	@scdoc < $< > $@
