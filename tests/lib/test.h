/* test.h - checks for tests that run both on the host and on the target: no libc, no allocation. */
#ifndef LIB_TEST_H
#define LIB_TEST_H

#include <stdbool.h>
#include <stdint.h>

/* If the condition is false, the test fails, and the function that contains the check returns. */
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

/* A number to print beside a failure and in the test's result line, e.g. the schedule that runs. Only the last value
 * per name is kept. */
void test_note(const char *name, uint32_t value);

void test_run(const char *name, void (*test)(void));

/* Print "N passed, N failed"; returns the exit code. */
int test_end(void);

/* Defined by lib/host.c or lib/target.c. */
void test_print(const char *text);

#endif
