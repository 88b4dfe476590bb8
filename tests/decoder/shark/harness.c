/* harness.c - see harness.h. */
#include "harness.h"
#include "model/module.h"

#include "cli/modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct trace_reader *const readers[] = {&reader_native, &reader_shark, NULL};
static char directory[] = "/tmp/test-shark-XXXXXX";
char in_path[64], out_path[64]; /* libkshark wants names that end in .dat */

/* ---- files ------------------------------------------------------------------------------------------------------- */

void save(const char *path, const void *data, size_t n)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, n, file), n);
    fclose(file);
}

void load(const char *path, struct bytes *bytes)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    bytes->n = fread(bytes->data, 1, FILE_BYTES - 1u, file);
    bytes->data[bytes->n] = '\0';
    fclose(file);
}

void add(struct bytes *bytes, uint32_t code, uint32_t par1, uint64_t ticks, uint32_t par2)
{
    const uint32_t words[4] = {par1 << 16 | code, (uint32_t)(ticks >> 32), (uint32_t)ticks, par2};

    assert_true(bytes->n + 16u < FILE_BYTES);
    for (size_t i = 0; i < 16; i++)
        bytes->data[bytes->n++] = (unsigned char)(words[i / 4] >> 8 * (i % 4));
}

void add_run(struct bytes *bytes, uint64_t from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add(bytes, 0x09, i, from + i, 0);
}

void command(const char *format, const char *argument)
{
    char line[512];

    snprintf(line, sizeof line, format, argument);
    assert_int_equal(system(line), 0);
}

const char *build(void)
{
    return getenv("BUILD") ? getenv("BUILD") : "build";
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

uint64_t clock_hz; /* of --clock-hz */
struct bytes in, out, other;

enum decode_exit decode_file(const struct trace_reader *reader, const struct trace_writer *writer,
                             enum decode_map_mode map)
{
    struct decode_request request = {.inputs = {{.path = in_path}},
                                     .ninputs = 1,
                                     .output = out_path,
                                     .readers = readers,
                                     .reader = reader,
                                     .writer = writer,
                                     .map = map,
                                     .clock_hz = clock_hz,
                                     .quiet = true};

    return decode(&request);
}

enum decode_exit convert(const struct trace_writer *writer)
{
    enum decode_exit result;

    save(in_path, in.data, in.n);
    result = decode_file(&reader_shark, writer, DECODE_MAP_NATIVE);
    out.n = 0;
    out.data[0] = '\0';
    if (result != DECODE_NOTHING)
        load(out_path, &out);
    return result;
}

size_t count_lines(const struct bytes *text, const char *with)
{
    size_t n = 0;

    for (const char *at = (const char *)text->data; (at = strstr(at, with)) != NULL; at++)
        n++;
    return n;
}

void assert_counts_up(uint64_t first, uint64_t n)
{
    const char *at = (const char *)out.data;

    for (uint64_t i = 0; i < n; i++) {
        char wanted[64];

        snprintf(wanted, sizeof wanted, " %" PRIu64 ": shark:user_event_0: ", first + i);
        at = strstr(at, wanted);
        assert_non_null(at);
    }
    assert_int_equal(count_lines(&out, "user_event_0"), n);
}

void assert_is_input(void)
{
    assert_int_equal(out.n, in.n);
    assert_memory_equal(out.data, in.data, in.n);
}

static uint64_t random_state;

uint32_t random32(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

int make_files(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(in_path, sizeof in_path, "%s/in", directory);
    snprintf(out_path, sizeof out_path, "%s/out.dat", directory);
    return 0;
}

int remove_files(void **state)
{
    (void)state;
    unlink(in_path);
    unlink(out_path);
    return rmdir(directory);
}
