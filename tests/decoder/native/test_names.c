/* test_names.c - names and priorities in dumps made by hand, from target/FORMAT.md, 2.7, and what is wrong with
 * them. */
#include "harness.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* FORMAT.md has the head of the name of task 15, "UART". */
enum { UART = 0x54524155, SECOND = 0x500 };

/* Of the words of a fact, three for each slot. The value of a priority counts as 0. */
static uint32_t check_of(uint32_t kind, const uint32_t *word, uint32_t n)
{
    uint32_t sum = kind + n / 3u * 256u;
    for (uint32_t i = 0; i < n; i++) {
        sum = (sum ^ word[i]) * 0x9E3779B1u;
        sum = sum << 15 | sum >> 17;
    }
    return (sum & 0x7FFFu) << 16;
}

/* Write a name: the words of its text, of which the second one stands in the second slot. */
static void set_name(struct bytes chunk, uint32_t slot, uint32_t head, uint32_t id, const uint32_t text[2])
{
    const uint32_t words[] = {id, 0, text[0], text[1], 0, 0};
    set_words(chunk, slot, (head | 1u << 31) + check_of(head & 0xFFu, words, 6), 0, text[0], id);
    set_words(chunk, slot + 1u, SECOND, 0, 0, text[1]);
}

static uint32_t value_of(uint32_t priority)
{
    return priority | ((priority * 0x9E3779B1u) & 0xFF000000u);
}

/* A chunk of facts with a name, a place that is being written, and the priority of context 7, which is 9. */
static struct bytes names_chunk(void)
{
    const uint32_t priority[] = {7, 0, 0}, text[] = {UART, 0};
    struct bytes chunk = empty_chunk(6);
    put32(chunk.data + CHUNK_PLACE, get32(chunk.data + CHUNK_PLACE) | 1u << 16);
    put32(chunk.data + CHUNK_SELF, get32(chunk.data + CHUNK_SELF) + 0x1000u);
    fix_header(chunk.data);
    set_cursor(chunk, 1, 5);
    set_name(chunk, 1, 0x501, 15, text);
    set_words(chunk, 3, 0x12340701, 0x58585858, 0, 16);
    set_words(chunk, 4, 0x580 + check_of(128, priority, 3), value_of(9), 0, 7);
    set_name(chunk, 5, 0x501, 15, text);
    return chunk;
}

static void names_and_what_is_being_written(void **state)
{
    struct bytes chunk = names_chunk();
    struct decoded decoded;
    (void)state;
    decode_bytes(&decoded, chunk);
    assert_string_equal(trace_name(&decoded.trace, TRACE_NAME_TASK, 15), "UART");
    assert_null(trace_name(&decoded.trace, TRACE_NAME_TASK, 16));
    assert_int_equal(decoded.trace.counts.gaps, 1); /* there are names, but no ring */
    assert_int_equal(decoded.trace.npriorities, 1);
    assert_int_equal(decoded.trace.priorities[0].priority, 9);
    decoded_free(&decoded);
    for (uint32_t bit = 0; bit < 96u; bit++) { /* a torn fact is never a name */
        chunk.data[HEADER + bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        decode_bytes(&decoded, chunk);
        assert_null(trace_name(&decoded.trace, TRACE_NAME_TASK, 15));
        assert_int_equal(decoded.trace.counts.gaps, 2);
        decoded_free(&decoded);
        chunk.data[HEADER + bit / 8u] ^= (unsigned char)(1u << bit % 8u);
    }
    bytes_free(&chunk);
}

/* A call may be broken off by the dump that seals the chunk: a place that is being written is no damage. */
static void what_is_being_written_under_a_seal(void **state)
{
    struct bytes chunk = names_chunk();
    struct decoded decoded;
    (void)state;
    fix_seal(chunk.data);
    decode_bytes(&decoded, chunk);
    assert_string_equal(trace_name(&decoded.trace, TRACE_NAME_TASK, 15), "UART");
    assert_null(trace_name(&decoded.trace, TRACE_NAME_TASK, 16));
    assert_int_equal(decoded.trace.counts.gaps, 1); /* there are names, but no ring */
    decoded_free(&decoded);
    bytes_free(&chunk);
}

/* Objects of all kinds, by their addresses; FORMAT.md has no names of kind 23. */
static void names_of_objects(void **state)
{
    const uint32_t text[] = {UART, 0};
    struct bytes chunk = empty_chunk(46);
    struct decoded decoded;
    (void)state;
    put32(chunk.data + CHUNK_PLACE, get32(chunk.data + CHUNK_PLACE) | 1u << 16);
    fix_header(chunk.data);
    set_cursor(chunk, 1, 47);
    for (uint32_t kind = 1; kind <= 23; kind++)
        set_name(chunk, 2u * kind - 1u, 0x500 + kind, kind < 5 ? kind : 0x20001000 + kind, text);
    decode_bytes(&decoded, chunk);
    assert_int_equal(decoded.trace.counts.gaps, 1); /* there are names, but no ring */
    for (uint32_t kind = 1; kind <= 22; kind++)
        assert_string_equal(
            trace_name(&decoded.trace, (enum trace_name_kind)(kind - 1u), kind < 5 ? kind : 0x20001000 + kind), "UART");
    assert_int_equal(TRACE_NAME_KINDS, 22);
    decoded_free(&decoded);
    bytes_free(&chunk);
}

/* The first change that is left tells the priority ahead of it. */
static void priorities_before_the_first_change(void **state)
{
    struct bytes facts = names_chunk(), events = empty_chunk(2), dump;
    struct decoded decoded;
    (void)state;
    set_cursor(events, 1, 3);
    set_words(events, 1, 7u << 16 | 0x105, 0, 10, 0x8005FFFE); /* from 5 to -2 */
    set_words(events, 2, 7u << 16 | 0x105, 0, 20, 0x7FFE0009); /* from -2 to 9 */
    dump = join(events, facts);
    decode_bytes(&decoded, dump);
    assert_int_equal(decoded.trace.npriorities, 1);
    assert_int_equal(decoded.trace.priorities[0].task, 7);
    assert_int_equal(decoded.trace.priorities[0].priority, 5);
    assert_int_equal(decoded.list.item[0].par2, 0xFFFFFFFE);
    assert_int_equal(decoded.list.item[1].par2, 9);
    decoded_free(&decoded);
    bytes_free(&dump);
    bytes_free(&events);
    bytes_free(&facts);
}

enum { LOWEST_0 = 0x65776F6C, LOWEST_1 = 0x7473, HIGHEST_0 = 0x68676968, HIGHEST_1 = 0x00747365 };

/* The order of priorities: "lowest" and "highest" tell it, other texts nothing, nor does a fact that is being written,
 * that has another id, or whose check is wrong. Of two facts that of the lower CPU counts. */
static void the_order_of_priorities(void **state)
{
    static const struct {
        uint32_t head, id, text[2], flipped; /* bits of the text that are damaged */
        enum trace_priority_order order;
    } cases[] = {
        {0x520, 0, {LOWEST_0, LOWEST_1}, 0, TRACE_LOWEST_FIRST},
        {0x520, 0, {HIGHEST_0, HIGHEST_1}, 0, TRACE_HIGHEST_FIRST},
        {0x520, 0, {HIGHEST_0, HIGHEST_1 | 0x21000000}, 0, TRACE_ORDER_UNKNOWN}, /* highest! */
        {0x520, 0, {LOWEST_0, 0}, 0, TRACE_ORDER_UNKNOWN},                       /* lowe */
        {0x520, 0, {0, 0}, 0, TRACE_ORDER_UNKNOWN},
        {0x520, 1, {LOWEST_0, LOWEST_1}, 0, TRACE_ORDER_UNKNOWN},
        {0x720, 0, {LOWEST_0, LOWEST_1}, 0, TRACE_ORDER_UNKNOWN},
        {0x520, 0, {LOWEST_0 ^ 1u, LOWEST_1}, 1, TRACE_ORDER_UNKNOWN},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t *text = cases[i].text, lowest[] = {LOWEST_0, LOWEST_1};
        struct bytes facts = names_chunk(), other = names_chunk(), dump;
        struct decoded decoded;
        put32(other.data + CHUNK_PLACE, get32(other.data + CHUNK_PLACE) | 1u); /* CPU 1 */
        put32(other.data + CHUNK_SELF, get32(other.data + CHUNK_SELF) + 0x1000u);
        fix_header(other.data);
        set_name(facts, 1, cases[i].head, cases[i].id, text);
        facts.data[HEADER + 8] ^= (unsigned char)cases[i].flipped;
        decode_bytes(&decoded, facts);
        assert_int_equal(decoded.trace.priority_order, cases[i].order);
        decoded_free(&decoded);
        set_name(other, 1, 0x520, 0, lowest);
        dump = join(facts, other);
        decode_bytes(&decoded, dump);
        assert_int_equal(decoded.trace.priority_order,
                         cases[i].order != TRACE_ORDER_UNKNOWN ? cases[i].order : TRACE_LOWEST_FIRST);
        decoded_free(&decoded);
        bytes_free(&dump);
        bytes_free(&other);
        bytes_free(&facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_what_is_being_written),
        cmocka_unit_test(what_is_being_written_under_a_seal),
        cmocka_unit_test(names_of_objects),
        cmocka_unit_test(priorities_before_the_first_change),
        cmocka_unit_test(the_order_of_priorities),
    };
    return cmocka_run_group_tests_name("native reader, names", tests, NULL, NULL);
}
