/* elf.c - sections and symbols of an ELF file: see elf.h.
 *
 * Linkers let names of symbols share their ends, but rarely do. If a file makes many symbols share one long name,
 * looking at each would take for ever. So all names together may have at most four times the bytes of the table of
 * names.
 */

#include "io/firmware/elf.h"

#include "base/heap.h"
#include "base/sort.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

int elf_damaged(struct firmware_file *file)
{
    if (file->error != 0)
        return trace_fail(file->trace, "%s: cannot be read: %s", file->path, strerror(file->error));
    return trace_fail(file->trace, "%s: damaged ELF file: offset 0x%" PRIx64 ": %s", file->path, file->elf.where,
                      file->elf.why);
}

int elf_no_memory(struct firmware_file *file)
{
    return trace_fail(file->trace, "%s: no memory for what is in it", file->path);
}

void elf_warn(const struct firmware_file *file, const char *what)
{
    trace_tell(file->trace, "%s: %s", file->path, what);
}

/* ---- names of symbols -------------------------------------------------------------------------------------------- */

bool elf_shows_name(const char *name)
{
    if (name == NULL || name[0] == '\0' || name[0] == '$')
        return false;
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name <= ' ' || *name == 0x7F)
            return false;
    }
    return true;
}

/* The table of names. */
struct names {
    const char *at; /* the table's bytes, elf's */
    size_t size;    /* up to and with the last NUL */
    size_t left;    /* bytes that further names may have */
    bool cut;       /* there were more bytes, or more symbols than are kept */
};

static struct names names_of(const struct elf_section *table)
{
    size_t size = table->n;
    while (size > 0 && table->bytes[size - 1u] != '\0')
        size--;
    return (struct names){.at = (const char *)table->bytes, .size = size, .left = size * 4u};
}

/* The name at an offset of the table; NULL if it is not in the table, or names have too many bytes by now. */
static const char *name_at(struct names *names, uint32_t offset)
{
    const char *name = offset < names->size ? names->at + offset : NULL;
    size_t length = name != NULL ? text_length(name, names->left) : 0;
    if (name == NULL)
        return NULL;
    if (length == names->left) {
        names->cut = true;
        return NULL;
    }
    names->left -= length + 1u;
    return name;
}

/* ---- clones ------------------------------------------------------------------------------------------------------ */

/* Bytes of a name without what compilers put behind the names of functions that they change or copy: .isra.0 and so
 * on. */
static size_t plain_length(const char *name)
{
    static const char *const clone[] = {".isra.", ".constprop.", ".lto_priv.", ".part.", ".llvm."};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof clone / sizeof clone[0]; i++) {
        const char *at = strstr(name, clone[i]);
        if (at > name && (size_t)(at - name) < length)
            length = (size_t)(at - name);
    }
    return length;
}

/* The name without that, in a copy if there is room for one: the table may be shared. */
static const char *plain_name(struct firmware_file *file, const char *name)
{
    size_t length = plain_length(name);
    char *plain;
    if (name[length] == '\0' || file->plain == NULL || length >= file->plain_size - file->plain_used)
        return name;
    plain = file->plain + file->plain_used;
    memcpy(plain, name, length);
    plain[length] = '\0';
    file->plain_used += length + 1u;
    return plain;
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

/* The letter that nm shows for a symbol, by its section: T code, B without bytes in the file, D data, R read-only;
 * small for a local symbol. Weak symbols have letters of their own. */
static char letter_of(const struct elf_symbol *symbol, const struct elf_section *section)
{
    char letter = (section->flags & ELF_CODE) != 0     ? 'T'
                  : section->type == ELF_NOBITS        ? 'B'
                  : (section->flags & ELF_WRITE) != 0u ? 'D'
                                                       : 'R';
    if (symbol->bind == ELF_WEAK)
        return symbol->type == ELF_OBJECT ? 'V' : 'W';
    return symbol->bind == ELF_LOCAL ? (char)(letter - 'A' + 'a') : letter;
}

/* The section of a symbol that is in the firmware's memory; NULL if it is not. */
static const struct elf_section *memory_of(const struct firmware_file *file, const struct elf_symbol *symbol)
{
    const struct elf_section *section =
        symbol->section < file->elf.nsections ? &file->elf.sections[symbol->section] : NULL;
    return symbol->section != 0 && section != NULL && (section->flags & ELF_ALLOC) != 0 ? section : NULL;
}

/* The size of a symbol in bytes. A symbol without a size, as of assembler code, gets all up to the end of its section.
 * The next symbol ends it all the same: a lookup finds the last symbol before an address. */
static uint64_t size_of(const struct elf_symbol *symbol, uint64_t address, const struct elf_section *section)
{
    if (symbol->size > 0)
        return symbol->size;
    if (address < section->address || address - section->address > section->size)
        return 0;
    return section->size - (address - section->address);
}

static bool has_vector(const char *name)
{
    while (*name != '\0' && !text_begins(name, "vector"))
        name++;
    return *name != '\0';
}

/* Whether a symbol's name is that of a vector table, such as g_pfnVectors. C++ has vectors of other kinds. */
static bool names_table(const char *name)
{
    return strncmp(name, "_Z", 2) != 0 && (has_vector(name) || strcmp(name, "exception_table") == 0);
}

/* Note a symbol that may be of the vector table. In assembler code that often has no type, so it is none of those
 * below. */
static void note_table(struct firmware_file *file, const struct elf_symbol *symbol, const struct names *names)
{
    const struct elf_section *section = memory_of(file, symbol);
    const char *name = symbol->name < names->size ? names->at + symbol->name : "";
    if (section == NULL || !elf_is_loaded(section) || file->ntables == ELF_TABLES_MOST || symbol->type > ELF_FUNCTION
        || text_length(name, 64) >= 64 || !names_table(name))
        return;
    file->tables[file->ntables++] =
        (struct trace_symbol){symbol->value, size_of(symbol, symbol->value, section), NULL, 0};
}

/* Whether it is a function or an object. */
static bool is_wanted(const struct elf_symbol *symbol)
{
    return symbol->type == ELF_FUNCTION || symbol->type == ELF_OBJECT || symbol->type == ELF_IFUNC;
}

/* Add a symbol of the file to file->symbols, which has room for it, if it is wanted there. */
static void add_symbol(struct firmware_file *file, const struct elf_symbol *symbol, struct names *names)
{
    struct trace_symbol *to = &file->symbols[file->firmware.nsymbols];
    const struct elf_section *section = is_wanted(symbol) ? memory_of(file, symbol) : NULL;
    const char *name = section != NULL ? name_at(names, symbol->name) : NULL;
    if (!elf_shows_name(name))
        return;
    if (file->firmware.nsymbols == ELF_SYMBOLS_MAX) {
        names->cut = true;
        return;
    }
    to->address = symbol->value;
    if (file->thumb && symbol->type == ELF_FUNCTION)
        to->address &= ~(uint64_t)1;
    to->size = size_of(symbol, to->address, section);
    if (to->size > UINT64_MAX - to->address)
        to->size = UINT64_MAX - to->address;
    to->name = plain_name(file, name);
    to->type = letter_of(symbol, section);
    file->firmware.nsymbols++;
}

/* Of several symbols at one address the one with the lowest rank is kept: global, then weak, then local. */
static int rank(const struct trace_symbol *symbol)
{
    return strchr("TDBR", symbol->type) != NULL ? 0 : strchr("WV", symbol->type) != NULL ? 1 : 2;
}

/* For qsort(): by address; at one address the one to keep first: by rank, then the shorter name, then by the alphabet.
 */
static int symbol_order(const void *a, const void *b)
{
    const struct trace_symbol *left = a, *right = b;
    size_t left_length, right_length;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    if (rank(left) != rank(right))
        return rank(left) - rank(right);
    left_length = strlen(left->name);
    right_length = strlen(right->name);
    if (left_length != right_length)
        return left_length < right_length ? -1 : 1;
    return strcmp(left->name, right->name);
}

static bool is_code(const struct trace_symbol *symbol)
{
    return strchr("TtW", symbol->type) != NULL;
}

/* Sort the symbols, and keep one at each address. */
static void keep_one_each(struct firmware_file *file)
{
    size_t kept = 0;
    sort(file->symbols, file->firmware.nsymbols, sizeof *file->symbols, symbol_order);
    for (size_t i = 0; i < file->firmware.nsymbols; i++) {
        if (kept == 0 || file->symbols[i].address != file->symbols[kept - 1u].address)
            file->symbols[kept++] = file->symbols[i];
    }
    file->firmware.nsymbols = kept;
}

/* Add a symbol where the last one ends: the last one of code, or of all. Viewers that know no sizes take a symbol to
 * reach to the next one, and would never find the last one. There is room for the new symbol. */
static void mark_end(struct firmware_file *file, const char *name, bool code)
{
    struct trace_symbol *last = NULL;
    struct trace_symbol end = {0, 0, name, code ? 'T' : 'B'};
    size_t at;
    for (size_t i = 0; i < file->firmware.nsymbols; i++) {
        if (!code || is_code(&file->symbols[i]))
            last = &file->symbols[i];
    }
    if (last == NULL || last->size == 0)
        return;
    end.address = last->address + last->size;
    at = (size_t)(last - file->symbols) + 1u;
    if (at < file->firmware.nsymbols && file->symbols[at].address <= end.address)
        return;
    memmove(&file->symbols[at + 1u], &file->symbols[at], (file->firmware.nsymbols - at) * sizeof end);
    file->symbols[at] = end;
    file->firmware.nsymbols++;
}

/* The first entry of the table is always empty. */
int elf_read_symbols(struct firmware_file *file)
{
    struct elf_symbols symbols;
    struct names names;
    if (!elf_file_symbols(&file->elf, &symbols))
        return elf_damaged(file);
    if (symbols.n == 0)
        return 0;
    names = names_of(symbols.names);
    file->symbols = heap_alloc((symbols.n + 2u) * sizeof *file->symbols); /* 2: those of mark_end() */
    if (file->symbols == NULL)
        return elf_no_memory(file);
    file->plain = heap_alloc(names.size + 1u);
    file->plain_size = names.size;
    for (size_t i = 1; i < symbols.n; i++) {
        const struct elf_symbol symbol = elf_file_next_symbol(&symbols);
        add_symbol(file, &symbol, &names);
        note_table(file, &symbol, &names);
    }
    if (names.cut)
        elf_warn(file, "more symbols than a firmware has, or longer ones: not all of them are known");
    keep_one_each(file);
    mark_end(file, ELF_CODE_END, true);
    mark_end(file, ELF_END, false);
    file->firmware.symbols = file->symbols;
    return 0;
}
