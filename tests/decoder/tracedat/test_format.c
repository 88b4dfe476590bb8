/* test_format.c - what the reader of trace.dat files makes of the format of an event: its fields, its print format, and
 * the arguments of trace_printk(). What must come out is written by hand, from the kernel's format files and its
 * printf(). */
#include "base/heap.h"
#include "formats/tracedat/read/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "name: e\nID: 9\nformat:\n"
                           "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                           "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* Each row: declaration and size of a field at offset 8, and the shape and count that it must have. */
static const struct {
    const char *declaration;
    uint32_t size;
    enum tracedat_shape shape;
    uint32_t count;
} shapes[] = {
    {"int a", 4, TRACEDAT_SCALAR, 0},
    {"unsigned long long a", 8, TRACEDAT_SCALAR, 0},
    {"struct task_struct * a", 8, TRACEDAT_SCALAR, 0},
    {"struct pair a", 8, TRACEDAT_HEX, 0},
    {"some_t a", 3, TRACEDAT_HEX, 0},
    {"char a[16]", 16, TRACEDAT_CHARS, 0},
    {"char a[]", 0, TRACEDAT_FLEXIBLE, 0},
    {"unsigned long a[]", 0, TRACEDAT_FLEXIBLE_HEX, 0},
    {"u16 a[4]", 8, TRACEDAT_ARRAY, 4},
    {"unsigned int a[4]", 16, TRACEDAT_ARRAY, 4},
    {"unsigned long a[6]", 48, TRACEDAT_ARRAY, 6},
    {"unsigned long a[17]", 136, TRACEDAT_HEX, 0},
    {"char a", 0, TRACEDAT_FLEXIBLE, 0},    /* as kernels before 5.x declare it */
    {"u32 a", 0, TRACEDAT_FLEXIBLE_HEX, 0}, /* the same */
    {"unsigned char a[6]", 6, TRACEDAT_BYTES, 0},
    {"u8 a[40]", 40, TRACEDAT_BYTES, 0},
    {"const char * a[2]", 16, TRACEDAT_ARRAY, 2},
    {"__data_loc char[] a", 4, TRACEDAT_DATA_LOC, 0},
    {"__data_loc unsigned long[] a", 4, TRACEDAT_DATA_LOC_HEX, 0},
    {"__rel_loc char[] a", 4, TRACEDAT_REL_LOC, 0},
    {"__rel_loc u8[] a", 4, TRACEDAT_REL_LOC_HEX, 0},
};

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        static struct tracedat_format format;
        char text[1024];
        snprintf(text, sizeof text, "%s\tfield:%s;\toffset:8;\tsize:%u;\tsigned:0;\n\nprint fmt: \"\"\n", head,
                 shapes[i].declaration, (unsigned)shapes[i].size);
        assert_true(tracedat_format_parse(&format, text, 8, NULL));
        assert_int_equal(format.nfields, 1);
        assert_string_equal(format.field[0].name, "a");
        if (format.field[0].shape != shapes[i].shape || format.field[0].count != shapes[i].count)
            fail_msg("%s: shape %d of %u", shapes[i].declaration, format.field[0].shape,
                     (unsigned)format.field[0].count);
        tracedat_format_free(&format);
    }
}

/* Formats that make no sense. */
static const char *const bad_fields[] = {
    "\tfield:int a;\toffset:4;\tsize:4;\tsigned:1;\n",               /* where the common pid is */
    "\tfield:__data_loc char a;\toffset:8;\tsize:0;\tsigned:1;\n",   /* no bytes */
    "\tfield:int a;\toffset:8;\tsize:999999999999;\tsigned:1;\n",    /* too many */
    "\tfield:int a;\toffset:4294967290;\tsize:4;\tsigned:1;\n",      /* too far */
    "\tfield:int a;\toffset:8;\tsize:;\tsigned:1;\n",                /* no number */
    "\tfield:int a;\toffset:8;\n",                                   /* no size */
    "\tfield:a;\toffset:8;\tsize:4;\tsigned:1;\n",                   /* no type */
    "\tfield:int ;\toffset:8;\tsize:4;\tsigned:1;\n",                /* no name */
    "\tfield:int a",                                                 /* cut */
    "\tfield:__data_loc char[] a;\toffset:8;\tsize:8;\tsigned:1;\n", /* __data_loc has 4 bytes */
    "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:int b;\toffset:10;\tsize:4;\tsigned:1;\n", /* they overlap */
};

static void test_bad_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_fields / sizeof bad_fields[0]; i++) {
        static struct tracedat_format format;
        char text[1024];
        snprintf(text, sizeof text, "%s%s", head, bad_fields[i]);
        if (tracedat_format_parse(&format, text, 8, NULL))
            fail_msg("row %zu was taken", i);
        tracedat_format_free(&format);
    }
}

/* Each row: a field, the print format of the file, and the one in terms of the fields of the type; NULL: there is
 * none. */
static const char *const print_formats[][3] = {
    {"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n", "\"a=%d\", REC->a", "\"a=%d\", REC->a"},
    {"\tfield:__data_loc char[] s;\toffset:8;\tsize:4;\tsigned:0;\n", "\"%s\", __get_str(s)", "\"%s\", __get_str(s)"},
    {"\tfield:__rel_loc char[] s;\toffset:8;\tsize:4;\tsigned:0;\n", "\"%s\", __get_rel_str(s)",
     "\"%s\", __get_str(s)"},
    {"\tfield:__data_loc u8[] s;\toffset:8;\tsize:4;\tsigned:0;\n", "\"%s\", __print_hex(__get_dynamic_array(s), 2)",
     NULL},
    {"\tfield:char buf[];\toffset:8;\tsize:0;\tsigned:0;\n", "\"%s\", REC->buf", "\"%s\", __get_str(buf)"},
    {"\tfield:u32 a[2];\toffset:8;\tsize:8;\tsigned:0;\n", "\"%x\", REC->a[1]", "\"%x\", REC->a_1"},
    {"\tfield:u8 a[6];\toffset:8;\tsize:6;\tsigned:0;\n", "\"%s\", __print_hex(REC->a, 6)",
     "\"%s\", __print_hex(REC->a, 6)"},
    {"\tfield:u8 a[6];\toffset:8;\tsize:6;\tsigned:0;\n", "\"%pM %x\", REC->a, REC->a[1]",
     "\"%pM %x\", REC->a, REC->a[1]"},
    {"\tfield:__data_loc cpumask_t m;\toffset:8;\tsize:4;\tsigned:0;\n", "\"%s\", __get_cpumask(m)",
     "\"%s\", __get_str(m)"},
    {"\tfield:__rel_loc unsigned long[] m;\toffset:8;\tsize:4;\tsigned:0;\n", "\"%s\", __get_rel_bitmask( m )",
     "\"%s\", __get_str(m)"},
    {"\tfield:__data_loc char[] m;\toffset:8;\tsize:4;\tsigned:0;\n", "\"%s\", __get_bitmask(m)", NULL},
    {"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n", "\"a=%d\n\tfield:int\n\", REC->a\n",
     "\"a=%d\n\tfield:int\n\", REC->a"},
    {"\tfield:u32 a[2];\toffset:8;\tsize:8;\tsigned:0;\n", "\"%x\", REC->a[2]", NULL},
    {"\tfield:u32 a[2];\toffset:8;\tsize:8;\tsigned:0;\n", "\"%pI4\", REC->a", NULL},
    {"\tfield:const char * p;\toffset:8;\tsize:8;\tsigned:0;\n", "\"%s\", REC->p", "\"%s\", __get_str(p)"},
    {"\tfield:const char * p;\toffset:8;\tsize:8;\tsigned:0;\n", "\"%lx\", ((unsigned long)(REC->p))",
     "\"%lx\", ((unsigned long)(REC->p))"},
    {"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n", "\"REC->b \\\" %d\", REC->a", "\"REC->b \\\" %d\", REC->a"},
    {"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n", "\"%d\", REC->b", NULL},
    {"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n", "\"%d\", (REC)->a", NULL},
    {"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n", "\"%d %d\", REC->a, REC->common_pid",
     "\"%d %d\", REC->a, REC->common_pid"},
};

static void test_print_formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof print_formats / sizeof print_formats[0]; i++) {
        static struct tracedat_format format;
        char text[1024], *made;
        snprintf(text, sizeof text, "%s%s\nprint fmt: %s\n", head, print_formats[i][0], print_formats[i][1]);
        assert_true(tracedat_format_parse(&format, text, 8, NULL));
        tracedat_print_learn(&format);
        made = tracedat_print_make(&format);
        if (print_formats[i][2] == NULL)
            assert_null(made);
        else
            assert_string_equal(made, print_formats[i][2]);
        heap_free(made);
        tracedat_format_free(&format);
    }
}

/* Each row: a format, arguments as the kernel packs them, and what printf() makes of both. */
static const struct {
    const char *format;
    unsigned char args[32];
    size_t size;
    const char *made;
} printed[] = {
    {"plain", {0}, 0, "plain"},
    {"%d %u", {0xFF, 0xFF, 0xFF, 0xFF, 5}, 8, "-1 5"},
    {"%lld|%x", {1, 0, 0, 0, 1, 0, 0, 0, 0xAB}, 12, "4294967297|ab"},
    {"%s!%d", {'h', 'i', 0, 0, 7}, 8, "hi!7"},
    {"%s%s", {'a', 0, 'b', 0}, 4, "ab"},
    {"%hhd %hd", {0xFE, 0, 0xFD, 0xFF}, 4, "-2 -3"},
    {"%c%c", {'x', 'y'}, 2, "xy"},
    {"[%*d]", {4, 0, 0, 0, 9}, 8, "[   9]"},
    {"[%.2s]", {'a', 'b', 'c', 0}, 4, "[ab]"},
    {"%pI4 %d", {'1', '.', '2', 0, 3}, 8, "1.2 3"},
    {"%p", {0x10, 0x20}, 8, "0x2010"},
    {"100%%", {0}, 0, "100%"},
    {"%d %d", {1, 0, 0, 0}, 4, "1 %d [01000000]"},
    {"a %f b", {1, 2, 3, 4}, 4, "a %f b [01020304]"},
    {"%s", {0}, 0, "%s []"},
    {"%", {0}, 0, "% []"},
};

static void test_bprint(void **state)
{
    static struct tracedat_file file;
    char text[64];
    (void)state;
    file.long_size = 8;
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        tracedat_bprint(&file, text, sizeof text, printed[i].format, printed[i].args, printed[i].size);
        assert_string_equal(text, printed[i].made);
    }
    assert_int_equal(tracedat_bprint(&file, text, 8, "0123456789", (const unsigned char *)"", 0), 7);
    assert_string_equal(text, "0123456");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bad_formats),
        cmocka_unit_test(test_print_formats),
        cmocka_unit_test(test_bprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
