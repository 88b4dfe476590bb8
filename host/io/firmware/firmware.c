/* firmware.c - opens the firmware's ELF file, finds it by its build id, and compares that with a trace's.
 *
 * The file stays open until firmware_close(): the texts of names, format strings and the build id are libelf's and live
 * as long as the file is open.
 *
 * Source: Tool Interface Standard, Executable and Linking Format Specification, 1.2; ELF for the Arm Architecture.
 */

#include "io/firmware/firmware.h"

#include "base/printable.h"
#include "base/text.h"
#include "io/firmware/elf.h"
#include "io/firmware/events_file.h"
#include "os/os_file.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_TEXT_BYTES 41u  /* a build id of 20 bytes in hexadecimal digits, with a NUL */
#define ID_MOST       32u  /* bytes of a build id that are compared */
#define NOTES         4096 /* bytes of notes that are looked through for one */

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* For qsort(): by address. */
static int segment_order(const void *a, const void *b)
{
    const struct trace_segment *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Take the segments that are loaded into the firmware's memory. */
static int read_segments(struct firmware_file *file)
{
    const char *name = file->real_path != NULL ? file->real_path : file->path;
    size_t n;
    if (elf_getphdrnum(file->elf, &n) != 0)
        return elf_damaged(file);
    file->segments = malloc((n + 1u) * sizeof *file->segments);
    if (file->segments == NULL)
        return elf_no_memory(file);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(file->elf, (int)i, &header) == NULL)
            return elf_damaged(file);
        if (header.p_type == PT_LOAD && header.p_memsz > 0)
            file->segments[file->firmware.nsegments++] = (struct trace_segment){header.p_vaddr, header.p_memsz, name};
    }
    qsort(file->segments, file->firmware.nsegments, sizeof *file->segments, segment_order);
    file->firmware.segments = file->segments;
    return 0;
}

/* ---- build id ---------------------------------------------------------------------------------------------------- */

/* The build id among the notes of a section, and its size; NULL: there is none. */
static const unsigned char *build_id_in(Elf_Data *notes, size_t *size)
{
    size_t at = 0, name, text;
    GElf_Nhdr note;
    while ((at = gelf_getnote(notes, at, &note, &name, &text)) > 0) {
        const unsigned char *bytes = notes->d_buf;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4u || memcmp(bytes + name, "GNU", 4) != 0)
            continue;
        *size = note.n_descsz;
        return bytes + text;
    }
    return NULL;
}

/* Look for the build id in all sections of notes. A file may have none. */
static int read_build_id(struct firmware_file *file)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(file->elf, section)) != NULL) {
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE || header.sh_size == 0)
            continue;
        data = elf_content(section, &file->left);
        if (data == NULL)
            return elf_damaged(file);
        file->firmware.build_id = build_id_in(data, &file->firmware.build_id_size);
        if (file->firmware.build_id != NULL)
            return 0;
    }
    return 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Check that the file has its tables of sections and segments: libelf reports no error of a file that was cut off. */
static int check_tables(struct firmware_file *file, const GElf_Ehdr *header)
{
    uint64_t sections = (uint64_t)header->e_shnum * header->e_shentsize;
    uint64_t segments = (uint64_t)header->e_phnum * header->e_phentsize;
    struct os_status status;
    if (!os_status_of(file->fd, &status))
        return trace_fail(file->trace, "%s: %s", file->path, strerror(errno));
    if (header->e_shoff > status.size || sections > status.size - header->e_shoff || header->e_phoff > status.size
        || segments > status.size - header->e_phoff)
        return trace_fail(file->trace, "%s: damaged ELF file: its tables end behind the file, which is cut off",
                          file->path);
    file->left = 3u * status.size;
    return 0;
}

/* Check that the table of the sections' names ends with a NUL. If not, libelf would look for one behind each name. */
static int check_names(struct firmware_file *file)
{
    Elf_Scn *section = elf_getscn(file->elf, file->names);
    Elf_Data *data = section != NULL && file->names != 0 ? elf_content(section, &file->left) : NULL;
    if (data != NULL && ((const char *)data->d_buf)[data->d_size - 1u] != '\0')
        return trace_fail(file->trace, "%s: damaged ELF file: the names of its sections have no end", file->path);
    return 0;
}

/* Check that the file is a linked program. */
static int read_header(struct firmware_file *file)
{
    GElf_Ehdr header;
    if (elf_kind(file->elf) != ELF_K_ELF)
        return trace_fail(file->trace, "%s: not an ELF file", file->path);
    if (gelf_getehdr(file->elf, &header) == NULL || elf_getshdrstrndx(file->elf, &file->names) != 0)
        return elf_damaged(file);
    if (header.e_type == ET_REL)
        return trace_fail(file->trace, "%s: an object file, not a linked firmware: its addresses are not final",
                          file->path);
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return trace_fail(file->trace, "%s: an ELF file of type %u, not a linked firmware", file->path,
                          (unsigned)header.e_type);
    file->thumb = header.e_machine == EM_ARM;
    return check_tables(file, &header) != 0 ? -1 : check_names(file);
}

static int load(struct firmware_file *file)
{
    char text[32];
    size_t n;
    int error;
    elf_version(EV_CURRENT);
    file->fd = os_open(file->path);
    if (file->fd < 0)
        return trace_fail(file->trace, "%s: %s", file->path, strerror(errno));
    n = os_read_at(file->fd, 0, text, sizeof text, &error);
    if (n > 0 && events_file_is(text, n)) {
        file->saved = events_file_open(file->trace, file->path, file->fd, &file->firmware);
        return file->saved != NULL ? 0 : -1;
    }
    file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
    if (file->elf == NULL)
        return trace_fail(file->trace, "%s: cannot be read: %s", file->path, elf_errmsg(-1));
    if (read_header(file) != 0 || elf_read_symbols(file) != 0 || read_segments(file) != 0 || elf_read_formats(file) != 0
        || read_build_id(file) != 0 || elf_read_descriptors(file) != 0)
        return -1;
    elf_read_handlers(file);
    elf_read_rings(file);
    return 0;
}

struct firmware_file *firmware_open(struct trace *trace, const char *path)
{
    struct firmware_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        trace_fail(trace, "%s: no memory", path);
        return NULL;
    }
    file->trace = trace;
    file->path = path;
    file->real_path = os_real_path(path);
    file->fd = -1;
    if (load(file) != 0) {
        firmware_close(file);
        return NULL;
    }
    if (file->firmware.nsymbols == 0)
        elf_warn(file, "no symbols in it, it may be stripped: addresses stay numbers");
    file->firmware.path = file->path;
    trace->firmware = &file->firmware;
    return file;
}

void firmware_close(struct firmware_file *file)
{
    if (file == NULL)
        return;
    file->trace->firmware = NULL;
    file->trace->printk = NULL;
    file->trace->nprintk = 0;
    if (file->elf != NULL)
        elf_end(file->elf);
    if (file->fd >= 0)
        os_close(file->fd);
    free(file->real_path);
    free(file->symbols);
    free(file->plain);
    free(file->segments);
    free(file->formats);
    free(file->texts);
    events_file_close(file->saved);
    free(file->descriptors);
    free(file->handlers);
    free(file);
}

/* ---- is it the right file? --------------------------------------------------------------------------------------- */

/* Write a build id in hexadecimal digits, cut after ID_TEXT_BYTES. */
static void put_id(char *to, const unsigned char *id, size_t size)
{
    for (size_t i = 0; i < size && 2u * i + 2u < ID_TEXT_BYTES; i++)
        snprintf(to + 2u * i, 3, "%02x", id[i]);
}

/* The input tells the first 8 bytes of the build id, or none. */
void firmware_compare(struct firmware_file *file, const struct trace *trace)
{
    static const unsigned char none[TRACE_BUILD_BYTES];
    struct trace_firmware *firmware = &file->firmware;
    char dump[ID_TEXT_BYTES] = "", own[ID_TEXT_BYTES] = "none";
    firmware->is_wrong = memcmp(trace->build, none, sizeof none) != 0
                         && (firmware->build_id_size < TRACE_BUILD_BYTES
                             || memcmp(trace->build, firmware->build_id, TRACE_BUILD_BYTES) != 0);
    if (trace->quiet || !firmware->is_wrong)
        return;
    put_id(dump, trace->build, TRACE_BUILD_BYTES);
    put_id(own, firmware->build_id,
           firmware->build_id_size < TRACE_BUILD_BYTES ? firmware->build_id_size : TRACE_BUILD_BYTES);
    trace_tell(trace, "%s is not the firmware of this dump: build id %s, dump has %s; names may be wrong", file->path,
               own, dump);
}

/* ---- finding it -------------------------------------------------------------------------------------------------- */

/* What is looked for. */
struct wanted {
    const unsigned char *id;
    size_t n;
};

static bool elf_has(const struct wanted *wanted, int fd)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    uint64_t left = NOTES;
    bool found = false;
    while (elf != NULL && !found && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        const unsigned char *id;
        size_t size = 0;
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE)
            continue;
        data = elf_content(section, &left);
        id = data != NULL ? build_id_in(data, &size) : NULL;
        found = id != NULL && size >= wanted->n && memcmp(id, wanted->id, wanted->n) == 0;
    }
    elf_end(elf);
    return found;
}

/* The build id is in the second line. */
static bool text_has(const struct wanted *wanted, const char *text)
{
    char line[16 + 2u * ID_MOST] = "build-id ";
    const char *second = strchr(text, '\n');
    *hex_put(line + strlen(line), wanted->id, wanted->n) = '\0';
    return second != NULL && strncmp(second + 1, line, strlen(line)) == 0;
}

static bool file_has(const struct wanted *wanted, const char *path)
{
    char text[128] = "";
    struct os_status status;
    int fd = os_open_file(OS_HERE, path, &status), error;
    size_t n;
    bool found = false;
    if (fd < 0)
        return false;
    n = os_read_at(fd, 0, text, sizeof text - 1u, &error);
    if (n >= 4 && memcmp(text, ELFMAG, SELFMAG) == 0)
        found = elf_has(wanted, fd);
    else if (n > 0 && events_file_is(text, n))
        found = text_has(wanted, text);
    os_close(fd);
    return found;
}

/* Look through one folder. */
static char *find_in(const struct wanted *wanted, const char *folder)
{
    int directory = os_open_directory(folder);
    char **names = directory >= 0 ? os_list(directory, ".") : NULL, *found = NULL;
    for (size_t i = 0; names != NULL && names[i] != NULL && found == NULL; i++) {
        struct growing_text path = {0};
        text_add(&path, "%s/%s", folder, names[i]);
        if (!path.failed && file_has(wanted, path.bytes))
            found = path.bytes;
        else
            free(path.bytes);
    }
    os_list_free(names);
    if (directory >= 0)
        os_close(directory);
    return found;
}

char *firmware_find(const char *folders, const unsigned char *build_id, size_t n)
{
    const struct wanted wanted = {build_id, n < ID_MOST ? n : ID_MOST};
    char *found = NULL;
    elf_version(EV_CURRENT);
    while (folders != NULL && *folders != '\0' && found == NULL) {
        size_t length = strcspn(folders, ":");
        char *folder = length > 0 ? text_part(folders, length) : NULL;
        if (folder != NULL)
            found = find_in(&wanted, folder);
        free(folder);
        folders += length + (folders[length] == ':');
    }
    return found;
}
