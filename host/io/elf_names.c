/* elf_names.c - see elf_names.h. */
#include "io/elf_names.h"

#include <string.h>

struct elf_names elf_names_of(const Elf_Data *data)
{
    const char *bytes = data != NULL ? data->d_buf : NULL;
    size_t size = data != NULL ? data->d_size : 0;
    while (size > 0 && bytes[size - 1u] != '\0')
        size--;
    return (struct elf_names){.at = bytes, .size = size, .left = size * 4u};
}

const char *elf_names_at(struct elf_names *names, uint32_t offset)
{
    const char *name = offset < names->size ? names->at + offset : NULL;
    size_t length = name != NULL ? strnlen(name, names->left) : 0;
    if (name == NULL)
        return NULL;
    if (length == names->left) {
        names->cut = true;
        return NULL;
    }
    names->left -= length + 1u;
    return name;
}

bool elf_names_shown(const char *name)
{
    if (name == NULL || name[0] == '\0' || name[0] == '$')
        return false;
    for (; *name != '\0'; name++) {
        if ((unsigned char)*name <= ' ' || *name == 0x7F)
            return false;
    }
    return true;
}
