/* options.c - see options.h. */
#include "cli/options.h"
#include "model/module.h"
#include "cli/start_time.h"

#include <string.h>

/* The number of the word that text is, up to a NULL; -1: none. */
static int word_in(const char *const *words, const char *text)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
    }
    return -1;
}

static bool take_compression(struct trace_options *options, const char *text)
{
    static const char *const methods[] = {"none", "zstd", "zlib", NULL}; /* as enum trace_compression has them */
    int method = word_in(methods, text);

    options->compression = (enum trace_compression)method;
    return method >= 0;
}

static bool take_start_time(struct trace_options *options, const char *text)
{
    return start_time_parse(text, &options->start_time);
}

static bool take_raw_tsc(struct trace_options *options, const char *text)
{
    (void)text;
    options->raw_tsc = true;
    return true;
}

static bool take_instances(struct trace_options *options, const char *text)
{
    (void)text;
    options->instances = true;
    return true;
}

static bool take_long_size(struct trace_options *options, const char *text)
{
    static const char *const sizes[] = {"4", "8", NULL};
    int size = word_in(sizes, text);

    options->long_size = size == 0 ? 4 : 8;
    return size >= 0;
}

static bool take_endian(struct trace_options *options, const char *text)
{
    static const char *const orders[] = {"little", "big", NULL};
    int order = word_in(orders, text);

    options->big_endian = order == 1;
    return order >= 0;
}

static bool take_page_size(struct trace_options *options, const char *text)
{
    static const char *const sizes[] = {"4096", "8192", "16384", "32768", "65536", NULL};
    int size = word_in(sizes, text);

    options->page_size = size < 0 ? 0 : 4096u << size;
    return size >= 0;
}

/* The writer itself knows what may stand there. */
static bool take_variant(struct trace_options *options, const char *text)
{
    options->variant = text;
    return true;
}

static const struct option_of_writer {
    const char *name;
    unsigned bit;
    bool (*take)(struct trace_options *options, const char *text);
    const char *wanted;
} table[] = {
    {"compress", TRACE_OPTION_COMPRESS, take_compression, "no such method; there are none, zstd and zlib"},
    {"start-time", TRACE_OPTION_START_TIME, take_start_time,
     "not a time like 2026-01-31T12:00:00Z or @1769860800.5, from 1970 to 2200"},
    {"raw-tsc", TRACE_OPTION_RAW_TSC, take_raw_tsc, NULL},
    {"instances", TRACE_OPTION_INSTANCES, take_instances, NULL},
    {"long-size", TRACE_OPTION_LONG_SIZE, take_long_size, "a long has 4 or 8 bytes"},
    {"endian", TRACE_OPTION_ENDIAN, take_endian, "no such byte order; there are little and big"},
    {"page-size", TRACE_OPTION_PAGE_SIZE, take_page_size, "not a power of two from 4096 to 65536"},
    {"lttng", TRACE_OPTION_VARIANT, take_variant, NULL},
};

#define OPTIONS (sizeof table / sizeof table[0])

const char *options_take(struct trace_options *options, const char *name, const char *text)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(table[i].name, name) != 0)
            continue;
        options->given |= table[i].bit;
        return table[i].take(options, text) ? NULL : table[i].wanted;
    }
    return "no such option";
}

const char *options_unheeded(const struct trace_options *options, const struct trace_writer *writer)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (options->given & ~writer->takes & table[i].bit)
            return table[i].name;
    }
    return NULL;
}
