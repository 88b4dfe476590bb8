/* file.h - a trace.dat file of version 6 or 7, taken apart for reading.
 *
 * Layout: the man pages trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). The parts: tracedat/read/inflate.c (compressed bytes),
 * tracedat/read/open.c (prologue, sections, options), tracedat/read/options.c (what the options say),
 * tracedat/read/text.c (the sections that hold tables of text), tracedat/read/format.c (fields of an event), tracedat/read/print.c (its
 * print format), tracedat/read/type.c (a type of the event model for it), tracedat/read/bprint.c (arguments of trace_printk()),
 * tracedat/read/data.c (pages of one CPU), tracedat/read/page.c (events of a page), tracedat/read/time.c (clocks).
 *
 * Vocabulary
 *   long     the number of bytes of a C long on the traced system, 4 or 8; the kernel's own is the commit size
 *   buffer   one set of per-CPU ring buffers: the top one, which has no name, or that of a trace instance
 *   page     what the ring buffer is made of: time, commit (bytes used, marks of lost events), records
 *   record   the bytes of one event on a page: common fields, then those its format tells
 *   chunk    pages that are compressed together
 *   slot     room in a payload for a text that stands for a field the event model has no kind for
 *
 * Private to the trace.dat reader.
 */
#ifndef TRACEDAT_READ_FILE_H
#define TRACEDAT_READ_FILE_H

#include "base/cursor.h"
#include "io/input.h"
#include "model/trace.h"

enum {
    TDFILE_CPUS_MAX = 4096,
    TDFILE_PAYLOAD_MAX = 4000, /* bytes: what a writer of 4096-byte pages can take */
    TDFILE_FIELDS_MAX = 200,
    TDFILE_SPLIT_MAX = 16, /* elements of an array that become fields of their own */
};

#define TDFILE_PAGE_MAX    (1u << 24)
#define TDFILE_SECTION_MAX (1u << 28) /* bytes of one section, not compressed, other than pages */
#define TDFILE_CHUNK_MAX   (1u << 26) /* bytes of pages compressed together */

/* ---- compression ------------------------------------------------------------------------------------------------- */

enum td_compression { TD_NONE, TD_ZLIB, TD_ZSTD };

/* Decompress exactly to_size bytes. */
bool td_inflate(enum td_compression how, const unsigned char *from, size_t size, unsigned char *to, size_t to_size);

/* ---- formats of events ------------------------------------------------------------------------------------------- */

enum td_shape {
    TD_SCALAR,  /* a number of 1, 2, 4 or 8 bytes */
    TD_CHARS,   /* char[n] */
    TD_DATALOC, /* __data_loc char[] */
    TD_RELLOC,  /* __rel_loc char[] */
    TD_ARRAY,   /* n elements of 1, 2, 4 or 8 bytes, few enough to be fields */
    TD_HEX,     /* n bytes of anything, shown as hex */
    TD_DATAHEX, /* __data_loc of anything but text */
    TD_RELHEX,
    TD_OPEN,    /* char[0]: text up to the end of the record */
    TD_OPENHEX, /* the same of anything else */
    TD_POINTED, /* pointer to a text that the printk section has */
};

struct td_field {
    char *name;
    enum td_shape shape;
    bool is_signed, pointer, is_char, hex, optional;
    uint32_t offset, size; /* in the record; size of the whole field */
    uint32_t element;      /* bytes of an array's element */
    uint32_t count;        /* elements */
};

struct td_format {
    char *name;
    char *print; /* as the file has it, or NULL */
    uint32_t id;
    uint32_t common; /* bytes of common fields */
    uint32_t fixed;  /* end of the last field of known size */
    unsigned nfields;
    struct td_field field[TDFILE_FIELDS_MAX];
};

/* Common fields of records: offset and size. */
struct td_common {
    uint32_t type_at, type_size;
    uint32_t flags_at, flags_size;
    uint32_t pid_at, pid_size;
};

/* Parse the text of a format file; false if it makes no sense. Common fields are stored if common is given. The format
 * is to be freed in any case. */
bool td_format_parse(struct td_format *format, const char *text, unsigned long_size, struct td_common *common);
void td_format_free(struct td_format *format);

/* "ID:" of a format file, or -1. */
long td_format_id(const char *text);

/* Learn from the print format which fields are shown as hex, only if they are not zero, or as the text pointed to. */
void td_print_learn(struct td_format *format);

/* The print format for the type that the fields become, to be freed; NULL if it cannot be told in terms of them. */
char *td_print_make(struct td_format *format);

/* ---- tables ------------------------------------------------------------------------------------------------------ */

struct td_text {
    uint64_t address;
    const char *text;
};

struct td_texts {
    char *bytes; /* that the texts lie in */
    struct td_text *text;
    size_t n;
};

/* The text at an address, or NULL. */
const char *td_texts_find(const struct td_texts *texts, uint64_t address);

struct td_source {
    const char *system;
    char *text;  /* of the format file */
    uint64_t at; /* offset in the file, or of the section it was compressed in */
};

/* What the sections other than pages say. */
struct td_tables {
    struct td_source **source; /* by event id */
    uint32_t nsources;
    struct td_common common;
    struct td_texts printk;
    char *kallsyms;
    struct trace_symbol *symbols;
    struct trace_image image;
    unsigned commit_size; /* 4, 8 or 0 = not told */
    bool has_common;
    struct td_names *names; /* of systems */
};

struct tdfile;

/* Read one section each, from its content on. A cursor that is bad afterwards means that the section is cut or wrong;
 * what was read before that counts. */
void td_take_header_page(struct tdfile *file, struct cursor *cursor);
void td_take_ftrace_formats(struct tdfile *file, struct cursor *cursor);
void td_take_formats(struct tdfile *file, struct cursor *cursor);
void td_take_kallsyms(struct tdfile *file, struct cursor *cursor);
void td_take_printk(struct tdfile *file, struct cursor *cursor);
void td_take_cmdlines(struct tdfile *file, struct cursor *cursor);
void td_tables_free(struct td_tables *tables);

/* Find the common fields, when all formats are known. */
void td_learn_common(struct tdfile *file);

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

struct td_sync {
    uint32_t n;
    uint64_t *time, *offset, *scaling, *fraction; /* n of each, in one allocation */
};

struct td_clock {
    uint64_t offset; /* ns, of DATE and OFFSET, modulo 2^64 */
    uint32_t mult, shift;
    bool has_tsc;
    bool is_ns;       /* the clock counts ns, as far as its name is known */
    bool named;       /* by an option of its own */
    bool named_later; /* version 6: behind the table of pages */
    bool interpolate;
    uint32_t nsync, nallocated;
    struct td_sync *sync; /* by CPU; of the top buffer only */
};

/* The time of an event in ns, or in ticks where the clock's frequency is not known. */
uint64_t td_time(const struct td_clock *clock, uint64_t time, unsigned cpu, bool top);

/* The clock's name, perhaps the one in brackets among others. */
void td_clock_name(struct td_clock *clock, const char *names);
void td_clock_sync(struct td_clock *clock, struct cursor *cursor);
void td_clock_free(struct td_clock *clock);

/* ---- buffers and pages ------------------------------------------------------------------------------------------- */

struct td_range {
    uint64_t offset, size; /* of a CPU's data in the file; size 0: none */
};

struct td_buffer {
    char name[64];
    uint64_t section; /* offset of its section, or in version 6 its table */
    uint32_t page_size;
    bool compressed;
    unsigned ncpus; /* of cpu[] */
    struct td_range *cpu;
    const char *prefix; /* of its events' systems, or "" */
};

/* Reads a CPU's pages one after another. */
struct td_data {
    struct tdfile *file;
    const struct td_buffer *buffer;
    uint64_t at, end;         /* offsets in the file: next block or chunk, end of data */
    uint32_t chunks;          /* left, if compressed */
    unsigned char *block;     /* pages in memory */
    unsigned char *packed;    /* a chunk */
    size_t room, packed_room; /* bytes */
    size_t used, n;           /* bytes of the block */
    uint64_t place;           /* offset in the file of the block, or of its chunk */
};

struct td_page {
    const unsigned char *bytes;
    size_t size;     /* fewer than a page has only where the file was cut */
    uint64_t offset; /* in the file, of the page or of the chunk it was in */
    uint64_t next;   /* time of the page that follows */
    bool has_next;
};

enum td_step { TD_END, TD_PAGE, TD_DAMAGED };

void td_data_start(struct td_data *data, struct tdfile *file, const struct td_buffer *buffer, unsigned cpu);

/* TD_DAMAGED: something was skipped, which has been reported; go on. The page is valid until the next call. */
enum td_step td_data_next(struct td_data *data, struct td_page *page);
void td_data_free(struct td_data *data);

enum td_what { TD_NO_MORE, TD_RECORD, TD_LOSS, TD_DAMAGE };

struct td_record {
    enum td_what what;
    uint64_t time;  /* as the page has it */
    uint64_t count; /* of a loss, 0 = unknown */
    const unsigned char *data;
    size_t size;
};

/* The records of a CPU's pages, in order. */
struct td_walk {
    struct td_data data;
    struct td_page page;
    size_t at, end; /* bytes of the page */
    uint64_t time;
    uint64_t last; /* time of the last record */
    bool has_last;
    bool in_page;
    bool cut;  /* the page is not all there, which has been reported */
    bool loss; /* is to be told next, and how many */
    uint64_t lost;
    bool marked; /* damage is to be told next */
    struct td_record head;
};

void td_walk_start(struct td_walk *walk, struct tdfile *file, const struct td_buffer *buffer, unsigned cpu);

/* Bring the next record, loss or damage to walk->head. What it points to is valid until the next call. */
void td_walk_next(struct td_walk *walk);
void td_walk_free(struct td_walk *walk);

/* ---- types ------------------------------------------------------------------------------------------------------- */

enum td_special { TD_ORDINARY, TD_BPRINT, TD_UNKNOWN };

/* How records of one format become payloads. */
struct td_type {
    struct trace_type type;
    enum td_special special;
    struct td_format *format;  /* NULL: it cannot be told, the record becomes hex */
    uint16_t id;               /* in the trace */
    uint32_t slots;            /* offset of the slots in the payload, which end the fixed part */
    bool plain;                /* all fields are numbers: a little-endian record is its payload */
    unsigned texts;            /* fields that are texts in the record */
    bool has_hex;              /* or texts of unknown length */
    uint32_t fmt_at, fmt_size; /* where trace_printk() has the address of its text */
    char *print;
    char *system;
    char *names; /* of elements of arrays */
    struct trace_field *fields;
};

/* The type for an event id of a buffer; made and declared when it is first asked for. NULL after trace_fail(). */
struct td_type *td_type_of(struct tdfile *file, unsigned buffer, uint32_t id);

/* Bytes that td_payload() may write. */
size_t td_payload_room(const struct td_type *type, size_t size);

/* Make the payload of a record in to; bytes of it. */
size_t td_payload(const struct tdfile *file, const struct td_type *type, const unsigned char *record, size_t size,
                  unsigned char *to);
void td_types_free(struct tdfile *file);

/* Write what trace_printk() would have with these arguments, a text of less than room bytes. */
size_t td_bprint(const struct tdfile *file, char *to, size_t room, const char *format, const unsigned char *args,
                 size_t size);

/* ---- the file ---------------------------------------------------------------------------------------------------- */

struct td_extent {
    uint64_t from, end;
    const char *what;
};

struct tdfile {
    struct trace *trace;
    struct input *in;
    unsigned version;
    bool big;
    unsigned long_size;
    uint32_t page_size;
    enum td_compression compression;
    uint64_t options; /* offset of the first options section, version 7 */
    unsigned cpu_count;
    uint64_t dropped[TRACE_CPUS_COUNTED]; /* events of the top buffer, by CPU; those of loss marks are taken off it */
    bool other_stat;                      /* the counts that follow are an instance's */
    bool has_text;                        /* output of a latency tracer */
    struct td_clock clock;
    struct td_tables tables;
    char *uname;
    uint64_t section[6]; /* offsets of sections 16..21, 0 = none */
    struct td_buffer *buffer;
    unsigned nbuffers;
    struct td_extent *extent; /* of what was found so far */
    size_t nextents;
    struct td_type ***types; /* by buffer and event id */
    struct td_type *unknown;
};

/* Whether the input begins as such a file does. */
bool tdfile_recognise(struct input *in);

/* Read all but the pages. 0, or -1 after trace_fail(). To be freed in any case. */
int tdfile_open(struct tdfile *file, struct trace *trace, struct input *in);
void tdfile_free(struct tdfile *file);

/* Parts that tdfile_open() is made of. */
struct cursor tdfile_cursor(const struct tdfile *file, uint64_t from, uint64_t end);
void tdfile_option(struct tdfile *file, unsigned id, struct cursor *cursor);

/* Remember that something lies there; damage if something else does, too, which makes it false. */
bool tdfile_claim(struct tdfile *file, uint64_t from, uint64_t size, const char *what);
struct td_buffer *tdfile_add_buffer(struct tdfile *file, const char *name);
bool tdfile_set_range(struct tdfile *file, struct td_buffer *buffer, uint64_t cpu, uint64_t offset, uint64_t size);

#endif
