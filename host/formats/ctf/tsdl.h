/* tsdl.h - the language of the metadata: names, texts, integers and enumerations.
 *
 * Every field's name begins with an underscore, as in LTTng's traces, so that no name is a word of the language.
 * Readers leave the underscore out.
 */
#ifndef CTF_TSDL_H
#define CTF_TSDL_H

#include "formats/ctf/output.h"

#include <stdio.h>

/* Write a text in quotation marks. Readers take printable ASCII characters only; others become '_'. */
void tsdl_text(FILE *to, const char *text, size_t n);

/* Write the enumerations that fields of any type use: names of tasks, interrupts ... and symbols of the firmware. */
void tsdl_names(FILE *to, const struct ctf_output *output);

/* Write the fields of a type's events, a line each. */
void tsdl_fields(FILE *to, const struct ctf_output *output, uint16_t type);

/* The name of a type's events, of at most that many bytes. Linux's events have their own name; others have their
 * system's name before it. */
#define TSDL_NAME_BYTES 256u
void tsdl_event_name(char name[TSDL_NAME_BYTES], const struct trace_type *type);

#endif
