/* test_names.c - names that a firmware gives to codes of records, with names, signs and bases of their parameters. */
#include "tool/message.h"
#include "events/shark_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

static struct shark_types types;
static struct trace trace;

/* The type of a code to which the firmware gives the name. */
static const struct tlog_type *type_named(uint32_t code, const char *name)
{
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    memset(&types, 0, sizeof types);
    shark_types_declare(&types, &trace);
    trace_set_name(&trace, TRACE_NAME_EVENT, code, name);
    shark_types_name(&types, &trace);
    return trace.types[shark_type(&types, code)];
}

static void check(const struct tlog_type *type, const char *name, const struct tlog_field *first,
                  const struct tlog_field *second)
{
    const struct tlog_field *field = &type->fields[type->nfields - 2u];
    uint16_t offset = (uint16_t)(type->size - 8u);
    const struct tlog_field *const expected[] = {first, second};
    assert_string_equal(type->name, name);
    for (unsigned i = 0; i < 2; i++) {
        assert_string_equal(field[i].name, expected[i]->name);
        assert_int_equal(field[i].kind, expected[i]->kind);
        assert_int_equal(field[i].offset, expected[i]->offset + offset);
        assert_int_equal(field[i].size, expected[i]->size);
    }
}

/* Codes that a table has, and those that are the user's. */
static void parameters_have_signs(void **state)
{
    static const uint32_t codes[] = {0x09, 0x0C, 0x0D, 0x0E};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        check(type_named(codes[i], "adc_sample: ch=%u mv=%d"), "adc_sample",
              &(struct tlog_field){"ch", TLOG_KIND_UNSIGNED, 0, 4}, &(struct tlog_field){"mv", TLOG_KIND_SIGNED, 4, 4});
        check(type_named(codes[i], "temp:low=%d, reg=%x"), "temp", &(struct tlog_field){"low", TLOG_KIND_SIGNED, 0, 2},
              &(struct tlog_field){"reg", TLOG_KIND_HEX, 4, 4});
        check(type_named(codes[i], "a: task=%u irq=%u"), "a", &(struct tlog_field){"task", TLOG_KIND_TASK, 0, 4},
              &(struct tlog_field){"irq", TLOG_KIND_INTERRUPT, 4, 4});
    }
}

static void what_is_not_understood_stays(void **state)
{
    static const struct tlog_field par1 = {"par1", TLOG_KIND_UNSIGNED, 0, 4}, par2 = {"par2", TLOG_KIND_UNSIGNED, 4, 4};
    static const struct tlog_field ch = {"ch", TLOG_KIND_UNSIGNED, 0, 4}, value = {"value", TLOG_KIND_UNSIGNED, 4, 4};
    (void)state;
    check(type_named(0x09, "a: ch=%u"), "a", &ch, &par2);
    check(type_named(0x09, "a: ch=%u ch=%d"), "a", &ch, &par2);
    check(type_named(0x09, "a: ch=%u mv"), "a", &ch, &par2);
    check(type_named(0x09, "a: ch mv=%d"), "a", &par1, &par2);
    check(type_named(0x09, "a:"), "a", &par1, &par2);
    check(type_named(0x09, "a: 1=%d x=5"), "a", &par1, &par2);
    check(type_named(0x09, "a(ch,value)"), "a", &ch, &value);
    check(type_named(0x09, "abcdefghijklmnopqrstuvwxyzabcdef: ch=%u valu=%u"), "abcdefghijklmnopqrstuvwxyzabcdef", &ch,
          &(struct tlog_field){"valu", TLOG_KIND_UNSIGNED, 4, 4});
}

/* Names of any characters, as long as a name may be. */
static void any_name(void **state)
{
    uint32_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        char name[64];
        size_t n = round % 60u;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            name[i] = "ab=%: ,()du"[(seed >> 8) % 11u];
        }
        name[n] = '\0';
        assert_non_null(type_named(0x0C, name));
    }
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_have_signs),
        cmocka_unit_test(what_is_not_understood_stays),
        cmocka_unit_test(any_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
