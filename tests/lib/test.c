/* test.c - implements test.h: counts tests, prints results. */
#include "test.h"

#include <stddef.h>

enum { NOTES = 10 };

static struct note {
    const char *name;
    uint32_t value;
} notes[NOTES];
static uint32_t passed, failed;
static bool has_failed;

static void print_number(uint32_t number)
{
    char text[11], *at = text + sizeof(text) - 1;
    *at = 0;
    do
        *--at = (char)('0' + number % 10u);
    while ((number /= 10u) != 0);
    test_print(at);
}

static void print_notes(void)
{
    for (struct note *note = notes; note < notes + NOTES && note->name != NULL; note++) {
        test_print(" ");
        test_print(note->name);
        test_print("=");
        print_number(note->value);
    }
    test_print("\n");
}

bool test_has_failed(void)
{
    return has_failed;
}

void test_fail(const char *file, int line, const char *what)
{
    if (has_failed)
        return;
    has_failed = true;
    test_print(file);
    test_print(":");
    print_number((uint32_t)line);
    test_print(": failed: ");
    test_print(what);
    print_notes();
}

void test_note(const char *name, uint32_t value)
{
    for (struct note *note = notes; note < notes + NOTES; note++) {
        if (note->name != NULL && note->name != name)
            continue;
        if (!has_failed)
            *note = (struct note){name, value};
        return;
    }
}

void test_run(const char *name, void (*test)(void))
{
    has_failed = false;
    for (struct note *note = notes; note < notes + NOTES; note++)
        note->name = NULL;
    test();
    *(has_failed ? &failed : &passed) += 1u;
    test_print(has_failed ? "FAIL " : "ok   ");
    test_print(name);
    print_notes();
}

int test_end(void)
{
    print_number(passed);
    test_print(" passed, ");
    print_number(failed);
    test_print(" failed\n");
    return failed != 0;
}
