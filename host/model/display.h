/* display.h - how viewers show the number of a task, an interrupt, a mutex or another object: by its name.
 *
 * A viewer of trace.dat finds the names in the print format of the event's type, which has a table of them for each
 * such field. Lines of text and the other formats show the same names. The rules for all of them are:
 *   A number is shown by its name; where other tasks have that name, the number follows it: worker:3.
 *   If the trace has names of the kind, but none for this number, it is hexadecimal, as libtraceevent shows it.
 *   If the trace has no names of the kind, its numbers are decimal; those of mutexes and other objects, which are
 *   addresses in most kernels, are hexadecimal.
 *   If the trace has more than DISPLAY_NAMES_MAX names of the kind, none is shown: viewers search the whole table each
 *   time.
 * A number may have any value: some kernels never use a task's number again, or use an object's address as its number.
 */
#ifndef MODEL_DISPLAY_H
#define MODEL_DISPLAY_H

#include "model/trace.h"

#define DISPLAY_NAMES_MAX  4096u
#define DISPLAY_NAME_BYTES 32u /* of a name, with its NUL */

/* The name to show for a field: its own, but "task" for a task whose field is called "context", as in S.Ha.R.K. */
const char *display_label(const struct tlog_field *field);

/* Find out which kind of names the values of a field's kind have. False: none, they are plain numbers. */
bool display_names_of(enum tlog_kind kind, enum trace_name_kind *names);

/* Whether values of that kind are shown by name in this trace. */
bool display_by_name(const struct trace *trace, enum tlog_kind kind);

/* Whether values of that kind are handles of kernel objects: mutexes, queues and so on. A notification has none. */
static inline bool display_is_handle(enum tlog_kind kind)
{
    return kind >= TLOG_KIND_MUTEX && kind <= TLOG_KIND_OBJECT_LAST && kind != TLOG_KIND_NOTIFICATION;
}

/* Copy the name of a number to name. False: it has none. */
bool display_name(const struct trace *trace, enum tlog_kind kind, uint32_t number, char name[DISPLAY_NAME_BYTES]);

/* The name with _ for quotation marks and backslashes, which print formats do not take. For these, and for lines of
 * text, which are as viewers make them by a print format. */
const char *display_print_name(const char *name, char to[DISPLAY_NAME_BYTES]);

/* Copy what is shown for a number: its name, or its digits if it has none or is_named is false. Returns the length. */
size_t display_number(const struct trace *trace, enum tlog_kind kind, uint64_t number, bool is_named,
                      char name[DISPLAY_NAME_BYTES]);

/* The name as it is, and without the number behind one that several tasks have. For output that tells the number beside
 * it. */
bool display_plain_name(const struct trace *trace, enum tlog_kind kind, uint32_t number, char name[DISPLAY_NAME_BYTES]);

/* Put the number behind the name of a task if others have that name, too; a long name is cut for it. */
void display_tell_apart(const struct trace *trace, uint32_t task, char name[DISPLAY_NAME_BYTES]);

/* Call a function for every number of a kind that has a name, in the order of numbers; for none if the kind is not
 * shown by name. */
void display_each_name(const struct trace *trace, enum tlog_kind kind,
                       void (*call)(void *ctx, uint32_t number, const char *name), void *ctx);

/* Whether the field is not shown where it is 0: it is optional, and the type's first field is not. */
static inline bool display_if_set(const struct tlog_type *type, const struct tlog_field *field)
{
    return field->kind == TLOG_KIND_OPTIONAL && type->fields[0].kind != TLOG_KIND_OPTIONAL;
}

#endif
