/* tables.c - see tables.h. */
#include "formats/tracedat/write/tables.h"

#include <inttypes.h>
#include <string.h>

#include "formats/tracedat/write/layout.h"

/* ---- prologue and headers ---------------------------------------------------------------------------------------- */

void tracedat_add_prologue(struct tracedat_piece *piece, const struct trace_options *options, const char *version)
{
    tracedat_add_text(piece, "\x17\x08\x44tracing");
    tracedat_add_string(piece, version);
    tracedat_add_bytes(piece, options->big_endian ? "\1" : "\0", 1);
    tracedat_add_bytes(piece, tracedat_long_size(options) == 4 ? "\4" : "\10", 1);
    tracedat_add_32(piece, tracedat_page_size(options));
}

/* The size of a text, and the text, which has a line for each field of a page. */
static void add_header_page(struct tracedat_piece *piece, unsigned long_size, unsigned page_size)
{
    size_t at = piece->used;
    unsigned data = 8 + long_size; /* behind time and commit word */
    tracedat_add_64(piece, 0);
    tracedat_add_text(piece, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
    tracedat_add_format(piece, "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n", long_size);
    tracedat_add_text(piece, "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
    tracedat_add_format(piece, "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n", data, page_size - data);
    tracedat_set_size_64(piece, at);
}

/* The second text describes the words in front of a record, as the kernel does. */
void tracedat_add_headers(struct tracedat_piece *piece, const struct trace_options *options)
{
    static const char event[] = "# compressed entry header\n"
                                "\ttype_len    :    5 bits\n"
                                "\ttime_delta  :   27 bits\n"
                                "\tarray       :   32 bits\n"
                                "\n"
                                "\tpadding     : type == 29\n"
                                "\ttime_extend : type == 30\n"
                                "\ttime_stamp : type == 31\n"
                                "\tdata max type_len  == 28\n";
    tracedat_add_string(piece, "header_page");
    add_header_page(piece, tracedat_long_size(options), tracedat_page_size(options));
    tracedat_add_string(piece, "header_event");
    tracedat_add_64(piece, sizeof event - 1);
    tracedat_add_text(piece, event);
}

/* ---- symbols, formats, tasks ------------------------------------------------------------------------------------- */

/* A line "address type name". Parsers end a name at a blank, and the whole table at a line without a name. */
static void add_symbol(struct tracedat_piece *piece, uint64_t address, char type, const char *name)
{
    size_t at;
    if (name[0] == '\0')
        return;
    tracedat_add_format(piece, "%016" PRIx64 " %c ", address, type);
    at = piece->used;
    tracedat_add_text(piece, name);
    for (; at < piece->used; at++)
        if (piece->bytes[at] <= ' ' || piece->bytes[at] > '~')
            piece->bytes[at] = '_';
    tracedat_add_text(piece, "\n");
}

/* Readers take an address to lie in the symbol before it. They do not know where the last symbol ends and match its
 * address only exactly, so a last one is added. */
void tracedat_add_kallsyms(struct tracedat_piece *piece, const struct trace *trace)
{
    const struct trace_firmware *firmware = trace->firmware;
    size_t at = piece->used;
    tracedat_add_32(piece, 0);
    for (size_t i = 0; firmware != NULL && i < firmware->nsymbols; i++)
        add_symbol(piece, firmware->symbols[i].address, firmware->symbols[i].type, firmware->symbols[i].name);
    if (firmware != NULL && firmware->nsymbols > 0) {
        const struct trace_symbol *last = &firmware->symbols[firmware->nsymbols - 1];
        add_symbol(piece, last->address + (last->size != 0 ? last->size : 1), 'T', "_end_of_symbols");
    }
    tracedat_set_size_32(piece, at);
}

/* A format with escapes as in a C string. Readers only take ASCII. */
static void add_escaped(struct tracedat_piece *piece, const char *format)
{
    static const char escaped[] = "\n\t\r\\\"";
    for (; *format != '\0'; format++) {
        const char *escape = strchr(escaped, *format);
        if (escape != NULL)
            tracedat_add_format(piece, "\\%c", "ntr\\\""[escape - escaped]);
        else
            tracedat_add_format(piece, "%c", *format >= ' ' && *format <= '~' ? *format : '?');
    }
}

void tracedat_add_printk(struct tracedat_piece *piece, const struct trace *trace)
{
    size_t at = piece->used;
    tracedat_add_32(piece, 0);
    for (size_t i = 0; i < trace->nprintk; i++) {
        tracedat_add_format(piece, "0x%" PRIx64 " : \"", trace->printk[i].address);
        add_escaped(piece, trace->printk[i].format);
        tracedat_add_text(piece, "\"\n");
    }
    tracedat_set_size_32(piece, at);
}

/* A line "pid name". Parsers skip blanks before a name, and end the whole table at a line without a name. */
static void add_task(void *ctx, uint32_t id, const char *name)
{
    name += strspn(name, " ");
    if (id != 0 && id <= INT32_MAX && name[0] != '\0')
        tracedat_add_format(ctx, "%" PRIu32 " %s\n", id, name);
}

void tracedat_add_cmdlines(struct tracedat_piece *piece, const struct trace *trace)
{
    size_t at = piece->used;
    tracedat_add_64(piece, 0);
    trace_each_name(trace, TRACE_NAME_TASK, add_task, piece);
    tracedat_set_size_64(piece, at);
}
