/* firmware.c - the firmware's ELF file, read by libelf: see firmware.h.
 *
 * The file stays open until firmware_close(): the texts of names, format strings and the build id are libelf's and
 * live as long as the file is open.
 *
 * Source: Tool Interface Standard, Executable and Linking Format Specification, 1.2; ELF for the Arm Architecture.
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "io/firmware.h"

#include "base/sort.h"
#include "io/elf_debug.h"
#include "io/elf_events.h"
#include "io/elf_names.h"
#include "io/elf_vectors.h"
#include "io/events_file.h"
#include "model/message.h"
#include "model/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMATS_SECTION "tlog_printk"
#define SYMBOLS_MAX     (1u << 20) /* symbols and format strings that are kept: further ones are left out */
#define ID_TEXT_BYTES   41u        /* a build id of 20 bytes in hexadecimal digits, with a NUL */

/* A section of format strings. */
struct texts {
    const char *at;         /* its bytes, libelf's */
    uint64_t address, size; /* in the firmware's memory, or from 0 up; bytes */
};

struct firmware_file {
    struct trace *trace;
    const char *path; /* as the user gave it */
    char *real_path;  /* the same without links and without the directory that it is relative to; NULL: there is none */
    int fd;
    struct events_file *saved; /* what is read in place of an ELF file; then elf is NULL */
    Elf *elf;
    uint64_t left;                  /* bytes of sections that may still be read */
    size_t names;                   /* index of the section with the sections' names */
    bool thumb;                     /* bit 0 of a function's address tells Thumb code and is no part of the address */
    struct trace_symbol *symbols;   /* firmware.nsymbols of them */
    struct trace_segment *segments; /* firmware.nsegments of them */
    struct trace_printk *formats;   /* the format strings: trace->nprintk of them */
    struct trace_descriptors *descriptors; /* firmware.ndescriptors of them */
    struct trace_handler *handlers;        /* firmware.nhandlers of them */
    struct texts *texts;                   /* ntexts of them, in order of address, without overlap */
    size_t ntexts;
    struct trace_firmware firmware; /* what trace->firmware points to */
};

/* Fail because the file is not as it should be. libelf knows why, unless something is only missing. */
static int damaged(struct firmware_file *elf)
{
    int error = elf_errno();
    return trace_fail(elf->trace, "%s: damaged ELF file: %s", elf->path,
                      error != 0 ? elf_errmsg(error) : "parts are missing");
}

static int no_memory(struct firmware_file *elf)
{
    return trace_fail(elf->trace, "%s: no memory for what is in it", elf->path);
}

/* A message about the file, not about the input as those of trace_note(). */
static void warn(const struct firmware_file *elf, const char *what)
{
    if (!elf->trace->quiet)
        message("%s: %s", elf->path, what);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static Elf_Data *content(struct firmware_file *elf, Elf_Scn *section)
{
    return elf_content(section, &elf->left);
}

/* The first section of that type and its header, or NULL. */
static Elf_Scn *section_of_type(struct firmware_file *elf, Elf64_Word type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf->elf, section)) != NULL) {
        if (gelf_getshdr(section, header) != NULL && header->sh_type == type)
            return section;
    }
    return NULL;
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */

/* The letter that nm shows for a symbol in that section: code, without bytes in the file, data, read-only. It is small
 * for a local symbol; weak symbols have letters of their own. */
static char letter_of(const GElf_Sym *symbol, const GElf_Shdr *section)
{
    bool local = GELF_ST_BIND(symbol->st_info) == STB_LOCAL;
    char letter = section->sh_flags & SHF_EXECINSTR       ? 'T'
                  : section->sh_type == SHT_NOBITS        ? 'B'
                  : (section->sh_flags & SHF_WRITE) != 0u ? 'D'
                                                          : 'R';
    if (GELF_ST_BIND(symbol->st_info) == STB_WEAK)
        return GELF_ST_TYPE(symbol->st_info) == STT_OBJECT ? 'V' : 'W';
    return local ? (char)(letter - 'A' + 'a') : letter;
}

/* Whether the symbol is a function or an object in the firmware's memory. *section: the header of its section. */
static bool is_wanted(struct firmware_file *elf, const GElf_Sym *symbol, GElf_Shdr *section)
{
    unsigned char type = GELF_ST_TYPE(symbol->st_info);
    Elf_Scn *in;
    if (type != STT_FUNC && type != STT_OBJECT && type != STT_GNU_IFUNC)
        return false;
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
        return false;
    in = elf_getscn(elf->elf, symbol->st_shndx);
    return in != NULL && gelf_getshdr(in, section) != NULL && (section->sh_flags & SHF_ALLOC) != 0;
}

/* The size of a symbol in bytes. One without a size, as from assembler, gets all up to the end of its section: a lookup
 * finds the last symbol before an address, so the next symbol ends it. */
static uint64_t size_of(const GElf_Sym *symbol, uint64_t address, const GElf_Shdr *section)
{
    if (symbol->st_size > 0)
        return symbol->st_size;
    if (address < section->sh_addr || address - section->sh_addr > section->sh_size)
        return 0;
    return section->sh_size - (address - section->sh_addr);
}

/* Add a symbol of the file to elf->symbols, which has room for it, if it is wanted there. */
static void add_symbol(struct firmware_file *elf, const GElf_Sym *symbol, struct elf_names *names)
{
    struct trace_symbol *to = &elf->symbols[elf->firmware.nsymbols];
    GElf_Shdr section;
    const char *name = is_wanted(elf, symbol, &section) ? elf_names_at(names, symbol->st_name) : NULL;
    if (!elf_names_shown(name))
        return;
    if (elf->firmware.nsymbols == SYMBOLS_MAX) {
        names->cut = true;
        return;
    }
    to->address = symbol->st_value;
    if (elf->thumb && GELF_ST_TYPE(symbol->st_info) == STT_FUNC)
        to->address &= ~(uint64_t)1;
    to->size = size_of(symbol, to->address, &section);
    if (to->size > UINT64_MAX - to->address)
        to->size = UINT64_MAX - to->address;
    to->name = name;
    to->type = letter_of(symbol, &section);
    elf->firmware.nsymbols++;
}

/* Of symbols at one address the one with the lowest rank is kept: global before weak before local. */
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
static void keep_one_each(struct firmware_file *elf)
{
    size_t kept = 0;
    sort(elf->symbols, elf->firmware.nsymbols, sizeof *elf->symbols, symbol_order);
    for (size_t i = 0; i < elf->firmware.nsymbols; i++) {
        if (kept == 0 || elf->symbols[i].address != elf->symbols[kept - 1u].address)
            elf->symbols[kept++] = elf->symbols[i];
    }
    elf->firmware.nsymbols = kept;
}

/* Add a symbol where the last one ends: the last one of code, or of all. It is for viewers that know no sizes: they
 * take all up to the next symbol for a part of this one, and never find the last one. There is room for it. */
static void mark_end(struct firmware_file *elf, const char *name, bool code)
{
    struct trace_symbol *last = NULL;
    struct trace_symbol end = {0, 0, name, code ? 'T' : 'B'};
    size_t at;
    for (size_t i = 0; i < elf->firmware.nsymbols; i++) {
        if (!code || is_code(&elf->symbols[i]))
            last = &elf->symbols[i];
    }
    if (last == NULL || last->size == 0)
        return;
    end.address = last->address + last->size;
    at = (size_t)(last - elf->symbols) + 1u;
    if (at < elf->firmware.nsymbols && elf->symbols[at].address <= end.address)
        return;
    memmove(&elf->symbols[at + 1u], &elf->symbols[at], (elf->firmware.nsymbols - at) * sizeof end);
    elf->symbols[at] = end;
    elf->firmware.nsymbols++;
}

/* Read the table of symbols, if there is one. The first entry of the table is always empty. */
static int read_symbols(struct firmware_file *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = section_of_type(elf, SHT_SYMTAB, &header);
    Elf_Data *data = section != NULL ? content(elf, section) : NULL;
    size_t n = data != NULL && header.sh_entsize > 0 ? data->d_size / header.sh_entsize : 0;
    struct elf_names names = {0};
    Elf_Scn *texts;
    if (section == NULL)
        return 0;
    if (data == NULL || n == 0 || n > INT32_MAX)
        return damaged(elf);
    elf->symbols = malloc((n + 2u) * sizeof *elf->symbols); /* 2: those of mark_end() */
    if (elf->symbols == NULL)
        return no_memory(elf);
    texts = elf_getscn(elf->elf, header.sh_link);
    names = elf_names_of(texts != NULL ? content(elf, texts) : NULL);
    for (size_t i = 1; i < n; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return damaged(elf);
        add_symbol(elf, &symbol, &names);
    }
    if (names.cut)
        warn(elf, "more symbols than a firmware has, or longer ones: not all of them are known");
    keep_one_each(elf);
    mark_end(elf, FIRMWARE_CODE_END, true);
    mark_end(elf, FIRMWARE_END, false);
    elf->firmware.symbols = elf->symbols;
    return 0;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* For qsort(): by address. */
static int segment_order(const void *a, const void *b)
{
    const struct trace_segment *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Take the segments that are loaded into the firmware's memory. */
static int read_segments(struct firmware_file *elf)
{
    const char *name = elf->real_path != NULL ? elf->real_path : elf->path;
    size_t n;
    if (elf_getphdrnum(elf->elf, &n) != 0)
        return damaged(elf);
    elf->segments = malloc((n + 1u) * sizeof *elf->segments);
    if (elf->segments == NULL)
        return no_memory(elf);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(elf->elf, (int)i, &header) == NULL)
            return damaged(elf);
        if (header.p_type == PT_LOAD && header.p_memsz > 0)
            elf->segments[elf->firmware.nsegments++] = (struct trace_segment){header.p_vaddr, header.p_memsz, name};
    }
    qsort(elf->segments, elf->firmware.nsegments, sizeof *elf->segments, segment_order);
    elf->firmware.segments = elf->segments;
    return 0;
}

/* ---- build id ---------------------------------------------------------------------------------------------------- */

/* Find the build id among the notes of a section. */
static bool take_build_id(struct firmware_file *elf, Elf_Data *notes)
{
    size_t at = 0, name, text;
    GElf_Nhdr note;
    while ((at = gelf_getnote(notes, at, &note, &name, &text)) > 0) {
        const unsigned char *bytes = notes->d_buf;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4u || memcmp(bytes + name, "GNU", 4) != 0)
            continue;
        elf->firmware.build_id = bytes + text;
        elf->firmware.build_id_size = note.n_descsz;
        return true;
    }
    return false;
}

/* Look for the build id in all sections of notes. A file may have none. */
static int read_build_id(struct firmware_file *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(elf->elf, section)) != NULL) {
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE || header.sh_size == 0)
            continue;
        data = content(elf, section);
        if (data == NULL)
            return damaged(elf);
        if (take_build_id(elf, data))
            return 0;
    }
    return 0;
}

/* ---- format strings ---------------------------------------------------------------------------------------------- */

/* The text at an address of a section, up to its NUL; NULL outside of the section, or if there is no NUL. */
static const char *text_at(const struct texts *texts, uint64_t address)
{
    uint64_t at = address - texts->address;
    if (address < texts->address || at >= texts->size)
        return NULL;
    return memchr(texts->at + at, '\0', texts->size - at) != NULL ? texts->at + at : NULL;
}

/* The next format string from *address on, which becomes its address; NULL if there is none. Between two of them are
 * NULs, for alignment. */
static const char *next_format(const struct texts *texts, uint64_t *address)
{
    const char *format;
    while ((format = text_at(texts, *address)) != NULL && format[0] == '\0')
        ++*address;
    return format;
}

/* How many format strings a section has, at most `most`. With to not NULL they are also stored there. */
static size_t take_formats(const struct texts *texts, struct trace_printk *to, size_t most)
{
    const char *format;
    size_t n = 0;
    for (uint64_t at = texts->address; n < most && (format = next_format(texts, &at)) != NULL;
         at += strlen(format) + 1u, n++) {
        if (to != NULL)
            to[n] = (struct trace_printk){.address = at, .format = format};
    }
    return n;
}

/* Whether a section has format strings, by its name. C++ has a section for each one: they stay separate where the
 * linker script does not put them together. */
static bool is_formats(const struct firmware_file *elf, const GElf_Shdr *header)
{
    const char *name = elf_strptr(elf->elf, elf->names, header->sh_name);
    size_t length = sizeof FORMATS_SECTION - 1u;
    return name != NULL && strncmp(name, FORMATS_SECTION, length) == 0 && (name[length] == '\0' || name[length] == '.')
           && header->sh_type == SHT_PROGBITS && header->sh_size > 0;
}

/* Add a section of format strings, for which there is room. */
static int add_texts(struct firmware_file *elf, Elf_Scn *section, uint64_t address)
{
    Elf_Data *data = content(elf, section);
    if (data == NULL || data->d_size > UINT64_MAX - address)
        return damaged(elf);
    elf->texts[elf->ntexts++] = (struct texts){data->d_buf, address, data->d_size};
    return 0;
}

/* For qsort(): by address. */
static int texts_order(const void *a, const void *b)
{
    const struct texts *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Find all sections of format strings. */
static int find_texts(struct firmware_file *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t n;
    if (elf_getshdrnum(elf->elf, &n) != 0)
        return damaged(elf);
    elf->texts = malloc((n + 1u) * sizeof *elf->texts);
    if (elf->texts == NULL)
        return no_memory(elf);
    while ((section = elf_nextscn(elf->elf, section)) != NULL && elf->ntexts < n) {
        if (gelf_getshdr(section, &header) != NULL && is_formats(elf, &header)
            && add_texts(elf, section, header.sh_addr) != 0)
            return -1;
    }
    qsort(elf->texts, elf->ntexts, sizeof *elf->texts, texts_order);
    return 0;
}

/* Forget all format strings if sections of them overlap: an address in two sections could mean either. */
static void drop_overlapping(struct firmware_file *elf)
{
    bool overlapping = false;
    for (size_t i = 1; i < elf->ntexts; i++)
        overlapping = overlapping || elf->texts[i].address - elf->texts[i - 1u].address < elf->texts[i - 1u].size;
    if (!overlapping)
        return;
    elf->ntexts = 0;
    warn(elf, "its sections " FORMATS_SECTION ".* lie over each other, and no format is known: see linker/sections.ld");
}

/* Read all format strings: count them, then store them, in order of address, and find their functions. */
static int read_formats(struct firmware_file *elf)
{
    struct trace *trace = elf->trace;
    size_t n = 0;
    if (find_texts(elf) != 0)
        return -1;
    elf->firmware.has_formats = elf->ntexts > 0;
    drop_overlapping(elf);
    for (size_t i = 0; i < elf->ntexts; i++)
        n += take_formats(&elf->texts[i], NULL, SYMBOLS_MAX - n);
    if (n == SYMBOLS_MAX)
        warn(elf, "more format strings than a firmware has: not all of them are known");
    elf->formats = malloc((n + 1u) * sizeof *elf->formats);
    if (elf->formats == NULL)
        return no_memory(elf);
    n = 0;
    for (size_t i = 0; i < elf->ntexts; i++)
        n += take_formats(&elf->texts[i], elf->formats + n, SYMBOLS_MAX - n);
    elf_debug_functions(elf->elf, elf->formats, n);
    trace->nprintk = n;
    trace->printk = elf->formats;
    return 0;
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

static int read_descriptors(struct firmware_file *elf)
{
    GElf_Ehdr header;
    elf->firmware.big_endian = gelf_getehdr(elf->elf, &header) != NULL && header.e_ident[EI_DATA] == ELFDATA2MSB;
    elf->descriptors =
        elf_events(elf->elf, elf->names, &elf->left, &elf->firmware.ndescriptors, &elf->firmware.nsections);
    elf->firmware.descriptors = elf->descriptors;
    return elf->descriptors != NULL ? 0 : no_memory(elf);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Check that the file has its tables of sections and segments: libelf reports no error of a file that was cut off. */
static int check_tables(struct firmware_file *elf, const GElf_Ehdr *header)
{
    uint64_t sections = (uint64_t)header->e_shnum * header->e_shentsize;
    uint64_t segments = (uint64_t)header->e_phnum * header->e_phentsize;
    struct stat status;
    if (fstat(elf->fd, &status) != 0)
        return trace_fail(elf->trace, "%s: %s", elf->path, strerror(errno));
    if (header->e_shoff > (uint64_t)status.st_size || sections > (uint64_t)status.st_size - header->e_shoff
        || header->e_phoff > (uint64_t)status.st_size || segments > (uint64_t)status.st_size - header->e_phoff)
        return trace_fail(elf->trace, "%s: damaged ELF file: its tables end behind the file, which is cut off",
                          elf->path);
    elf->left = 2u * (uint64_t)status.st_size;
    return 0;
}

/* Check that the table of the sections' names ends with a NUL. If not, libelf would look for one behind each name. */
static int check_names(struct firmware_file *elf)
{
    Elf_Scn *section = elf_getscn(elf->elf, elf->names);
    Elf_Data *data = section != NULL && elf->names != 0 ? content(elf, section) : NULL;
    if (data != NULL && ((const char *)data->d_buf)[data->d_size - 1u] != '\0')
        return trace_fail(elf->trace, "%s: damaged ELF file: the names of its sections have no end", elf->path);
    return 0;
}

/* Check that the file is a linked program. */
static int read_header(struct firmware_file *elf)
{
    GElf_Ehdr header;
    if (elf_kind(elf->elf) != ELF_K_ELF)
        return trace_fail(elf->trace, "%s: not an ELF file", elf->path);
    if (gelf_getehdr(elf->elf, &header) == NULL || elf_getshdrstrndx(elf->elf, &elf->names) != 0)
        return damaged(elf);
    if (header.e_type == ET_REL)
        return trace_fail(elf->trace, "%s: an object file, not a linked firmware: its addresses are not final",
                          elf->path);
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return trace_fail(elf->trace, "%s: an ELF file of type %u, not a linked firmware", elf->path,
                          (unsigned)header.e_type);
    elf->thumb = header.e_machine == EM_ARM;
    return check_tables(elf, &header) != 0 ? -1 : check_names(elf);
}

static int load(struct firmware_file *elf)
{
    char text[32];
    ssize_t n;
    elf_version(EV_CURRENT);
    elf->fd = open(elf->path, O_RDONLY | O_CLOEXEC);
    if (elf->fd < 0)
        return trace_fail(elf->trace, "%s: %s", elf->path, strerror(errno));
    n = pread(elf->fd, text, sizeof text, 0);
    if (n > 0 && events_file_is(text, (size_t)n)) {
        elf->saved = events_file_open(elf->trace, elf->path, elf->fd, &elf->firmware);
        return elf->saved != NULL ? 0 : -1;
    }
    elf->elf = elf_begin(elf->fd, ELF_C_READ, NULL);
    if (elf->elf == NULL)
        return trace_fail(elf->trace, "%s: cannot be read: %s", elf->path, elf_errmsg(-1));
    if (read_header(elf) != 0 || read_symbols(elf) != 0 || read_segments(elf) != 0 || read_formats(elf) != 0
        || read_build_id(elf) != 0 || read_descriptors(elf) != 0)
        return -1;
    elf->firmware.handlers = elf->handlers =
        elf_vectors(elf->elf, elf->names, &elf->firmware, &elf->firmware.nhandlers);
    return 0;
}

struct firmware_file *firmware_open(struct trace *trace, const char *path)
{
    struct firmware_file *elf = calloc(1, sizeof *elf);
    if (elf == NULL) {
        trace_fail(trace, "%s: no memory", path);
        return NULL;
    }
    elf->trace = trace;
    elf->path = path;
    elf->real_path = realpath(path, NULL);
    elf->fd = -1;
    if (load(elf) != 0) {
        firmware_close(elf);
        return NULL;
    }
    if (elf->firmware.nsymbols == 0)
        warn(elf, "no symbols in it, it may be stripped: addresses stay numbers");
    elf->firmware.path = elf->path;
    trace->firmware = &elf->firmware;
    return elf;
}

void firmware_close(struct firmware_file *elf)
{
    if (elf == NULL)
        return;
    elf->trace->firmware = NULL;
    elf->trace->printk = NULL;
    elf->trace->nprintk = 0;
    if (elf->elf != NULL)
        elf_end(elf->elf);
    if (elf->fd >= 0)
        close(elf->fd);
    free(elf->real_path);
    free(elf->symbols);
    free(elf->segments);
    free(elf->formats);
    free(elf->texts);
    events_file_close(elf->saved);
    free(elf->descriptors);
    free(elf->handlers);
    free(elf);
}

/* ---- is it the right file? --------------------------------------------------------------------------------------- */

/* Write a build id in hexadecimal digits, cut after ID_TEXT_BYTES. */
static void put_id(char *to, const unsigned char *id, size_t size)
{
    for (size_t i = 0; i < size && 2u * i + 2u < ID_TEXT_BYTES; i++)
        snprintf(to + 2u * i, 3, "%02x", id[i]);
}

/* The input tells the first 8 bytes of the build id, or none. */
void firmware_compare(struct firmware_file *elf, const struct trace *trace)
{
    static const unsigned char none[TRACE_BUILD_BYTES];
    struct trace_firmware *firmware = &elf->firmware;
    char dump[ID_TEXT_BYTES] = "", file[ID_TEXT_BYTES] = "none";
    firmware->is_wrong = memcmp(trace->build, none, sizeof none) != 0
                         && (firmware->build_id_size < TRACE_BUILD_BYTES
                             || memcmp(trace->build, firmware->build_id, TRACE_BUILD_BYTES) != 0);
    if (trace->quiet || !firmware->is_wrong)
        return;
    put_id(dump, trace->build, TRACE_BUILD_BYTES);
    put_id(file, firmware->build_id,
           firmware->build_id_size < TRACE_BUILD_BYTES ? firmware->build_id_size : TRACE_BUILD_BYTES);
    message("%s is not the firmware of this dump: build id %s, dump has %s; names may be wrong", elf->path, file, dump);
}
