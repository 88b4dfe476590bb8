# host/module.mk - the decoder, build/tlog-decode, and its manual.

HOST_CFLAGS := -std=c11 -D_POSIX_C_SOURCE=200809L -DTLOG_VERSION='"$(VERSION)"' $(WARNINGS) -Ihost -Itarget
HOST_LIBS   := -lz -lzstd -ldw -lelf -larchive -pthread
HOST_SRC    := $(sort $(shell find host -name "*.c"))
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
