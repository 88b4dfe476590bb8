/* firmware.c - opens the firmware's ELF file, finds it by its build id, and compares that with a trace's.
 *
 * The file stays open until firmware_close(): the texts of names, format strings and the build id are those of its
 * sections (io/elf_file.h), and live as long as the file is open.
 *
 * Source: ELF for the Arm Architecture.
 */

#include "io/firmware/firmware.h"

#include "base/heap.h"
#include "base/printable.h"
#include "base/text.h"
#include "io/firmware/elf.h"
#include "io/firmware/events_file.h"
#include "os/os_file.h"

#include <errno.h>
#include <inttypes.h>
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
    file->segments = heap_alloc(((size_t)file->elf.nsegments + 1u) * sizeof *file->segments);
    if (file->segments == NULL)
        return elf_no_memory(file);
    for (size_t i = 0; i < file->elf.nsegments; i++) {
        const struct elf_segment *from = &file->elf.segments[i];
        if (from->type == ELF_LOAD && from->memory > 0)
            file->segments[file->firmware.nsegments++] = (struct trace_segment){from->address, from->memory, name};
    }
    qsort(file->segments, file->firmware.nsegments, sizeof *file->segments, segment_order);
    file->firmware.segments = file->segments;
    return 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* For struct cursor. */
static size_t read_file(void *file, uint64_t at, void *to, size_t size)
{
    struct firmware_file *from = file;
    return os_read_at(from->fd, at, to, size, &from->error);
}

/* Open the file as one of ELF. False: it is none, or damaged, or cannot be read. */
static bool open_elf(struct firmware_file *file)
{
    struct os_status status;
    const bool is_known = os_status_of(file->fd, &status);
    file->error = is_known ? 0 : errno;
    return is_known && elf_file_open(&file->elf, (struct cursor){.read = read_file, .file = file, .end = status.size});
}

/* Check that the file is a linked program. */
static int check_type(struct firmware_file *file)
{
    file->thumb = file->elf.machine == ELF_ARM;
    if (file->elf.type == ELF_PROGRAM || file->elf.type == ELF_SHARED)
        return 0;
    if (file->elf.type == ELF_RELOCATABLE)
        return trace_fail(file->trace, "%s: an object file, not a linked firmware: its addresses are not final",
                          file->path);
    return trace_fail(file->trace, "%s: an ELF file of type %u, not a linked firmware", file->path, file->elf.type);
}

static int read_build_id(struct firmware_file *file)
{
    file->firmware.build_id = elf_file_build_id(&file->elf, &file->firmware.build_id_size);
    return file->firmware.build_id != NULL || file->elf.why == NULL ? 0 : elf_damaged(file);
}

/* Tell of sections that were wanted and could not be read. */
static void tell_skipped(struct firmware_file *file)
{
    const struct elf_file *elf = &file->elf;
    char others[64] = "";
    if (elf->nskipped > 1)
        snprintf(others, sizeof others, ", nor are %zu others", elf->nskipped - 1u);
    if (elf->nskipped > 0)
        trace_tell(file->trace, "%s: offset 0x%" PRIx64 ": section %s is not read: %s%s", file->path, elf->where,
                   elf->skipped, elf->why, others);
}

static int load_elf(struct firmware_file *file)
{
    if (!open_elf(file))
        return file->error == 0 && file->elf.why == NULL ? trace_fail(file->trace, "%s: not an ELF file", file->path)
                                                         : elf_damaged(file);
    if (check_type(file) != 0)
        return -1;
    if (!elf_file_read_segments(&file->elf) || !elf_file_read_sections(&file->elf))
        return elf_damaged(file);
    if (elf_read_symbols(file) != 0 || read_segments(file) != 0 || elf_read_formats(file) != 0
        || read_build_id(file) != 0 || elf_read_descriptors(file) != 0)
        return -1;
    elf_read_handlers(file);
    elf_read_rings(file);
    tell_skipped(file);
    return 0;
}

static int load(struct firmware_file *file)
{
    char text[32];
    size_t n;
    file->fd = os_open(file->path);
    if (file->fd < 0)
        return trace_fail(file->trace, "%s: %s", file->path, strerror(errno));
    n = os_read_at(file->fd, 0, text, sizeof text, &file->error);
    if (file->error != 0)
        return elf_damaged(file);
    if (n > 0 && events_file_is(text, n)) {
        file->saved = events_file_open(file->trace, file->path, file->fd, &file->firmware);
        return file->saved != NULL ? 0 : -1;
    }
    return load_elf(file);
}

struct firmware_file *firmware_open(struct trace *trace, const char *path)
{
    struct firmware_file *file = heap_calloc(1, sizeof *file);
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
    elf_file_free(&file->elf);
    if (file->fd >= 0)
        os_close(file->fd);
    heap_free(file->real_path);
    heap_free(file->symbols);
    heap_free(file->plain);
    heap_free(file->segments);
    heap_free(file->formats);
    heap_free(file->texts);
    events_file_close(file->saved);
    heap_free(file->descriptors);
    heap_free(file->handlers);
    heap_free(file);
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

/* ---- is it one at all? ------------------------------------------------------------------------------------------- */

/* Whether there is a section of code that is loaded. */
static bool has_code(const struct elf_file *elf)
{
    for (size_t i = 0; i < elf->nsections; i++) {
        if (elf_is_loaded(&elf->sections[i]) && (elf->sections[i].flags & ELF_CODE) != 0)
            return true;
    }
    return false;
}

/* A file that was cut off, and has no table of sections any more, is one, too: firmware_open() tells what is wrong. */
bool firmware_is_program(const char *path)
{
    struct os_status status;
    struct firmware_file file = {.fd = os_open_file(OS_HERE, path, &status)};
    bool result = file.fd >= 0 && open_elf(&file) && (file.elf.type == ELF_PROGRAM || file.elf.type == ELF_SHARED)
                  && (!elf_file_read_sections(&file.elf) || has_code(&file.elf));
    elf_file_free(&file.elf);
    if (file.fd >= 0)
        os_close(file.fd);
    return result;
}

/* ---- finding it -------------------------------------------------------------------------------------------------- */

/* What is looked for. */
struct wanted {
    const unsigned char *id;
    size_t n;
};

static bool elf_has(const struct wanted *wanted, int fd)
{
    struct firmware_file file = {.fd = fd};
    const unsigned char *id = NULL;
    size_t size = 0;
    if (open_elf(&file) && elf_file_read_segments(&file.elf) && elf_file_read_sections(&file.elf)) {
        file.elf.left = NOTES;
        id = elf_file_build_id(&file.elf, &size);
    }
    elf_file_free(&file.elf);
    return id != NULL && size >= wanted->n && memcmp(id, wanted->id, wanted->n) == 0;
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
    if (n > 0)
        found = events_file_is(text, n) ? text_has(wanted, text) : elf_has(wanted, fd);
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
            heap_free(path.bytes);
    }
    os_list_free(names);
    if (directory >= 0)
        os_close(directory);
    return found;
}

char *firmware_find(const char *folders, const unsigned char *build_id, size_t n)
{
    const struct wanted wanted = {build_id, n < ID_MOST ? n : ID_MOST};
    const char separators[] = {os_folder_separator(), '\0'};
    char *found = NULL;
    while (folders != NULL && *folders != '\0' && found == NULL) {
        size_t length = strcspn(folders, separators);
        char *folder = length > 0 ? text_part(folders, length) : NULL;
        if (folder != NULL)
            found = find_in(&wanted, folder);
        heap_free(folder);
        folders += length + (folders[length] != '\0');
    }
    return found;
}
