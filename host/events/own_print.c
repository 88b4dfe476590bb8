/* own_print.c - see own_print.h. libtraceevent extends the sign of a short field only if the conversion says how short
 * it is. */
#include "events/own_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool own_unit_is_field(const struct own_field *field)
{
    for (const char *c = field->unit; *c != '\0'; c++) {
        if (((unsigned char)*c & 0x80u) != 0)
            return true;
    }
    return false;
}

/* A text inside of quotation marks: it has neither these nor backslashes, and a percent sign is written twice. */
static void put_text(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '%')
            fputc('%', to);
        fputc(*text, to);
    }
}

/* How libtraceevent is to show a number of the field, or the field. */
static const char *conversion(const struct own_field *field)
{
    static const char *const is_signed[] = {[1] = "%hhd", [2] = "%hd", [4] = "%d", [8] = "%lld"};
    switch (field->form) {
    case OWN_SIGNED:
        return is_signed[field->size];
    case OWN_HEX:
        return field->size == 8u ? "0x%llx" : "0x%x";
    case OWN_FLOAT:
    case OWN_TEXT:
        return "%s";
    case OWN_ENUM:
    case OWN_FLAGS:
        if (field->nnames > 0)
            return "%s";
        break;
    case OWN_POINTER:
        return "%pS";
    case OWN_UNSIGNED:
        break;
    }
    return field->size == 8u ? "%llu" : "%u";
}

static void put_conversions(FILE *to, const struct own_field *field)
{
    fprintf(to, "%s=%s", field->name, field->elements > 0 ? "[" : "");
    for (unsigned i = 0; i == 0 || i < field->elements; i++)
        fprintf(to, "%s%s", i > 0 ? " " : "", conversion(field));
    fputs(field->elements > 0 ? "]" : "", to);
    if (own_unit_is_field(field))
        fputs("%s", to);
    else
        put_text(to, field->unit);
}

/* The names of a field's numbers behind the field: __print_symbolic(REC->state, { 0x0, "IDLE" }). */
static void put_names(FILE *to, const struct own_field *field)
{
    if (field->form == OWN_ENUM)
        fprintf(to, ", __print_symbolic(REC->%s", field->name);
    else
        fprintf(to, ", __print_flags(REC->%s, \"|\"", field->name);
    for (unsigned i = 0; i < field->nnames; i++)
        fprintf(to, ", { 0x%" PRIx64 ", \"%s\" }", field->names[i].value, field->names[i].text);
    fputc(')', to);
}

static void put_arguments(FILE *to, const struct own_field *field)
{
    if (field->form == OWN_FLOAT)
        fprintf(to, ", __get_str(" OWN_SHOWN ")", field->name);
    else if (field->form == OWN_TEXT)
        fprintf(to, ", __get_str(%s)", field->name);
    else if (field->nnames > 0)
        put_names(to, field);
    else if (field->elements == 0)
        fprintf(to, ", REC->%s", field->name);
    for (unsigned i = 0; i < field->elements; i++)
        fprintf(to, ", REC->" OWN_ELEMENT, field->name, i);
    if (own_unit_is_field(field))
        fprintf(to, ", __get_str(" OWN_UNIT ")", field->name);
}

/* Viewers take an event of which there is nothing to show for one that cannot be shown. */
char *own_print(const struct own_descriptor *descriptor)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        return NULL;
    fputs(descriptor->nfields == 0 ? "\"()" : "\"", to);
    for (unsigned i = 0; i < descriptor->nfields; i++) {
        fputs(i > 0 ? " " : "", to);
        put_conversions(to, &descriptor->field[i]);
    }
    fputc('"', to);
    for (unsigned i = 0; i < descriptor->nfields; i++)
        put_arguments(to, &descriptor->field[i]);
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}
