/* test_heap.c - lists that grow: every element stays what it was, there is always room for one more, and where memory
 * ends the list stays as it was. */
#include "base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void a_list_grows(void **state)
{
    enum { ELEMENTS = 5000 };
    uint32_t *list = NULL;
    size_t room = 0, moves = 0;
    (void)state;
    for (size_t n = 0; n < ELEMENTS; n++) {
        size_t before = room;
        list = heap_grow(list, n, &room, sizeof *list);
        assert_non_null(list);
        assert_true(room > n);
        moves += room != before;
        list[n] = (uint32_t)n * 7u;
    }
    for (size_t n = 0; n < ELEMENTS; n++)
        assert_int_equal(list[n], n * 7u);
    assert_int_equal(moves, 10); /* 16, 32 ... 8192 */
    heap_free(list);
}

static void a_list_stays_when_memory_ends(void **state)
{
    struct heap_account account = {.most = 4096}, *before = heap_use(&account);
    uint64_t *list = NULL, *more;
    size_t room = 0, n = 0;
    (void)state;
    while ((more = heap_grow(list, n, &room, sizeof *list)) != NULL) {
        list = more;
        list[n] = ~(uint64_t)n;
        n++;
    }
    assert_true(account.refused);
    assert_int_equal(n, room);
    assert_true(n >= 128);
    for (size_t i = 0; i < n; i++)
        assert_true(list[i] == ~(uint64_t)i);
    heap_free(list);
    heap_use(before);
    assert_int_equal(account.used, 0);
}

static void sizes_that_no_memory_has_are_refused(void **state)
{
    size_t room = SIZE_MAX / 16u;
    (void)state;
    assert_null(heap_grow(NULL, room, &room, 16));
    assert_int_equal(room, SIZE_MAX / 16u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_grows),
        cmocka_unit_test(a_list_stays_when_memory_ends),
        cmocka_unit_test(sizes_that_no_memory_has_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
