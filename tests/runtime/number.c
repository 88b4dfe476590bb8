/* number.c - numbers of tasks that are known by an address: tlog_context(), with another call after any step. Host
 * only. */
#include "src/tlog_context.c" /* included as source: its table is emptied */

#include "lib/test.h"

enum { ROOM = TLOG_CONTEXTS, MOST = 3 * ROOM };

static uint32_t block[MOST]; /* control blocks: only their addresses matter */
static uint32_t number[MOST];

static void forget_all(void)
{
    for (uint32_t i = 0; i < ROOM; i++)
        numbered[i] = NULL;
}

static bool is_taken(uint32_t count, uint32_t value)
{
    while (count > 0 && number[count - 1u] != value)
        count--;
    return count > 0;
}

/* As many as there is room for have numbers of their own, and keep them when there are too many. */
static void test_numbers(void)
{
    forget_all();
    CHECK(tlog_context(NULL, "idle") == 0);
    for (uint32_t i = 0; i < ROOM; i++) {
        number[i] = tlog_context(&block[i], NULL);
        CHECK(number[i] >= 1u && number[i] <= ROOM && !is_taken(i, number[i]));
    }
    for (uint32_t i = ROOM; i < MOST; i++)
        CHECK(tlog_context(&block[i], NULL) >= 0x8000u && tlog_context(&block[i], NULL) <= 0xFFFFu);
    for (uint32_t i = 0; i < ROOM; i++)
        CHECK(tlog_context(&block[i], NULL) == number[i]);
}

/* ---- a call in the middle of a call ------------------------------------------------------------------------------ */

static uint32_t steps, stop_at, inner, inner_number;

static void interrupt(void)
{
    if (++steps != stop_at)
        return;
    inner_number = tlog_context(&block[inner], "inner");
    tlog_posix_watching = false;
}

/* An interrupt asks for the same task, or for another one, after every step of a call; so many are known before. */
static void test_interrupted(void)
{
    bool ends = false;
    for (stop_at = 1; !ends; stop_at++)
        for (uint32_t before = 0; before < ROOM; before++)
            for (inner = ROOM; inner <= ROOM + 1u; inner++) {
                forget_all();
                for (uint32_t i = 0; i < before; i++)
                    number[i] = tlog_context(&block[i], NULL);
                inner_number = 0;
                steps = 0;
                tlog_posix_interrupt = interrupt;
                uint32_t outer = tlog_context(&block[ROOM], "outer");
                tlog_posix_interrupt = NULL;
                ends = steps < stop_at;
                CHECK(ends || (outer == inner_number) == (inner == ROOM));
                CHECK(before == ROOM - 1u || ends || !is_taken(before, inner_number));
                CHECK(!is_taken(before, outer) && tlog_context(&block[ROOM], NULL) == outer);
            }
    CHECK(stop_at > 3u); /* there were steps at all */
}

int main(void)
{
    test_run("numbers of their own", test_numbers);
    test_run("a call in the middle of a call", test_interrupted);
    return test_end();
}
