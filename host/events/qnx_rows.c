/* qnx_rows.c - makes one row per event of QNX of the lists in target/tlog_traceevent.h: see qnx_rows.h.
 *
 * Each ..._ROW macro is given to a list of that header and makes the row of one of the list's entries.
 */
#include "events/qnx_rows.h"

#include <string.h>

/* ---- the rows -------------------------------------------------------------------------------------------------- */

#define ALWAYS (QNX_UP_TO_7 | QNX_FROM_8)

#define CONTROL_ROW(event, name, words)                                                                                \
    {TLOG_CLASS_CONTROL, ALWAYS, false, TLOG_MEANS_PLAIN, event, "CONTROL_" #name, words, ""},

/* A kernel call has six numbers: entered, left and interrupted, each with words that are values of 32 or of 64 bits.
 * For the interrupted ones and those of 64 bits QNX documents no words, so their words have no names. */
#define KER_ROW(event, name, fast, wide)                                                                               \
    {TLOG_TRACE_KER_CALL, ALWAYS, false, TLOG_MEANS_PLAIN, event, name, fast, wide},
#define KER_ROWS(call, name, enter_fast, enter_wide, exit_fast, exit_wide)                                             \
    KER_ROW((call) + TLOG_TRACE_KER_ENTER, #name "_enter", enter_fast, enter_wide)                                     \
    KER_ROW((call) + TLOG_TRACE_KER_EXIT, #name "_exit", exit_fast, exit_wide)                                         \
    KER_ROW((call) + TLOG_TRACE_KER_INT, #name "_int", "", "")                                                         \
    KER_ROW((call) + TLOG_TRACE_KER_64 + TLOG_TRACE_KER_ENTER, #name "_enter_64", "", "")                              \
    KER_ROW((call) + TLOG_TRACE_KER_64 + TLOG_TRACE_KER_EXIT, #name "_exit_64", "", "")                                \
    KER_ROW((call) + TLOG_TRACE_KER_64 + TLOG_TRACE_KER_INT, #name "_int_64", "", "")

#define INT_MEANS(event)                                                                                               \
    ((event) == TLOG_TRACE_INT_ENTRY  ? TLOG_MEANS_IRQ_ENTRY                                                           \
     : (event) == TLOG_TRACE_INT_EXIT ? TLOG_MEANS_IRQ_EXIT                                                            \
                                      : TLOG_MEANS_PLAIN)
#define INT_ROW(event, name, words) {TLOG_TRACE_INT, ALWAYS, false, INT_MEANS(event), event, #name, words, ""},

/* States in which a thread waits for a lock: MUTEX in all releases; RWLOCK_READ, RWLOCK_WRITE, MUON_MUTEX from 8 on,
 * where two of these numbers had other meanings before. */
#define LOCK_6(state) ((state) == 13)
#define LOCK_8(state) ((state) == 13 || (state) == 19 || (state) == 20 || (state) == 26)

/* A thread that is in none of the states running, ready, created, dead and destroyed waits for something. That one was
 * created says nothing here: whose a number is that comes again, qnx_threads.h knows. */
#define STATE_MEANS(state, waits_for_lock)                                                                             \
    ((state) == TLOG_TRACE_THRUNNING                                   ? TLOG_MEANS_SWITCH                             \
     : (state) == TLOG_TRACE_THREADY                                   ? TLOG_MEANS_WAKE                               \
     : (state) == TLOG_TRACE_THCREATE                                  ? TLOG_MEANS_PLAIN                              \
     : (state) == TLOG_TRACE_THDEAD || (state) == TLOG_TRACE_THDESTROY ? TLOG_MEANS_END                                \
     : (waits_for_lock)                                                ? TLOG_MEANS_LOCK                               \
                                                                       : TLOG_MEANS_BLOCK)
#define STATE_ROW(state, name, releases, waits_for_lock)                                                               \
    {                                                                                                                  \
        TLOG_TRACE_PR_TH,                                                                                              \
        releases,                                                                                                      \
        true,                                                                                                          \
        STATE_MEANS(state, waits_for_lock),                                                                            \
        state,                                                                                                         \
        "TH" #name,                                                                                                    \
        TLOG_TRACE_STATE_FAST,                                                                                         \
        TLOG_TRACE_STATE_WIDE},
#define STATE_6_ROW(state, name) STATE_ROW(state, name, QNX_UP_TO_7, LOCK_6(state))
#define STATE_8_ROW(state, name) STATE_ROW(state, name, QNX_FROM_8, LOCK_8(state))
/* States of virtual threads, which up to release 7 have numbers behind those of threads. */
#define VIRTUAL_ROW(state, name)                                                                                       \
    {TLOG_TRACE_PR_TH, QNX_UP_TO_7, false, TLOG_MEANS_PLAIN, (state) + TLOG_TRACE_VTH, "VTH" #name, "pid tid", ""},
#define PROCESS_ROW(event, name, words) {TLOG_TRACE_PR_TH, ALWAYS, false, TLOG_MEANS_PLAIN, event, #name, words, ""},
#define SYSTEM_ROW(event, name, fast, wide)                                                                            \
    {TLOG_TRACE_SYSTEM, ALWAYS, false, TLOG_MEANS_PLAIN, event, #name, fast, wide},
#define COMM_ROW(event, name, fast, wide) {TLOG_TRACE_COMM, ALWAYS, false, TLOG_MEANS_PLAIN, event, #name, fast, wide},

/* clang-format off */
const struct qnx_row qnx_rows[] = {
    TLOG_TRACE_CONTROL_EVENTS(CONTROL_ROW)
    TLOG_TRACE_KER_CALLS(KER_ROWS)
    TLOG_TRACE_INT_EVENTS(INT_ROW)
    TLOG_TRACE_STATES_6(STATE_6_ROW)
    TLOG_TRACE_STATES_8(STATE_8_ROW)
    TLOG_TRACE_STATES_6(VIRTUAL_ROW)
    TLOG_TRACE_PROCESS_EVENTS(PROCESS_ROW)
    TLOG_TRACE_SYSTEM_EVENTS(SYSTEM_ROW)
    TLOG_TRACE_COMM_EVENTS(COMM_ROW)
};
/* clang-format on */
const uint16_t qnx_rows_n = sizeof qnx_rows / sizeof qnx_rows[0];

bool qnx_row_is_of(const struct qnx_row *row, unsigned release)
{
    return row->releases & (release >= 8u ? QNX_FROM_8 : QNX_UP_TO_7);
}

/* ---- from a type to its row ------------------------------------------------------------------------------------ */

/* A writer knows of a type what struct tlog_type holds, so the row is found by the type's name and fields. */

static bool is_field(const struct tlog_type *type, unsigned i, const char *name)
{
    return i < type->nfields && strcmp(type->fields[i].name, name) == 0;
}

/* Count the words of data among the type's fields, from field origin->first on. False: there are other fields. */
static bool find_words(const struct tlog_type *type, struct qnx_origin *origin)
{
    unsigned i = origin->first;
    for (; i < type->nfields && type->fields[i].kind != TLOG_KIND_STRING; i++) {
        if (type->fields[i].size != 4u)
            return false;
        if (type->fields[i].kind != TLOG_KIND_OPTIONAL)
            origin->least = i - origin->first + 1u;
    }
    origin->words = i - origin->first;
    origin->text = i < type->nfields;
    origin->data = origin->text && origin->words == 1u && is_field(type, i - 1u, "words") && is_field(type, i, "data");
    return i + origin->text == type->nfields;
}

/* What follows the row's name in the name of a type; NULL: the type's name does not begin with the row's. */
static const char *suffix_of(const struct qnx_row *row, const char *name)
{
    size_t n = strlen(row->name);
    return strncmp(row->name, name, n) == 0 ? name + n : NULL;
}

/* Find the row that the type's name comes from: the row's name, or that with "_wide" or "_data" behind it. */
static bool find_row(const char *name, unsigned release, struct qnx_origin *origin)
{
    for (uint16_t i = 0; i < qnx_rows_n; i++) {
        const char *suffix = suffix_of(&qnx_rows[i], name);
        if (suffix == NULL || !qnx_row_is_of(&qnx_rows[i], release))
            continue;
        if (suffix[0] != '\0' && strcmp(suffix, "_wide") != 0 && strcmp(suffix, "_data") != 0)
            continue;
        origin->class = qnx_rows[i].class;
        origin->event = qnx_rows[i].event;
        if (strcmp(suffix, "_wide") == 0)
            origin->least = TLOG_TRACE_SLOT_WORDS + 1u;
        return true;
    }
    return false;
}

/* Whether the name is that of a type of user events; user_words is followed by a number. */
static bool is_user(const char *name)
{
    return strcmp(name, "user") == 0 || strcmp(name, "user_string") == 0 || strcmp(name, "user_data") == 0
           || strncmp(name, "user_words", 10) == 0;
}

/* least is set by the name for a wide form, which needs more than one slot, and by the fields: the greater one
 * counts. */
bool qnx_origin(const struct tlog_type *type, unsigned release, struct qnx_origin *origin)
{
    unsigned least;
    *origin = (struct qnx_origin){.class = TLOG_TRACE_USER};
    if (strcmp(type->system, "qnx") != 0)
        return false;
    if (is_user(type->name) && is_field(type, 0, "event")) {
        origin->in_payload = true;
        origin->first = 1;
        return find_words(type, origin);
    }
    if (strncmp(type->name, "unknown", 7) == 0 && is_field(type, 0, "class") && is_field(type, 1, "event")) {
        origin->class = 0;
        origin->in_payload = true;
        origin->first = 2;
        return find_words(type, origin);
    }
    if (!find_row(type->name, release, origin))
        return false;
    least = origin->least;
    origin->first = is_field(type, 0, "context");
    if (!find_words(type, origin))
        return false;
    origin->least = origin->least > least ? origin->least : least;
    return true;
}
