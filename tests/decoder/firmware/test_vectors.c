/* test_vectors.c - names of handlers, out of the vector table of a firmware's file. */
#define _GNU_SOURCE
#include "tool/message.h"
#include "harness.h"

#include "base/crc32.h"
#include "io/firmware/events_file.h"
#include "io/firmware/firmware.h"
#include "lib/tier.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A firmware of handlers. TABLE: what stands at the beginning of the table, such as its section and its name. */
static const char source[] =
    ".syntax unified\n.thumb\n.section .text\n"
    ".macro handler name\n.global \\name\n.type \\name, %%function\n.thumb_func\n\\name: bx lr\n"
    ".size \\name, .-\\name\n.endm\n"
    "handler Reset_Handler\nhandler NMI_Handler\nhandler SysTick_Handler\nhandler USART1_IRQHandler\n"
    "handler tim2_handler\nhandler dma\nhandler Default_Handler\nhandler dummy_isr\nhandler both\nhandler "
    "isr_systick\nhandler _Handler\n"
    "handler a_name_that_is_much_longer_than_31_letters_IRQHandler\nhandler isr_irq9\nhandler dma_chain.isra.0\n"
    ".global _start\n.set _start, Reset_Handler\n"
    "%s"
    "table: .word STACK, Reset_Handler, NMI_Handler, both, 0, 0, 0, 0x12345677, 0, 0, 0, both, 0, 0, both\n"
    ".word TICK, USART1_IRQHandler, 0, Default_Handler, tim2_handler, both, dma, dummy_isr, _Handler\n"
    ".word a_name_that_is_much_longer_than_31_letters_IRQHandler, isr_irq9, dma_chain.isra.0\n%s";

static const struct {
    uint32_t number;
    const char *name;
} expected[] = {{2, "NMI"},
                {15, "SysTick"},
                {16, "USART1"},
                {19, "tim2"},
                {21, "dma"},
                {23, "_Handler"},
                {24, "a_name_that_is_much_longer_than"},
                {25, "irq9"},
                {26, "dma_chain"}};

enum { EXPECTED = sizeof expected / sizeof expected[0] };

static const char *tick = "SysTick_Handler", *stack = "0x20001000";

static void build_table(const char *head, const char *tail, const char *flags)
{
    char text[sizeof source + 512];
    snprintf(text, sizeof text, source, head, tail);
    put_source("t.s", text);
    shell("cd %s && sed -i 's/STACK/%s/; s/TICK/%s/' t.s && arm-none-eabi-gcc -mcpu=cortex-m3 -nostdlib %s t.s -o "
          "t.elf 2>log || { cat log; exit 1; }",
          directory, stack, tick, flags);
}

static void names_are_those(void)
{
    const struct trace_firmware *firmware = trace.firmware;
    assert_int_equal(firmware->nhandlers, EXPECTED);
    for (size_t i = 0; i < EXPECTED; i++) {
        assert_int_equal(firmware->handlers[i].number, expected[i].number);
        assert_string_equal(firmware->handlers[i].name, expected[i].name);
    }
}

/* Build a firmware; its table has the names if it is found. */
static void try_table(const char *head, const char *tail, const char *flags, bool found)
{
    struct firmware_file *elf;
    build_table(head, tail, flags);
    elf = must_open();
    if (found)
        names_are_those();
    else
        assert_int_equal(trace.firmware->nhandlers, 0);
    firmware_close(elf);
}

#define TABLE(name) ".type " name ", %object\n.global " name "\n" name ":\n"
#define SIZE(name)  ".size " name ", .-" name "\n.word dma, dma + 2\n"
#define VECTORS     "-Wl,-Ttext=0x8000 -Wl,--section-start=.isr_vector=0x1000"
#define IN_SECTION  ".section .isr_vector, \"a\"\n"

static void tables_are_found(void **state)
{
    (void)state;
    /* by its symbol, with its size */
    try_table(".section .rodata\n" TABLE("g_pfnVectors"), SIZE("g_pfnVectors"), "", true);
    try_table(".section .data\n" TABLE("__Vectors"), SIZE("__Vectors"), "", true);
    /* by its symbol in code, and by one without type and size, whose section goes on */
    try_table(".section .text\n.balign 256\n" TABLE("VectorTable"), SIZE("VectorTable"), "", true);
    try_table(".section .text\n.balign 256\n.global __vectors\n__vectors:\n", ".word 0x7188ebf2, dma\n", "", true);
    /* by its section */
    try_table(IN_SECTION, "", VECTORS, true);
    try_table(IN_SECTION, ".word 0, 0, 0\n", VECTORS, true);
    /* by its address, the lowest one that is loaded, up to the code */
    try_table(".section .low, \"ax\"\n", "", "-Wl,-Ttext=0x8000 -Wl,--section-start=.low=0x1000", true);
    try_table(".section .low, \"ax\"\n", "nop\nnop\n.word dma, dma + 2\n",
              "-Wl,-Ttext=0x8000 -Wl,--section-start=.low=0x1000", true);
    try_table(".section .low, \"ax\"\n" TABLE("low"), ".size low, .-low\n",
              "-Wl,-Ttext=0x8000 -Wl,--section-start=.low=0x1000", true);
}

/* The end of the stack may be the last byte that it has, and the handler of interrupt 15 may have any name, or be one
 * of others. */
static void interrupt_15_is_systick(void **state)
{
    static const char *const ticks[] = {"isr_systick", "both", "0"};
    (void)state;
    stack = "0x2001ffff";
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        tick = ticks[i];
        try_table(IN_SECTION, "", VECTORS, true);
    }
    tick = "SysTick_Handler";
    stack = "0x20001000";
}

static void other_words_are_no_table(void **state)
{
    (void)state;
    /* not where a table may be */
    try_table(".section .rodata\n.word 0\n", "", "", false);
    /* the first word is no stack, the second one no function, or there is no third one */
    try_table(IN_SECTION ".word 3\n", "", VECTORS, false);
    try_table(IN_SECTION ".word 0x20000000, 0x20000001\n", "", VECTORS, false);
    try_table(IN_SECTION ".word 0x20000000, Reset_Handler\n.section .rodata\n", "", VECTORS, false);
    /* a table without bytes in the file */
    try_table(".bss\n" TABLE("__Vectors") ".space 100\n.size __Vectors, 100\n.section .rodata\n.word 0\n", "", "",
              false);
}

/* Zephyr's vectors point to one function, which looks in a table of arguments and handlers. A vector of its own, here
 * that of interrupt 17, has another handler. A handler of several interrupts tells which one; z_irq_spurious and what
 * is no function give no name. */
static void zephyr_has_a_table_of_its_own(void **state)
{
    static const struct trace_handler names[] = {{15, "SysTick"},  {16, "uart_isr_0"}, {17, "direct"},
                                                 {18, "gpio_isr"}, {19, "uart_isr_3"}, {23, "late"}};
    const char *zephyr =
        ".syntax unified\n.thumb\n.text\n"
        ".macro handler name\n.global \\name\n.type \\name, %function\n.thumb_func\n\\name: bx lr\n"
        ".size \\name, .-\\name\n.endm\n"
        "handler z_arm_reset\nhandler sys_clock_isr\nhandler _isr_wrapper\nhandler uart_isr\nhandler direct_isr\n"
        "handler direct_handler\nhandler gpio_isr\nhandler z_irq_spurious\nhandler late_handler\n"
        ".global _start\n.set _start, z_arm_reset\n"
        ".section .low, \"ax\"\n.word 0x20001000, z_arm_reset, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, sys_clock_isr\n"
        ".word _isr_wrapper, direct_handler, _isr_wrapper, _isr_wrapper\n"
        ".data\n.global _sw_isr_table\n.type _sw_isr_table, %object\n_sw_isr_table:\n"
        ".word 1, uart_isr, 0, direct_isr, 0, gpio_isr, 2, uart_isr, 0, z_irq_spurious, 0, z_irq_spurious\n"
        ".word 0, 0x12345679, 7, late_handler\n.size _sw_isr_table, .-_sw_isr_table\n.word 0, gpio_isr\n";
    struct firmware_file *elf;
    (void)state;
    put_source("t.s", zephyr);
    shell("cd %s && arm-none-eabi-gcc -mcpu=cortex-m3 -nostdlib -Wl,-Ttext=0x8000 -Wl,--section-start=.low=0x1000 t.s "
          "-o t.elf 2>log || { cat log; exit 1; }",
          directory);
    elf = must_open();
    assert_int_equal(trace.firmware->nhandlers, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(trace.firmware->handlers[i].number, names[i].number);
        assert_string_equal(trace.firmware->handlers[i].name, names[i].name);
    }
    firmware_close(elf);
}

/* Vectors in flash that are all tlog_irq_any() have their names from the table in which it looks; a table without size
 * goes on to its section's end. One vector alone that has it is not named after it. */
static void tlog_has_a_table_of_its_own(void **state)
{
    static const struct trace_handler names[] = {{15, "SysTick"}, {16, "UART0"}, {18, "gpio"}, {19, "both_3"}};
    static const char *const sizes[] = {".size tlog_irq_handlers, .-tlog_irq_handlers\n.word gpio_isr, gpio_isr\n", ""};
    const char *pattern =
        ".syntax unified\n.thumb\n.text\n"
        ".macro handler name\n.global \\name\n.type \\name, %%function\n.thumb_func\n\\name: bx lr\n"
        ".size \\name, .-\\name\n.endm\n"
        "handler reset_handler\nhandler tlog_irq_any\nhandler tick\nhandler UART0_IRQHandler\nhandler gpio_handler\n"
        "handler gpio_isr\nhandler both\nhandler Default_Handler\n.global _start\n.set _start, reset_handler\n"
        ".section .vectors, \"a\"\n.word 0x20001000, reset_handler, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
        "tlog_irq_any\n.rept %d\n.word tlog_irq_any\n.endr\n"
        ".section .rodata\n.global tlog_irq_handlers\n.type tlog_irq_handlers, %%object\ntlog_irq_handlers:\n"
        ".word 0, reset_handler, 0, 0, 0, 0, 0, 0, 0, 0, 0, both, 0, 0, 0, tick\n"
        ".word UART0_IRQHandler, 0, gpio_handler, both, Default_Handler\n%s";
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char text[2048];
        struct firmware_file *elf;
        snprintf(text, sizeof text, pattern, i < 2 ? 5 : 0, sizes[i % 2]);
        put_source("t.s", text);
        shell("cd %s && arm-none-eabi-gcc -mcpu=cortex-m0 -nostdlib -Wl,-Ttext=0x8000 -Wl,--section-start=.vectors=0x0 "
              "t.s -o t.elf 2>log || { cat log; exit 1; }",
              directory);
        elf = must_open();
        assert_int_equal(trace.firmware->nhandlers, sizeof names / sizeof names[0]);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            assert_int_equal(trace.firmware->handlers[k].number, names[k].number);
            assert_string_equal(trace.firmware->handlers[k].name, names[k].name);
        }
        firmware_close(elf);
    }
}

/* However long a table is, it has no more vectors than a core. */
static void long_tables_end(void **state)
{
    struct firmware_file *elf;
    (void)state;
    build_table(IN_SECTION, ".rept 3000\n.word 0\n.endr\n.word dma\n", VECTORS);
    elf = must_open();
    names_are_those();
    firmware_close(elf);
    build_table(IN_SECTION, ".rept 484\n.word 0\n.endr\n.word NMI_Handler\n", VECTORS);
    elf = must_open();
    assert_int_equal(trace.firmware->nhandlers, EXPECTED - 1u); /* it is shared now */
    firmware_close(elf);
    try_table(IN_SECTION, ".rept 485\n.word 0\n.endr\n.word NMI_Handler\n", VECTORS, true);
}

/* Read all handlers of a firmware that is open. */
static void walk(void)
{
    size_t length = 0;
    for (size_t i = 0; i < trace.firmware->nhandlers; i++) {
        assert_true(i == 0 || trace.firmware->handlers[i].number > trace.firmware->handlers[i - 1].number);
        assert_in_range(trace.firmware->handlers[i].number, 2, 511);
        length += strlen(trace.firmware->handlers[i].name);
        assert_in_range(strlen(trace.firmware->handlers[i].name), 1, 31);
    }
    assert_true(length < 512u * 32u);
}

static void bent_tables_do_no_harm(void **state)
{
    unsigned char bytes[16384];
    FILE *file;
    size_t size, opened = 0, tried = 0;
    (void)state;
    build_table(IN_SECTION, "", VECTORS " -Wl,-z,max-page-size=64");
    file = fopen(path, "rb");
    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(size, 1000, sizeof bytes - 1);
    trace.quiet = true;
    for (size_t at = 0; at < 4u * size; at += tier_step(11), tried++) {
        static const unsigned char masks[] = {0x01, 0x04, 0x80, 0xFF};
        unsigned char *byte = &bytes[at / 4u];
        struct firmware_file *elf;
        file = fopen(path, "wb");
        *byte ^= masks[at % 4u];
        fwrite(bytes, 1, size, file);
        *byte ^= masks[at % 4u];
        fclose(file);
        trace_free(&trace);
        trace_init(&trace, "dump.bin");
        trace.sink = &message_sink;
        trace.quiet = true;
        elf = firmware_open(&trace, path);
        if (elf != NULL)
            walk();
        opened += elf != NULL;
        firmware_close(elf);
    }
    assert_in_range(opened, tried / 4u, tried - tried / 100u);
}

/* ---- the saved file ---------------------------------------------------------------------------------------------- */

/* Write what is known of the firmware to path. */
static void save(void)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(events_file_write(&trace, fileno(file)), 0);
    fclose(file);
}

static void handlers_are_saved(void **state)
{
    struct firmware_file *elf;
    int fd;
    (void)state;
    build_table(IN_SECTION, "", VECTORS);
    elf = must_open();
    fd = memfd_create("saved", 0);
    assert_int_equal(events_file_write(&trace, fd), 0);
    firmware_close(elf);
    shell("cp /proc/%d/fd/%d %s", (int)getpid(), fd, path);
    close(fd);
    elf = must_open();
    names_are_those();
    save();
    firmware_close(elf);
    elf = must_open();
    names_are_those();
    firmware_close(elf);
    shell("grep -q '^handler 0x10 USART1$' %s", path);
}

/* Write a file with that line, whose check is right, and open it. */
static struct firmware_file *open_line(const char *line)
{
    char text[4096];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    snprintf(text, sizeof text, "tlog-events 1\norder little\n%s\n", line);
    fprintf(file, "%send 0x%x\n", text, (unsigned)crc32_of((const unsigned char *)text, strlen(text)));
    fclose(file);
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    trace.quiet = true;
    return firmware_open(&trace, path);
}

static void bad_lines_are_refused(void **state)
{
    static const char *const bad[] = {"handler ",
                                      "handler 0x10",
                                      "handler 0x10 ",
                                      "handler 16 uart",
                                      "handler x a",
                                      "handler 0x200 a",
                                      "handler 0x1 a",
                                      "handler 0x10 a\\q",
                                      "handler 0x10 a\\x07",
                                      "handler 0x10 a b",
                                      "handler 0x10 \\",
                                      "handler 0x1000000010 a",
                                      "handler 0x11 a\nhandler 0x11 b",
                                      "handler 0x12 a\nhandler 0x11 b"};
    struct firmware_file *elf;
    char line[600] = "handler 0x10 ";
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (open_line(bad[i]) != NULL)
            fail_msg("%s", bad[i]);
    }
    elf = open_line("handler 0x1ff uart");
    assert_non_null(elf);
    walk();
    firmware_close(elf);
    memset(line + strlen(line), 'a', 500);
    elf = open_line(line);
    assert_non_null(elf);
    walk();
    firmware_close(elf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tables_are_found),      TEST(interrupt_15_is_systick),       TEST(other_words_are_no_table),
        TEST(long_tables_end),       TEST(bent_tables_do_no_harm),        TEST(handlers_are_saved),
        TEST(bad_lines_are_refused), TEST(zephyr_has_a_table_of_its_own), TEST(tlog_has_a_table_of_its_own),
    };
    if (mkdtemp(directory) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
