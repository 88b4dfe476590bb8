/* harness.h - what the tests of firmware files share: files built here by the ARM compiler, what readelf says of them,
 * and their loading.
 */
#ifndef DECODER_ELF_HARNESS_H
#define DECODER_ELF_HARNESS_H

#include "io/elf_file.h"
#include "model/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

extern const struct trace_writer writer_text_full;

enum { BUILDS = 3, MAX_SYMBOLS = 256, CODE = 0x1000, DATA = 0x20000000 };

/* How a firmware is built. Compiler, readelf and nm of one kind have the same prefix. */
struct build {
    const char *prefix, *flags;
};

struct symbol {
    uint64_t address, size;
    char bind[16], type[16], name[64];
};

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

extern struct trace trace;
extern char directory[];
extern char path[64];
extern const struct build builds[BUILDS];
extern struct symbol symbols[MAX_SYMBOLS];
extern size_t nsymbols;

/* Run a command, which must succeed; printf() format. */
void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Write a file of that name in the directory. */
void put_source(const char *name, const char *text);

/* Compile the sample to path, with more flags. */
void build(const struct build *how, const char *more);

/* Run a tool with the build's prefix on path; the caller reads what it prints and calls pclose(). */
FILE *output_of(const struct build *how, const char *tool);

/* Fill symbols with what readelf prints of path: "  12: 00001001    24 FUNC    GLOBAL DEFAULT    1 work". */
void ask_readelf(const struct build *how);

/* The symbol that must be kept at an address. */
const struct symbol *best_at(uint64_t address);

/* The letter that nm prints for a symbol. */
char nm_letter(const struct build *how, const char *name);
int set_up(void **state);
int tear_down(void **state);

/* Open path, which must succeed; open a file, which must fail with that message. */
struct firmware_file *must_open(void);
void must_fail(const char *file, const char *message);

/* Check what was written to standard error since catch_stderr(). */
void catch_stderr(void);
void stderr_must_be(const char *expected);
int remove_files(void **state);

/* An ELF file in memory: of a file, whose bytes the caller frees; opened with all of its headers; and its section of a
 * name, or NULL. */
struct memory {
    unsigned char *at;
    size_t n;
};

struct memory file_at(const char *name);
bool open_memory(struct elf_file *elf, struct memory *file);
struct elf_section *section_of(struct elf_file *elf, const char *name);

#endif
