/* check.c - --check: the writer, which reads all events of a dump and keeps none; and of a firmware's ELF file.
 *
 * Of a firmware, each fault is told once, with the line of the project that is to change. What only a run could tell is
 * not guessed. Where Arm's M cores have no RAM is fixed by their architecture; of other cores it is not known. */
#include "answer/answer.h"

#include "io/firmware/firmware.h"
#include "io/firmware/inspect.h"
#include "base/text.h"
#include "tlog_wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- a dump ------------------------------------------------------------------------------------------------------ */

static void *check_open(struct trace *trace, const struct trace_options *options, int fd)
{
    (void)fd;
    options->answer->trace = trace;
    return options->answer;
}

static int check_write(void *writer, unsigned cpu, const struct trace_batch *batch)
{
    (void)writer;
    (void)cpu;
    (void)batch;
    return 0;
}

static int check_close(void *writer, bool ok)
{
    struct answer *answer = writer;
    (void)ok;
    answer->counts = answer->trace->counts;
    answer->clock_hz = answer->trace->clock_hz;
    answer->runs = trace_detail(answer->trace, "runs");
    return 0;
}

void answer_damage(struct answer *answer, const char *input, uint64_t offset, uint64_t length, uint64_t count,
                   const char *text)
{
    bool is_first = !answer->is_open;
    answer_begin_input(answer, input);
    if (answer->is_json) {
        if (is_first)
            json_open(&answer->json, "damage", '[');
        json_open_flat(&answer->json, NULL, '{');
        json_number(&answer->json, "offset", offset);
        json_number(&answer->json, "bytes", length);
        json_number(&answer->json, "events", count);
        json_text(&answer->json, "what", text);
        json_close(&answer->json, '}');
        return;
    }
    answer_name(answer->to, input);
    fprintf(answer->to, ": offset 0x%" PRIx64 ": ", offset);
    answer_name(answer->to, text);
    if (length > 0)
        fprintf(answer->to, ": %" PRIu64 " byte%s", length, text_plural(length));
    if (count > 0)
        fprintf(answer->to, ", %" PRIu64 " event%s", count, text_plural(count));
    putc('\n', answer->to);
}

static const char *word_of(const struct trace_counts *counts, int code)
{
    bool is_damaged = counts->gaps + counts->damaged > 0;
    return code == 0 ? "whole" : code == 1 ? "nothing decodable" : is_damaged ? "damaged" : "of another firmware";
}

static void verdict_json(struct answer *answer, const char *word)
{
    json_close(&answer->json, ']');
    json_text(&answer->json, "verdict", word);
    json_number(&answer->json, "events", answer->counts.events);
    json_number(&answer->json, "lost", answer->counts.dropped + answer->counts.overwritten);
    answer_dead_slots_json(&answer->json, &answer->counts);
    json_number(&answer->json, "damaged", answer->counts.damaged);
    json_number(&answer->json, "damaged_parts", answer->counts.gaps);
    answer_pauses_json(&answer->json, &answer->counts);
}

void answer_verdict(struct answer *answer, const char *input, int code)
{
    const struct trace_counts *counts = &answer->counts;
    const char *word = word_of(counts, code);
    if (answer->is_json && !answer->is_open) {
        answer_begin_input(answer, input);
        json_open(&answer->json, "damage", '[');
    }
    answer_begin_input(answer, input);
    if (answer->is_json) {
        verdict_json(answer, word);
    } else {
        answer_name(answer->to, input);
        fprintf(answer->to, ": %s: %" PRIu64 " event%s, lost %" PRIu64 ", damaged %" PRIu64, word, counts->events,
                text_plural(counts->events), counts->dropped + counts->overwritten, counts->damaged);
        answer_dead_slots(answer, counts);
        fputc('\n', answer->to);
        if (counts->pauses > 0) {
            answer_name(answer->to, input);
            fputs(": ", answer->to);
        }
        answer_pauses_text(answer, answer->clock_hz, counts);
    }
    answer_end_input(answer);
    memset(&answer->counts, 0, sizeof answer->counts);
}

const struct trace_writer writer_check = {
    .name = "check",
    .description = "what is damaged",
    .native = true,
    .open = check_open,
    .write = check_write,
    .close = check_close,
};

/* ---- a firmware -------------------------------------------------------------------------------------------------- */

/* What is being checked. */
struct check {
    struct answer *answer;
    const struct trace_firmware *firmware;
    struct firmware_facts facts;
    const char *path;
    bool quiet; /* only the last line is wanted */
    unsigned faults;
};

/* Tell a fault: its word, what is wrong, and what to change. printf() format of what is wrong. */
__attribute__((format(printf, 4, 5))) static void fault(struct check *check, const char *word, const char *change,
                                                        const char *format, ...)
{
    struct answer *answer = check->answer;
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    check->faults++;
    if (answer->is_json) {
        json_open_flat(&answer->json, NULL, '{');
        json_text(&answer->json, "fault", word);
        json_text(&answer->json, "what", what);
        json_text(&answer->json, "change", change);
        json_close(&answer->json, '}');
        return;
    }
    if (check->quiet)
        return;
    answer_name(answer->to, check->path);
    fprintf(answer->to, ": %s: ", word);
    answer_name(answer->to, what);
    fprintf(answer->to, ": %s\n", change);
}

/* ---- where the chunks are ---------------------------------------------------------------------------------------- */

static bool is_events(const struct trace_ring *ring)
{
    return (ring->place >> 16 & TLOG_ROLE_MASK) == TLOG_ROLE_EVENTS;
}

/* The first ring of events or of names, or NULL. */
static const struct trace_ring *first_ring(const struct check *check, bool events)
{
    for (size_t i = 0; i < check->firmware->nrings; i++) {
        if (is_events(&check->firmware->rings[i]) == events)
            return &check->firmware->rings[i];
    }
    return NULL;
}

/* Whether memory up to end is where an M core has devices: 0x40000000 to 0x5FFFFFFF, and from 0xA0000000 on. */
static bool is_among_devices(uint64_t address, uint64_t end)
{
    return end > 0xA0000000u || (end > 0x40000000u && address < 0x60000000u);
}

/* Whether anything that is loaded, but no data, has its place there: flash. */
static bool is_in_code(const struct trace_firmware *firmware, uint64_t address, uint64_t end)
{
    for (size_t i = 0; i < firmware->nsymbols; i++) {
        const struct trace_symbol *symbol = &firmware->symbols[i];
        if ((symbol->type == 'T' || symbol->type == 't' || symbol->type == 'R' || symbol->type == 'r')
            && symbol->address < end && symbol->address + symbol->size > address)
            return true;
    }
    return false;
}

static void check_place(struct check *check)
{
    static const char change[] = "name the RAM in the linker script, REGION_ALIAS(\"RAM\", NAME) behind MEMORY, and "
                                 "INCLUDE tlog.ld between .data and .bss";
    for (size_t i = 0; i < check->firmware->nrings; i++) {
        const struct trace_ring *ring = &check->firmware->rings[i];
        const char *of = is_events(ring) ? "events" : "names";
        if (ring->address == 0)
            fault(check, "ring_at_0", change, "the ring of %s stands at address 0", of);
        else if (is_in_code(check->firmware, ring->address, trace_ring_end(ring))
                 || (check->facts.is_cortex_m && is_among_devices(ring->address, trace_ring_end(ring))))
            fault(check, "ring_outside_ram", change,
                  "the ring of %s, 0x%" PRIx64 " to 0x%" PRIx64 ", is outside of RAM", of, ring->address,
                  trace_ring_end(ring) - 1u);
        else
            continue;
        return;
    }
}

/* ---- the other faults -------------------------------------------------------------------------------------------- */

static void check_script(struct check *check)
{
    if (!check->facts.has_section)
        fault(check, "no_section", "write INCLUDE tlog.ld between .data and .bss of the linker script",
              "there is no section tlog_chunks: start-up code clears the events at each reset");
    if (!check->facts.has_id)
        fault(check, "no_build_id", "link with -Wl,--build-id, and with INCLUDE tlog.ld in the linker script",
              "the runtime knows no build id: the ELF file of another firmware is not noticed");
}

static void check_runtime(struct check *check, const struct trace_ring *events)
{
    if (events->freq == 0 && (events->needs & TLOG_NEEDS_RATES) == 0)
        fault(check, "no_clock_rate", "compile with -DTLOG_CLOCK_HZ=..., the clock's ticks per second",
              "the clock's rate is 0: times are ticks unless the firmware logs cycles_per_msec");
}

static void check_hooks(struct check *check)
{
    const struct firmware_kernel *silent = check->facts.silent;
    if (silent != NULL)
        fault(check, "hooks_not_called", silent->change, "%s is in it, and nothing calls %s(): no task will show",
              silent->name, silent->hook);
}

static void check_names(struct check *check)
{
    const struct trace_ring *names = first_ring(check, false);
    if (names != NULL && check->facts.facts > names->slots)
        fault(check, "few_name_slots", "compile with a larger -DTLOG_NAME_SLOTS=...",
              "names and priorities take %" PRIu64 " slots at least, and there are %" PRIu32, check->facts.facts,
              names->slots);
}

static void check_vectors(struct check *check)
{
    if (check->facts.alignment > 0)
        fault(check, "vector_table",
              "align the table in the linker script, or put INCLUDE tlog.ld behind .data, where it moves no table",
              "VTOR cannot take the vector table at 0x%" PRIx64 ", which is no multiple of %" PRIu32,
              check->facts.vectors, check->facts.alignment);
}

/* ---- how far back the ring reaches ------------------------------------------------------------------------------- */

/* Tell it for some rates of events that take a slot each; a slot or two of a lap tell the time. */
static void tell_reach(struct check *check, const struct trace_ring *events)
{
    static const uint32_t rates[] = {1000, 10000, 100000};
    struct answer *answer = check->answer;
    const struct trace in_ns = {.clock_hz = 1000000000u};
    const uint64_t slots = (uint64_t)events->slots * events->chunks;
    char text[ANSWER_TIME_BYTES];
    if (answer->is_json)
        json_open(&answer->json, "reach", '[');
    else
        answer_name(answer->to, check->path);
    for (unsigned i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const uint64_t time = slots * (1000000000u / rates[i]);
        if (!answer->is_json) {
            fprintf(answer->to, "%s%s at %" PRIu32, i == 0 ? ": the ring reaches back " : ", ",
                    answer_time(&in_ns, time, text), rates[i]);
            continue;
        }
        json_open_flat(&answer->json, NULL, '{');
        json_number(&answer->json, "events_per_second", rates[i]);
        json_number(&answer->json, "ns", time);
        json_close(&answer->json, '}');
    }
    if (answer->is_json)
        json_close(&answer->json, ']');
    else
        fprintf(answer->to, " events per second (%" PRIu64 " slots; TLOG_SLOTS)\n", slots);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void check_all(struct check *check, const struct trace_ring *events)
{
    if (events == NULL) {
        fault(check, "no_ring", "compile target/src/*.c with it and with TLOG_ENABLE = 1, and log something", "%s",
              check->firmware->nsymbols > 0 ? "there is no ring of events in it" : "it has no symbols");
        return;
    }
    check_place(check);
    check_script(check);
    check_runtime(check, events);
    check_hooks(check);
    check_names(check);
    check_vectors(check);
}

static void tell(struct check *check)
{
    struct answer *answer = check->answer;
    const struct trace_ring *events = first_ring(check, true);
    answer_begin_input(answer, check->path);
    if (answer->is_json)
        json_open(&answer->json, "faults", '[');
    check_all(check, events);
    if (answer->is_json)
        json_close(&answer->json, ']');
    if (events != NULL && (answer->is_json || !check->quiet))
        tell_reach(check, events);
    if (answer->is_json) {
        json_text(&answer->json, "verdict", check->faults > 0 ? "faulty" : "ready");
    } else {
        answer_name(answer->to, check->path);
        if (check->faults > 0)
            fprintf(answer->to, ": %u fault%s\n", check->faults, text_plural(check->faults));
        else
            fputs(": ready\n", answer->to);
    }
    answer_end_input(answer);
}

int answer_firmware(struct answer *answer, struct trace *trace, const char *path)
{
    struct firmware_file *file = firmware_open(trace, path);
    struct check check = {.answer = answer, .path = path, .quiet = trace->quiet};
    if (file == NULL)
        return 1;
    check.firmware = trace->firmware;
    firmware_inspect(file, &check.facts);
    tell(&check);
    firmware_close(file);
    return check.faults > 0 ? 2 : 0;
}
