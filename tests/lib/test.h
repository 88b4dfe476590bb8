/* test.h - checks for tests that run on the host and on the target alike: no libc, no allocation. */
#ifndef LIB_TEST_H
#define LIB_TEST_H

#include <stdbool.h>
#include <stdint.h>

/* Stops at the first failed check of a test, by returning from the function it stands in. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            test_fail(__FILE__, __LINE__, #condition);                                                                 \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

/* True once a check of the running test has failed. */
bool test_has_failed(void);

void test_fail(const char *file, int line, const char *what);

/* A number to print beside a failure and in the test's line, e.g. the schedule in work. */
void test_note(const char *name, uint32_t value);

void test_run(const char *name, void (*test)(void));

/* Print "N passed, N failed"; the exit code. */
int test_end(void);

/* Given by lib/host.c or lib/target.c. */
void test_print(const char *text);

#endif
