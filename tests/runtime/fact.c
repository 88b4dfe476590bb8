/* fact.c - facts: names and priorities that stay true until they are changed. Host only.
 *
 * The memory is read as target/FORMAT.md says, at rest and after every step of every call, with another call in between
 * that ends, is stopped for ever, or goes on later. No reader may ever see a name that nobody gave, or two of one
 * thing. */
#define _DEFAULT_SOURCE
/* Included as source: their state is reset. One of them is empty. */
#include "src/tlog_minimal_name.c"
#include "src/tlog_name.c"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/test.h"
#include "lib/threads.h"
#include "lib/tier.h"

/* TEXT: where the text of a name begins in its data; FIRST: bytes of it in two slots. */
enum { MOST = 64, ID_BYTES = sizeof(uintptr_t), TEXT = ID_BYTES + 4, FIRST = 24 - TEXT, SOME = 0x77000001 };

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

static struct tlog_cpu fresh, fresh_names;

#if TLOG_MINIMAL
#define version tickets
static uint32_t links[1], hands[1], promised;
#endif

/* Noise behind the cursor is as good as empty slots. */
static void reset(void)
{
    const uint32_t bytes = (uint32_t)((uintptr_t)__stop_tlog_chunks - (uintptr_t)__start_tlog_chunks);
    memset(__start_tlog_chunks, 0, bytes);
    tlog_cpu0 = fresh;
    names[0] = fresh_names;
    version = 32760; /* tickets have 15 bits: they begin again soon */
    memset(links, 0, sizeof links);
    hands[0] = promised = 0;
    tlog_ring_boot = 0;
    tlog_start();
    open_here(0);
    uint32_t *slot = &tlog_ring_first(&names[0])->cursor + 4;
    for (uint32_t i = 0; i < TLOG_NAME_SLOTS * 4u; i++)
        if (i % 4u != 3u)
            slot[i] = i * 2654435761u;
}

#include "runtime/fact_read.h"

/* ---- one call after the other ------------------------------------------------------------------------------------ */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGH";

static void test_sizes(void)
{
    for (uint32_t length = 0; length <= 34u; length++) {
        char kept[40];
        uint32_t cut = length < 31u ? length : 31u, slots = 2;
        reset();
        snprintf(kept, sizeof kept, "%.*s", (int)cut, letters + 34u - length);
        tlog_name(TLOG_NAME_TASK, SOME, letters + 34u - length);
        for (; FIRST + 12u * (slots - 2u) < cut; slots++)
            ;
        test_note("length", length);
        CHECK(is_named(SOME, kept) && count == 1 && used_slots() == slots && lost() == 0);
    }
}

static void test_in_place(void)
{
    reset();
    tlog_name(TLOG_NAME_TASK, 1, "first name");
    tlog_name(TLOG_NAME_INTERRUPT, 1, "irq");
    const uint32_t used = used_slots();
    for (uint32_t i = 0; i < 100000u; i += tier_step(19))
        tlog_name(TLOG_NAME_TASK, 1, i & 1u ? "other name" : "first name");
    CHECK(is_named(1, "other name") && used_slots() == used && count == 2);
    static uint32_t before[TLOG_NAME_WORDS];
    memcpy(before, tlog_ring_first(&names[0]), sizeof before);
    tlog_name(TLOG_NAME_TASK, 1, "other name"); /* nothing changes */
    CHECK(memcmp(before, tlog_ring_first(&names[0]), sizeof before) == 0);
    tlog_name(TLOG_NAME_TASK, 1, "x");
    CHECK(is_named(1, "x") && used_slots() == used);
    tlog_name(TLOG_NAME_TASK, 1, "");
    CHECK(is_named(1, "") && used_slots() == used);
}

/* Things that stay have names of all lengths in turn: what they outgrow is used again. */
static void test_no_leak(void)
{
    uint32_t lengths[4] = {0}, random = 1;
    reset();
    for (uint32_t i = 0; i < 100000u; i += tier_step(19)) {
        random = random * 1664525u + 1013904223u;
        const uint32_t id = random >> 29 & 3u, length = (random >> 16) % 32u;
        lengths[id] = length;
        tlog_name(TLOG_NAME_TASK, id, letters + 34u - length - 3u + 3u);
        test_note("call", i);
        CHECK(lost() == 0);
    }
    for (uint32_t id = 0; id < 4u; id++)
        CHECK(is_named(id, letters + 34u - lengths[id]));
}

/* Things come and go for ever, each with a number of its own. */
static void test_forget(void)
{
    reset();
    for (uint32_t id = 1; id < 20000u; id += tier_step(11)) {
        char text[40];
        snprintf(text, sizeof text, "%.*s%u", (int)(id % 20u), letters, (unsigned)id);
        tlog_name(TLOG_NAME_TASK, id, text);
        tlog_priority(id, 5);
        CHECK(is_named(id, text) && find_fact(TLOG_FACT_PRIORITY, id) != NULL && lost() == 0);
        tlog_forget(TLOG_NAME_TASK, id);
        CHECK(is_named(id, text) && find_fact(TLOG_NAME_TASK, id)->is_released
              && find_fact(TLOG_FACT_PRIORITY, id)->is_released);
    }
    tlog_name(TLOG_NAME_TASK, 19999, "again");
    CHECK(is_named(19999, "again") && !find_fact(TLOG_NAME_TASK, 19999)->is_released);
}

/* A number that is given again: the names of the past stay, each with the time when it ended, until their room is
 * needed. Those that were released first go first, and are counted. */
static void test_past(void)
{
    uint32_t ended[5] = {0}, found = 0;
    reset();
    for (uint32_t i = 0; i < 5u; i++) {
        char text[2] = {(char)('a' + i), '\0'};
        tlog_name(TLOG_NAME_TASK, 7, text);
        CHECK(is_named(7, text) && !find_fact(TLOG_NAME_TASK, 7)->is_released);
        tlog_posix_clock += 1000u;
        ended[i] = tlog_posix_clock;
        tlog_forget(TLOG_NAME_TASK, 7);
    }
    read_all();
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = (uint32_t)facts[i].text[0] - 'a';
        CHECK(facts[i].is_released && number < 5u && facts[i].low - ended[number] < 500u && facts[i].high == 0);
        found |= 1u << number;
    }
    CHECK(found == 31u && tlog_ring_first(&names[0])->extra == 0);
    for (uint32_t id = 100; tlog_ring_first(&names[0])->extra == 0; id++)
        tlog_name(TLOG_NAME_TASK, id, "x");
    read_all();
    for (found = 0; found < count && facts[found].text[0] != 'a'; found++)
        ;
    CHECK(broken == 0 && lost() == 0 && found == count);
}

/* Behind a short name may stand memory that nobody may read. */
static void test_end_of_memory(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2u * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && mprotect(memory + page, page, PROT_NONE) == 0);
    if (test_has_failed())
        return;
    memcpy(memory + page - 4u, "abc", 4u);
    reset();
    tlog_name(TLOG_NAME_TASK, 1, memory + page - 4u);
    CHECK(is_named(1, "abc"));
    munmap(memory, 2u * page);
}

static void test_no_room(void)
{
    uint32_t named = 0;
    reset();
    while (lost() == 0)
        tlog_name(TLOG_NAME_TASK, ++named, "abc");
    CHECK(named == TLOG_NAME_SLOTS / 2u + 1u);
    tlog_name(TLOG_NAME_TASK, 9999, "abc");
    CHECK(lost() == 2u && !is_named(named, "abc") && count == TLOG_NAME_SLOTS / 2u);
    tlog_name(TLOG_NAME_TASK, 3, letters); /* cut, so that the name is still a true one */
    char cut[40] = "";
    memcpy(cut, letters, FIRST);
    CHECK(is_named(3, cut) && lost() == 2u);
    if (TLOG_MINIMAL)
        return;
    tlog_name(0, 1, "no kind");
    tlog_name(TLOG_FACT_PRIORITY, 1, "no name");
    CHECK(lost() == 4u);
}

/* A name is cut behind a whole character of UTF-8, wherever it is cut; bytes that are none do no harm. */
static void test_characters(void)
{
    static const char *const character[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x80", "\xFF"};
    for (uint32_t i = 0; i < 5u; i++)
        for (uint32_t length = 0; length <= 31u; length++) {
            char text[80], kept[80];
            snprintf(text, sizeof text, "%.*s%s%s%s", (int)length, letters, character[i], character[i], letters);
            uint32_t end = 31;
            for (uint32_t at = length; i < 3u && at < 31u; at += (uint32_t)strlen(character[i]))
                if (at < length + 2u * strlen(character[i]) && at + strlen(character[i]) > 31u)
                    end = at;
            snprintf(kept, sizeof kept, "%.*s", (int)end, text);
            reset();
            tlog_name(TLOG_NAME_TASK, 1, text);
            test_note("character", i);
            test_note("length", length);
            read_all();
            CHECK(broken == 0 && lost() == 0 && count == 1);
            CHECK(i >= 3u || is_named(1, kept));
        }
}

/* ---- priorities -------------------------------------------------------------------------------------------------- */

static uint32_t last_record(uint32_t back, uint32_t *head)
{
    const struct tlog_chunk *chunk = tlog_ring_first(&tlog_cpu0);
    const uint32_t *slot = &chunk->cursor + ((chunk->cursor >> 16) - 1u - back) * 4u;
    *head = slot[3];
    return slot[0];
}

static void test_priority(void)
{
    uint32_t head;
    reset();
    tlog_priority(7, 5);
    CHECK(last_record(0, &head) == 5u && head == 0x00070105u);
    tlog_priority(7, -2);
    CHECK(last_record(0, &head) == 0x8005FFFEu && head == 0x00070105u);
    tlog_priority(7, 32767);
    CHECK(last_record(0, &head) == 0x7FFE7FFEu);
    tlog_priority(7, -40000);
    CHECK(last_record(0, &head) == 0xFFFE8002u);
    tlog_priority(7, 1);
    CHECK(last_record(0, &head) == 0x00020001u);
    const uint32_t cursor = tlog_ring_first(&tlog_cpu0)->cursor;
    tlog_priority(7, 1); /* no change */
    CHECK(tlog_ring_first(&tlog_cpu0)->cursor == cursor);
    read_all();
    CHECK(broken == 0 && count == 1 && facts[0].kind == 128u && facts[0].id == 7u && facts[0].value == 1);
    for (uint32_t context = 100; lost() == 0; context++)
        tlog_priority(context, 1);
    tlog_priority(8, 3); /* no room to keep it */
    CHECK(last_record(0, &head) == 3u && head == 0x00080105u && lost() == 2u);
}

/* ---- calls that are stopped -------------------------------------------------------------------------------------- */

/* What thread 0 does, which is stopped in the middle, and thread 1 meanwhile. */
static const struct pair {
    const char *before;   /* name of task 1; NULL: it has none */
    const char *names[2]; /* that thread 0 and thread 1 give */
    uint32_t ids[2];
    bool is_full; /* the chunk has room only in places of released names, side by side */
} pairs[] = {
    {"before", {"thread 0", "thread 1"}, {1, 1}, false}, /* in place */
    {NULL, {"t0 comes", "t1 comes"}, {1, 1}, false},     /* both make a place */
    {"before", {"t0 moves", "t1 comes"}, {1, 2}, false}, /* two things */
    {NULL, {"t0 comes", "t1 comes"}, {1, 2}, false},
#if !TLOG_MINIMAL
    {"b", {"thread 0 outgrows", "thread 1 outgrows"}, {1, 1}, false}, /* both move it; and to places of two sizes */
    {"b", {"thread 0 outgrows all of it, far", "t1 outgrows"}, {1, 1}, false},
    {"b", {"thread 0 outgrows", "t1"}, {1, 1}, false}, /* one moves it */
    {"b", {"thread 0 outgrows", "t1"}, {1, 1}, true},
    {NULL, {"thread 0 comes", "t1 comes, with a long name"}, {1, 2}, true}, /* they join places, and divide them */
#endif
};
static const struct pair *pair;
/* What thread 1 does: it names; or changes a priority, or forgets task 1, instead. */
static enum { NAMES, PRIORITY, FORGETS, MODES } mode;

static void call(int number)
{
    if (mode == PRIORITY && number == 1)
        tlog_priority(1, 9);
    else if (mode == FORGETS && number == 1)
        tlog_forget(TLOG_NAME_TASK, 1);
    else
        tlog_name(TLOG_NAME_TASK, pair->ids[number], pair->names[number]);
    turns[number].has_ended = true;
}

/* No slots are left behind the cursor. Side by side are places of two slots, of three and of two, all released. */
static void fill(void)
{
    static const char *const texts[] = {"a", "it takes three slots", "b", "stay", "a place that is free then"};
    for (uint32_t i = 0; i < 5u; i++)
        tlog_name(TLOG_NAME_TASK, 20u + i, texts[i]);
    for (uint32_t id = 30; used_slots() < TLOG_NAME_SLOTS; id++)
        if (used_slots() + 1u == TLOG_NAME_SLOTS)
            tlog_priority(id, 1);
        else
            tlog_name(TLOG_NAME_TASK, id, "x");
    for (uint32_t i = 0; i < 5u; i++)
        if (i != 3u)
            tlog_forget(TLOG_NAME_TASK, 20u + i);
}

static void begin(void)
{
    reset();
    tlog_name(TLOG_NAME_TASK, 5, "other");
    tlog_name(TLOG_NAME_TASK, 6, "a place that is free then");
    tlog_priority(1, 4);
    tlog_forget(TLOG_NAME_TASK, 6);
    if (pair->before != NULL)
        tlog_name(TLOG_NAME_TASK, 1, pair->before);
    if (pair->is_full)
        fill();
    for (uint32_t i = 0; i < 2u; i++)
        turn_begin(i, call);
}

static bool is_text(const struct read *fact, const char *text)
{
    return text != NULL && strncmp(fact->text, text, 31) == 0
           && strlen(fact->text) == (strlen(text) > 31 ? 31 : strlen(text));
}

/* At any moment: what can be read is true, or was until a call began that has not ended. */
static void check_read(void)
{
    read_all();
    const struct read *other = find_fact(TLOG_NAME_TASK, 5), *priority = find_fact(TLOG_FACT_PRIORITY, 1);
    CHECK(broken == 0 && other != NULL && other->is_valid && is_text(other, "other"));
    if (priority == NULL)
        CHECK(mode == FORGETS); /* it was released, and its room is used */
    else
        CHECK(!priority->is_valid || priority->value == 4 || (mode == PRIORITY && priority->value == 9));
    for (uint32_t id = 1; id <= 2u; id++) {
        const struct read *fact = find_fact(TLOG_NAME_TASK, id);
        bool is_known = fact == NULL || !fact->is_valid || (id == 1 && is_text(fact, pair->before));
        for (uint32_t i = 0; i < 2u && !is_known; i++)
            is_known = pair->ids[i] == id && is_text(fact, pair->names[i]);
        CHECK(is_known && broken == 0);
    }
    CHECK(lost() == 0);
}

/* Both calls have returned. */
static void check_end(void)
{
    check_read();
    for (uint32_t i = 0; i < 2u; i++) {
        const struct read *fact = find_fact(TLOG_NAME_TASK, pair->ids[i]);
        if (mode == FORGETS && i == 1)
            continue;
        if (mode == PRIORITY && i == 1)
            CHECK(find_fact(TLOG_FACT_PRIORITY, 1)->is_valid && find_fact(TLOG_FACT_PRIORITY, 1)->value == 9);
        else
            CHECK(fact != NULL && fact->is_valid
                  && (is_text(fact, pair->names[i])
                      || (mode == NAMES && pair->ids[0] == pair->ids[1] && is_text(fact, pair->names[1u - i]))));
    }
}

/* Whether all facts are whole that are there: none is being written. */
static bool are_whole(void)
{
    read_all();
    for (uint32_t i = 0; i < count; i++)
        if (!facts[i].is_valid && facts[i].kind < 128u)
            return false;
    return broken == 0;
}

/* A call has ended while another one was stopped for ever: that one's name is told, or the one before is. */
static void check_helped(void)
{
    CHECK(are_whole());
    const struct read *fact = find_fact(TLOG_NAME_TASK, 1);
    CHECK(pair->before == NULL || (fact != NULL && fact->is_valid));
}

static const char *const repair = TLOG_MINIMAL ? "repaired" : "repaired by another call";

/* Thread 0 is stopped after `first` steps, thread 1 after `second`. */
static void try_stop(uint32_t first, uint32_t second)
{
    test_note("first", first);
    test_note("second", second);
    begin();
    run(0, first);
    check_read();
    run(1, second);
    check_read();
    if (!TLOG_MINIMAL && turns[1].has_ended && mode != PRIORITY)
        check_helped();
    if (test_has_failed())
        return;
    tlog_name(TLOG_NAME_TASK, 1, repair);
    tlog_name(TLOG_NAME_TASK, 2, "2nd");
    tlog_priority(1, 4);
    CHECK(is_named(1, repair) && is_named(2, "2nd"));
    CHECK(find_fact(TLOG_FACT_PRIORITY, 1)->is_valid && find_fact(TLOG_FACT_PRIORITY, 1)->value == 4);
    const uint32_t at = free_slots;
    read_all();
    CHECK(at == free_slots && lost() == 0);
    begin();
    run(0, first);
    run(1, second);
    run(0, FOREVER);
    check_read();
    run(1, FOREVER);
    check_end();
}

static void try_pair(void)
{
    for (uint32_t first = 0; first < 2u || !turns[0].has_ended; first++) {
        for (uint32_t second = 0;; second++) {
            try_stop(first, second);
            begin();
            run(0, first);
            run(1, second);
            if (test_has_failed() || turns[1].has_ended)
                break;
        }
        if (test_has_failed())
            return;
        begin();
        run(0, first);
    }
}

static void test_stops(void)
{
    tlog_posix_interrupt = preempt;
    for (uint32_t i = 0; i < MODES * sizeof(pairs) / sizeof(pairs[0]) && !test_has_failed(); i++) {
        pair = &pairs[i / MODES];
        mode = i % MODES;
        test_note("pair", i);
        try_pair();
    }
    tlog_posix_interrupt = NULL;
}

static void forget(int number)
{
    tlog_forget(TLOG_NAME_TASK, 1);
    turns[number].has_ended = true;
}

static uint32_t names_of_task_1(void)
{
    uint32_t names_found = 0;
    for (uint32_t i = 0; i < count; i++)
        names_found += facts[i].kind == TLOG_NAME_TASK && facts[i].id == 1 && facts[i].is_valid;
    return names_found;
}

/* A call that releases a name is stopped for ever after any step. If the name is one of the past by then, the next name
 * of that task does not take its place. */
static void test_stopped_release(void)
{
    tlog_posix_interrupt = preempt;
    turns[0].has_ended = false;
    for (uint32_t steps = 1; !turns[0].has_ended && !test_has_failed(); steps++) {
        reset();
        tlog_name(TLOG_NAME_TASK, 1, "before");
        turn_begin(0, forget);
        run(0, steps);
        read_all();
        const struct read *fact = find_fact(TLOG_NAME_TASK, 1);
        const bool was_released = fact != NULL && fact->is_valid && fact->is_released;
        tlog_name(TLOG_NAME_TASK, 1, "behind");
        test_note("steps", steps);
        CHECK(is_named(1, "behind") && are_whole() && names_of_task_1() >= 1u + was_released);
    }
    tlog_posix_interrupt = NULL;
}

/* ---- storms ------------------------------------------------------------------------------------------------------ */

static struct {
    uint32_t gap, steps, calls; /* steps from one interrupt to the next; those made; calls of the interrupts */
    bool is_inside;
} storm;

/* An interrupt that names other things. */
static void storm_strikes(void)
{
    if (storm.is_inside || ++storm.steps % storm.gap != 0)
        return;
    storm.is_inside = true;
    tlog_name(TLOG_NAME_TASK, 100u + storm.calls % 3u, storm.calls % 2u != 0 ? "storm" : "of names");
    storm.calls++;
    storm.is_inside = false;
    tlog_posix_watching = false;
}

/* Give task 1 another name while interrupts name others, `gap` steps apart. The name is told; or the one before is, and
 * a name was counted as lost. */
static void try_storm(const char *before, const char *text)
{
    reset();
    tlog_name(TLOG_NAME_TASK, 1, before);
    tlog_posix_interrupt = storm_strikes;
    tlog_name(TLOG_NAME_TASK, 1, text);
    tlog_posix_interrupt = NULL;
    CHECK(are_whole() && is_named(1, lost() == 0 ? text : before) && lost() <= 1u);
}

static void test_storm(void)
{
    uint32_t dropped = 0;
    for (storm.gap = 8; storm.gap < 300u && !test_has_failed(); storm.gap++) {
        test_note("steps from one interrupt to the next", storm.gap);
        try_storm("before", "behind");
        dropped += lost();
        if (!TLOG_MINIMAL)
            try_storm("b", "it outgrows the place");
        dropped += lost();
    }
    CHECK(TLOG_MINIMAL || dropped > 0);
}

int main(void)
{
    fresh = tlog_cpu0;
    fresh_names = names[0];
    test_run("a name takes as few slots as it can", test_sizes);
    test_run("a name is replaced where it stands", test_in_place);
    if (!TLOG_MINIMAL) {
        test_run("names that grow and shrink leave no slots behind", test_no_leak);
        test_run("things that come and go leave no slots behind", test_forget);
        test_run("names of the past stay while there is room", test_past);
    }
    test_run("names that find no room are counted", test_no_room);
    test_run("a name is cut behind a whole character", test_characters);
    test_run("no byte behind a name is read", test_end_of_memory);
    test_run("a priority is logged with the one before", test_priority);
    test_run("a call stopped after any step", test_stops);
    if (!TLOG_MINIMAL)
        test_run("a release stopped after any step", test_stopped_release);
    test_run("a name is told or counted in a storm of names", test_storm);
    return test_end();
}
