/* test_corpus.c - what a fuzzer has found, and the inputs that lead it to all parts of a reader, are decoded again:
 * corpus/READER.tar.xz. See fuzz.h.
 */
#include "fuzz.h"

#include "cli/formats.h"
#include "model/module.h"

#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define CORPUS     "tests/decoder/fuzz/corpus/"
#define INPUT_MOST (1u << 16)
#define PIECE      10240u

static void replays_corpus(void **state)
{
    static uint8_t data[INPUT_MOST];
    const struct trace_reader *module = *state;
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    char path[256];
    size_t n = 0;
    snprintf(path, sizeof path, CORPUS "%s.tar.xz", module != NULL ? module->name : "live");
    assert_int_equal(archive_read_support_filter_xz(archive), ARCHIVE_OK);
    assert_int_equal(archive_read_support_format_tar(archive), ARCHIVE_OK);
    assert_int_equal(archive_read_open_filename(archive, path, PIECE), ARCHIVE_OK);
    while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
        la_ssize_t size = archive_read_data(archive, data, sizeof data);
        assert_true(size >= 0 && size < (la_ssize_t)sizeof data);
        if (module != NULL)
            fuzz_decode(module, data, (size_t)size);
        else
            fuzz_live(data, (size_t)size);
        n++;
    }
    archive_read_free(archive);
    assert_true(n > 0);
}

int main(void)
{
    struct CMUnitTest tests[16];
    size_t n = 0;
    for (; library_readers[n] != NULL; n++)
        tests[n] =
            (struct CMUnitTest){library_readers[n]->name, replays_corpus, NULL, NULL, (void *)library_readers[n]};
    tests[n++] = (struct CMUnitTest){"live", replays_corpus, NULL, NULL, NULL};
    return _cmocka_run_group_tests("corpus", tests, n, NULL, NULL);
}
