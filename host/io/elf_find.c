/* elf_find.c - see elf_find.h. Of each file only as much is read as its build id needs. */
#include "io/elf_find.h"

#include "base/printable.h"
#include "io/elf_events.h"
#include "io/events_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_MOST 32u  /* bytes of a build id that are compared */
#define NOTES   4096 /* bytes of notes that are looked through */

/* What is looked for. */
struct wanted {
    const unsigned char *id;
    size_t n;
};

/* Whether the notes of a section have the build id. */
static bool notes_have(const struct wanted *wanted, Elf_Data *notes)
{
    size_t at = 0, name, text;
    GElf_Nhdr note;
    while ((at = gelf_getnote(notes, at, &note, &name, &text)) > 0) {
        const unsigned char *bytes = notes->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4u && memcmp(bytes + name, "GNU", 4) == 0)
            return note.n_descsz >= wanted->n && memcmp(bytes + text, wanted->id, wanted->n) == 0;
    }
    return false;
}

static bool elf_has(const struct wanted *wanted, int fd)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    uint64_t left = NOTES;
    bool found = false;
    while (elf != NULL && !found && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_NOTE)
            continue;
        data = elf_content(section, &left);
        found = data != NULL && notes_have(wanted, data);
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
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n;
    bool found = false;
    if (fd < 0)
        return false;
    n = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? pread(fd, text, sizeof text - 1u, 0) : 0;
    if (n >= 4 && memcmp(text, ELFMAG, SELFMAG) == 0)
        found = elf_has(wanted, fd);
    else if (n > 0 && events_file_is(text, (size_t)n))
        found = text_has(wanted, text);
    close(fd);
    return found;
}

/* Look through one folder. */
static char *find_in(const struct wanted *wanted, const char *folder)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, NULL, alphasort);
    char *found = NULL;
    for (int i = 0; i < n; i++) {
        size_t room = strlen(folder) + strlen(entry[i]->d_name) + 2u;
        char *path = found == NULL ? malloc(room) : NULL;
        if (path != NULL)
            snprintf(path, room, "%s/%s", folder, entry[i]->d_name);
        free(entry[i]);
        if (path != NULL && file_has(wanted, path))
            found = path;
        else
            free(path);
    }
    free(entry);
    return found;
}

char *elf_find(const char *folders, const unsigned char *build_id, size_t n)
{
    const struct wanted wanted = {build_id, n < ID_MOST ? n : ID_MOST};
    char *found = NULL;
    elf_version(EV_CURRENT);
    while (folders != NULL && *folders != '\0' && found == NULL) {
        size_t length = strcspn(folders, ":");
        char *folder = length > 0 ? strndup(folders, length) : NULL;
        if (folder != NULL)
            found = find_in(&wanted, folder);
        free(folder);
        folders += length + (folders[length] == ':');
    }
    return found;
}
