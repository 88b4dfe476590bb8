/* test_corpus.c - what a fuzzer has found, and the inputs that lead it to all parts of a reader, are decoded again:
 * corpus/READER/. See fuzz.h.
 */
#include "fuzz.h"

#include "cli/formats.h"
#include "model/module.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CORPUS     "tests/decoder/fuzz/corpus/"
#define INPUT_MOST (1u << 16)

static void replay(const struct trace_reader *module, const char *path)
{
    static uint8_t data[INPUT_MOST];
    FILE *file = fopen(path, "rb");
    size_t size;
    assert_non_null(file);
    size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 0 && size < sizeof data);
    fuzz_decode(module, data, size);
}

static void replays_corpus(void **state)
{
    const struct trace_reader *module = *state;
    char folder[256], path[600];
    const struct dirent *entry;
    size_t n = 0;
    DIR *directory;
    snprintf(folder, sizeof folder, CORPUS "%s", module->name);
    directory = opendir(folder);
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        replay(module, path);
        n++;
    }
    closedir(directory);
    assert_true(n > 0);
}

int main(void)
{
    struct CMUnitTest tests[16];
    size_t n = 0;
    for (; cli_readers[n] != NULL; n++)
        tests[n] = (struct CMUnitTest){cli_readers[n]->name, replays_corpus, NULL, NULL, (void *)cli_readers[n]};
    return _cmocka_run_group_tests("corpus", tests, n, NULL, NULL);
}
