# host/module.mk - the decoder, build/tlog-decode, and its manual.

HOST_CFLAGS := -std=c11 -DTLOG_VERSION='"$(VERSION)"' $(WARNINGS) -Ihost -Itarget
HOST_LIBS   := -lz -lzstd -ldw -lelf -larchive -pthread
# Of each part that is left out, its stand-in is compiled instead.
HOST_PARTS  := THREADS SOCKETS LIBARCHIVE
$(foreach p,$(HOST_PARTS),$(eval $p ?= 1))
PART_THREADS    := host/os/posix/thread.c host/os/none/thread.c
PART_SOCKETS    := host/os/posix/socket.c host/os/none/socket.c
PART_LIBARCHIVE := host/formats/lttng/archive.c host/formats/lttng/no_archive.c
HOST_SRC    := $(filter-out $(foreach p,$(HOST_PARTS),$(word $(if $(filter 0,$($p)),1,2),$(PART_$p))),\
                 $(sort $(shell find host -name "*.c")))
HOST_MAIN   := host/cli/main.c

$(BUILD)/host/%.o: host/%.c Makefile host/module.mk
	@mkdir -p $(@D)
	@echo "  CC       $<"
	@$(CC) $(HOST_CFLAGS) $(CFLAGS) $(DEPENDS) -c $< -o $@

$(BUILD)/tlog-decode: $(HOST_SRC:%.c=$(BUILD)/%.o)
	@echo "  LD       $@"
	@$(CC) $(CFLAGS) $^ $(LDFLAGS) $(HOST_LIBS) -o $@

$(BUILD)/tlog-decode.1: host/cli/tlog-decode.1.scd
	@mkdir -p $(@D)
	@echo "  MAN      $@"
	@scdoc < $< > $@
