/* test_elf_file.c - the reader of ELF files (io/elf_file.h) finds what readelf and objcopy find. */
#define _GNU_SOURCE
#include "harness.h"

#include "lib/tier.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- judged by readelf ------------------------------------------------------------------------------------------- */

static struct elf_file judged;

static FILE *readelf(const char *options, const char *name)
{
    char command[512];
    snprintf(command, sizeof command, "LC_ALL=C readelf -W %s '%s' 2>/dev/null", options, name);
    return popen(command, "r");
}

/* Whether readelf's name of a type is that of the number; of other types it only tells that the number is another. */
static bool is_type(const char *name, uint32_t type)
{
    static const char *const known[] = {"NULL", "PROGBITS", "SYMTAB", "", "", "", "", "NOTE", "NOBITS"};
    for (uint32_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i], name) == 0)
            return type == i;
    }
    return type >= sizeof known / sizeof known[0] || known[type][0] == '\0';
}

/* "  [ 1] .text  PROGBITS  00001000 001000 000074 00  AX  0   0  4"; the first one has no name. */
static void judge_section(char *line, size_t *n)
{
    uint64_t index, address, offset, size, entry, link, info, alignment;
    const struct elf_section *section = &judged.sections[*n];
    char name[128] = "", type[32], flags[16] = "", *spaced;
    int used = 0;
    if (sscanf(line, " [%" SCNu64 "]%n", &index, &used) != 1)
        return;
    assert_int_equal(index, *n);
    line += used;
    if ((spaced = strstr(line, "SYMTAB SECTION INDICES")) != NULL)
        memcpy(spaced, "SYMTAB_SECTION_INDICES", 22);
    if (index > 0) {
        assert_int_equal(sscanf(line, "%127s%n", name, &used), 1);
        line += used;
    }
    if (sscanf(line, "%31s %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 "%n", type, &address, &offset, &size, &entry,
               &used)
        != 5)
        fail_msg("%s", line);
    line += used;
    if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &link, &info, &alignment) != 3)
        assert_int_equal(sscanf(line, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64, flags, &link, &info, &alignment), 4);
    assert_string_equal(section->name, name);
    assert_true(is_type(type, section->type));
    assert_true(section->address == address && section->offset == offset && section->size == size);
    assert_true(section->entry == entry && section->link == link && section->info == info);
    assert_true(section->alignment == alignment);
    assert_int_equal(strchr(flags, 'W') != NULL, (section->flags & ELF_WRITE) != 0);
    assert_int_equal(strchr(flags, 'A') != NULL, (section->flags & ELF_ALLOC) != 0);
    assert_int_equal(strchr(flags, 'X') != NULL, (section->flags & ELF_CODE) != 0);
    assert_int_equal(strchr(flags, 'C') != NULL, (section->flags & ELF_COMPRESSED) != 0);
    ++*n;
}

static void judge_sections(const char *name)
{
    FILE *pipe = readelf("-S", name);
    char line[512];
    size_t n = 0;
    while (fgets(line, sizeof line, pipe))
        judge_section(line, &n);
    pclose(pipe);
    assert_int_equal(n, judged.nsections);
}

/* "    12: 00001001    24 FUNC    GLOBAL DEFAULT    1 work"; names of sections' symbols are readelf's own. */
static void judge_symbol(const char *line, struct elf_symbols *table, size_t *n)
{
    struct elf_symbol symbol = {0};
    uint64_t index, value;
    char size[32], type[16], bind[16], section[16], name[512] = "";
    if (sscanf(line, " %" SCNu64 ": %" SCNx64 " %31s %15s %15s %*s %15s %511[^\n]", &index, &value, size, type, bind,
               section, name)
        < 6)
        return;
    assert_int_equal(index, *n);
    if (index > 0)
        symbol = elf_file_next_symbol(table);
    assert_true(symbol.value == value && symbol.size == strtoull(size, NULL, 0));
    assert_int_equal(symbol.type == ELF_FUNCTION, strcmp(type, "FUNC") == 0);
    assert_int_equal(symbol.type == ELF_OBJECT, strcmp(type, "OBJECT") == 0);
    assert_int_equal(symbol.type == ELF_IFUNC, strcmp(type, "IFUNC") == 0);
    assert_int_equal(symbol.bind == ELF_LOCAL, strcmp(bind, "LOCAL") == 0);
    assert_int_equal(symbol.bind == ELF_WEAK, strcmp(bind, "WEAK") == 0);
    assert_int_equal(symbol.section, section[0] >= '0' && section[0] <= '9' ? strtoul(section, NULL, 10) : 0);
    if (strcmp(type, "SECTION") != 0)
        assert_string_equal((const char *)table->names->bytes + symbol.name, name);
    ++*n;
}

static void judge_symbols(const char *name)
{
    FILE *pipe = readelf("-s", name);
    struct elf_symbols table;
    char line[1024];
    bool is_table = false;
    size_t n = 0;
    assert_true(elf_file_symbols(&judged, &table));
    while (fgets(line, sizeof line, pipe)) {
        if (strncmp(line, "Symbol table", 12) == 0)
            is_table = strstr(line, "'.symtab'") != NULL;
        else if (is_table)
            judge_symbol(line, &table, &n);
    }
    pclose(pipe);
    assert_int_equal(n, table.n);
}

static void judge_build_id(const char *name)
{
    FILE *pipe = readelf("-n", name);
    char line[512], expected[128] = "", got[128] = "", *at;
    size_t n = 0;
    const unsigned char *id = elf_file_build_id(&judged, &n);
    assert_null(judged.why);
    while (fgets(line, sizeof line, pipe)) {
        if ((at = strstr(line, "Build ID: ")) != NULL)
            sscanf(at, "Build ID: %127s", expected);
    }
    pclose(pipe);
    for (size_t i = 0; id != NULL && i < n && i < 60; i++)
        sprintf(got + 2 * i, "%02x", id[i]);
    assert_string_equal(got, expected);
}

static void judge(const char *name)
{
    struct memory file = file_at(name);
    assert_true(open_memory(&judged, &file));
    judge_sections(name);
    judge_symbols(name);
    judge_build_id(name);
    elf_file_free(&judged);
    free(file.at);
}

static void all_is_as_readelf_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < BUILDS; i++) {
        build(&builds[i], "-g -Wl,--build-id");
        judge(path);
        build(&builds[i], "-Wl,--build-id=none");
        judge(path);
        shell("cd %s && %sgcc -g %s -c t.c -o t.elf 2>log", directory, builds[i].prefix, builds[i].flags);
        judge(path);
    }
    judge(program_invocation_name);
}

/* More sections than a header can count. They take the assembler a second. */
static void many_sections_are_all_found(void **state)
{
    (void)state;
    if (tier_step(2) != 1)
        return;
    shell("awk 'BEGIN { for (i = 0; i < 65400; i++) printf \".section s%%d,\\\"a\\\"\\n.global f%%d\\nf%%d: .byte "
          "1\\n\", "
          "i, i, i }' | as - -o %s",
          path);
    judge(path);
}

/* ---- compressed sections ----------------------------------------------------------------------------------------- */

/* What objcopy compresses holds the same as before. */
static void compressed_sections_hold_the_same(void **state)
{
    static const char *const methods[] = {"zlib", "zstd"};
    char plain[96];
    (void)state;
    snprintf(plain, sizeof plain, "%s/plain.elf", directory);
    for (size_t i = 0; i < 2 * BUILDS; i++) {
        struct elf_file elf[2];
        struct memory file[2];
        size_t compressed = 0;
        build(&builds[i / 2], "-g");
        shell("cd %s && cp t.elf plain.elf && %sobjcopy --compress-debug-sections=%s t.elf", directory,
              builds[i / 2].prefix, methods[i % 2]);
        file[0] = file_at(plain);
        file[1] = file_at(path);
        assert_true(open_memory(&elf[0], &file[0]) && open_memory(&elf[1], &file[1]));
        for (size_t k = 0; k < elf[1].nsections; k++) {
            struct elf_section *section = &elf[1].sections[k], *same = section_of(&elf[0], section->name);
            if ((section->flags & ELF_COMPRESSED) == 0)
                continue;
            assert_true(elf_file_load(&elf[0], same) && elf_file_load(&elf[1], section));
            assert_int_equal(section->n, same->n);
            assert_memory_equal(section->bytes, same->bytes, same->n);
            compressed++;
        }
        assert_true(compressed > 0);
        for (size_t k = 0; k < 2; k++) {
            elf_file_free(&elf[k]);
            free(file[k].at);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(all_is_as_readelf_says),
        TEST(many_sections_are_all_found),
        TEST(compressed_sections_hold_the_same),
    };
    if (mkdtemp(directory) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
