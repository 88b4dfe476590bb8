/* harness.c - firmware files built here, and what readelf says of them: see harness.h. */
#define _GNU_SOURCE
#include "tool/message.h"
#include "harness.h"

#include "io/firmware/firmware.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct trace trace;
char directory[] = "/tmp/test_elf_XXXXXX";
char path[64];

/* ---- building ---------------------------------------------------------------------------------------------------- */

static const char source[] =
    "__asm__(\".pushsection tlog_printk,\\\"\\\",%progbits\\n\"\n"
    "        \"one: .asciz \\\"value %d\\\\n\\\"\\n.balign 16\\ntwo: .asciz \\\"name %s, %llu\\\"\\n\"\n"
    "        \"three: .asciz \\\"100%%\\\"\\n.type one, %object\\n.size one, 10\\n.popsection\");\n"
    "int counter = 7; static int hidden = 8; int zeroed[10]; static long small_bss; const int table[4] = {1, 2, 3, "
    "4};\n"
    "static const short local_table[3] = {1, 2, 3};\n"
    "static __attribute__((noinline)) int helper(int a) { return a * hidden + local_table[a & 1] + (int)small_bss; }\n"
    "int work(int a) { small_bss++; return helper(a) + counter + zeroed[a & 7] + table[a & 3]; }\n"
    "int work_alias(int a) __attribute__((alias(\"work\")));\n"
    "int wk(int a) __attribute__((alias(\"work\")));\n"
    "__attribute__((weak)) int soft(void) { return 3; }\n"
    "__attribute__((weak, alias(\"work\"))) int w(int);\n"
    "static __attribute__((used, alias(\"soft\"))) int s(void);\n"
    "int _start(void); int _start(void) { return work(1) + soft(); }\n"
    "#ifdef ODD_NAME\nint ODD_NAME(void); int ODD_NAME(void) { return 5; }\n#endif\n"
    "#ifdef __arm__\n"
    "static __attribute__((used)) int $d(void) { return 9; }\n"
    "__asm__(\".text\\n.thumb_func\\n.global no_size\\n.type no_size, %function\\nno_size: nop\\nnop\\n\"\n"
    "        \".global only_label\\nonly_label: nop\\nnop\\n\");\n"
    "#endif\n";

const struct build builds[BUILDS] = {
    {"arm-none-eabi-", "-mcpu=cortex-m3 -mthumb -Wl,-Ttext=0x1000,-Tdata=0x20000000"},
    {"arm-none-eabi-", "-mcpu=arm7tdmi -marm -mbig-endian -Wl,-Ttext=0x1000,-Tdata=0x20000000"},
    {"", "-m64 -static -no-pie -fno-pie -fcf-protection=none"},
};

void shell(const char *format, ...)
{
    char command[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_int_equal(system(command), 0);
}

void put_source(const char *name, const char *text)
{
    char place[96];
    FILE *file;
    snprintf(place, sizeof place, "%s/%s", directory, name);
    file = fopen(place, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

void build(const struct build *how, const char *more)
{
    put_source("t.c", source);
    shell("cd %s && %sgcc -Os %s -ffreestanding -fno-asynchronous-unwind-tables -nostdlib %s t.c -o t.elf 2>log || "
          "{ cat log; exit 1; }",
          directory, how->prefix, how->flags, more);
}

/* ---- what readelf says ------------------------------------------------------------------------------------------- */

struct symbol symbols[MAX_SYMBOLS];
size_t nsymbols;

FILE *output_of(const struct build *how, const char *tool)
{
    char command[256];
    FILE *pipe;
    snprintf(command, sizeof command, "%s%s %s 2>/dev/null", how->prefix, tool, path);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    return pipe;
}

void ask_readelf(const struct build *how)
{
    FILE *pipe = output_of(how, "readelf -sW");
    char line[256], section[16], size[32];
    struct symbol *to;
    nsymbols = 0;
    while (fgets(line, sizeof line, pipe)) {
        to = &symbols[nsymbols];
        assert_true(nsymbols < MAX_SYMBOLS);
        if (sscanf(line, " %*u: %" SCNx64 " %31s %15s %15s %*s %15s %63s", &to->address, size, to->type, to->bind,
                   section, to->name)
            != 6)
            continue;
        to->size = strtoull(size, NULL, 0);
        if ((strcmp(to->type, "FUNC") != 0 && strcmp(to->type, "OBJECT") != 0) || section[0] < '0' || section[0] > '9')
            continue;
        if (strcmp(to->name, "one") == 0 || to->name[0] == '$')
            continue; /* in the section that is not loaded; like a mapping symbol */
        if (strcmp(to->type, "FUNC") == 0 && how->prefix[0] != '\0')
            to->address &= ~UINT64_C(1);
        nsymbols++;
    }
    pclose(pipe);
    assert_true(nsymbols > 10);
}

static bool is_better(const struct symbol *a, const struct symbol *b)
{
    static const char *const order[] = {"GLOBAL", "WEAK", "LOCAL"};
    int left = 0, right = 0;
    while (strcmp(order[left], a->bind) != 0)
        left++;
    while (strcmp(order[right], b->bind) != 0)
        right++;
    if (left != right)
        return left < right;
    return strlen(a->name) != strlen(b->name) ? strlen(a->name) < strlen(b->name) : strcmp(a->name, b->name) < 0;
}

const struct symbol *best_at(uint64_t address)
{
    const struct symbol *best = NULL;
    for (size_t i = 0; i < nsymbols; i++) {
        if (symbols[i].address == address && (best == NULL || is_better(&symbols[i], best)))
            best = &symbols[i];
    }
    return best;
}

char nm_letter(const struct build *how, const char *name)
{
    FILE *pipe = output_of(how, "nm");
    char line[256], found[64], letter, result = '?';
    while (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "%*x %c %63s", &letter, found) == 2 && strcmp(found, name) == 0)
            result = letter;
    }
    pclose(pipe);
    return result;
}

/* ---- loading ----------------------------------------------------------------------------------------------------- */

int set_up(void **state)
{
    (void)state;
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
    snprintf(path, sizeof path, "%s/t.elf", directory);
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    trace_free(&trace);
    return 0;
}

struct firmware_file *must_open(void)
{
    struct firmware_file *elf = firmware_open(&trace, path);
    assert_string_equal(trace.error, "");
    assert_non_null(elf);
    assert_non_null(trace.firmware);
    return elf;
}

void must_fail(const char *file, const char *message)
{
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s", file, message);
    assert_null(firmware_open(&trace, file));
    assert_string_equal(trace.error, expected);
    assert_null(trace.firmware);
    trace_free(&trace);
    trace_init(&trace, "dump.bin");
    trace.sink = &message_sink;
}

static int saved_stderr;

void catch_stderr(void)
{
    int file = memfd_create("stderr", 0);
    fflush(stderr);
    saved_stderr = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
}

void stderr_must_be(const char *expected)
{
    char got[512] = "";
    ssize_t n;
    fflush(stderr);
    n = pread(STDERR_FILENO, got, sizeof got - 1u, 0);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    assert_true(n >= 0);
    assert_string_equal(got, expected);
}

int remove_files(void **state)
{
    (void)state;
    shell("rm -rf %s", directory);
    return 0;
}

/* ---- ELF files in memory ----------------------------------------------------------------------------------------- */

static size_t read_memory(void *file, uint64_t at, void *to, size_t size)
{
    const struct memory *from = file;
    size_t there = at < from->n ? from->n - (size_t)at : 0;
    memcpy(to, from->at + at, size < there ? size : there);
    return size < there ? size : there;
}

bool open_memory(struct elf_file *elf, struct memory *file)
{
    return elf_file_open(elf, (struct cursor){.read = read_memory, .file = file, .end = file->n})
           && elf_file_read_segments(elf) && elf_file_read_sections(elf);
}

struct memory file_at(const char *name)
{
    FILE *file = fopen(name, "rb");
    unsigned char *bytes;
    long n;
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    n = ftell(file);
    rewind(file);
    bytes = malloc((size_t)n + 1u);
    assert_int_equal(fread(bytes, 1, (size_t)n, file), n);
    fclose(file);
    return (struct memory){bytes, (size_t)n};
}

struct elf_section *section_of(struct elf_file *elf, const char *name)
{
    for (size_t i = 0; i < elf->nsections; i++) {
        if (strcmp(elf->sections[i].name, name) == 0)
            return &elf->sections[i];
    }
    return NULL;
}
