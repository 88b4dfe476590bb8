/* take_tracedat.c - see take_tracedat.h. */
#include "cli/take_tracedat.h"

#include "cli/start_time.h"

enum cli_action cli_take_compress(const struct given *given)
{
    static const char *const methods[] = {
        [TRACE_COMPRESS_NONE] = "none", [TRACE_COMPRESS_ZSTD] = "zstd", [TRACE_COMPRESS_ZLIB] = "zlib", NULL};
    int method = find_word(methods, given->text);
    given->request->options.compression = (enum trace_compression)method;
    return method >= 0 ? CLI_DECODE : refuse(given);
}

enum cli_action cli_take_start_time(const struct given *given)
{
    return cli_start_time(given->text, &given->request->options.start_time) ? CLI_DECODE : refuse(given);
}

enum cli_action cli_take_raw_tsc(const struct given *given)
{
    given->request->options.raw_tsc = true;
    return CLI_DECODE;
}

enum cli_action cli_take_instances(const struct given *given)
{
    given->request->options.instances = true;
    return CLI_DECODE;
}

/* Whether there is a file for it is checked when all options are known. */
enum cli_action cli_take_session(const struct given *given)
{
    given->request->session = given->text;
    return CLI_DECODE;
}

enum cli_action cli_take_endian(const struct given *given)
{
    static const char *const orders[] = {"little", "big", NULL};
    int order = find_word(orders, given->text);
    given->request->options.big_endian = order == 1;
    return order >= 0 ? CLI_DECODE : refuse(given);
}

/* A long of the target, in bytes: trace.dat tells it, and pages have a word of that size. */
enum cli_action cli_take_long_size(const struct given *given)
{
    static const char *const sizes[] = {"4", "8", NULL};
    int size = find_word(sizes, given->text);
    given->request->options.long_size = size == 0 ? 4 : 8;
    return size >= 0 ? CLI_DECODE : refuse(given);
}

/* Bytes; the words are in the order of powers of two from 4096 on. */
enum cli_action cli_take_page_size(const struct given *given)
{
    static const char *const sizes[] = {"4096", "8192", "16384", "32768", "65536", NULL};
    int size = find_word(sizes, given->text);
    if (size < 0)
        return refuse(given);
    given->request->options.page_size = 4096u << size;
    return CLI_DECODE;
}
