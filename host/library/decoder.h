/* decoder.h - the inside of a decoder (tlog_decode.h): for the tool, which reads all of its inputs by decoders, merges
 * the events of several, and may take back what it has written.
 *
 * The calls for a decoder of the tool come in this order: decode_source_init() and decode_source_prepare() of its
 * source, library_start(), library_next() or library_next_of() until they return TLOG_END, decode_source_release().
 */
#ifndef LIBRARY_DECODER_H
#define LIBRARY_DECODER_H

#include "decode/queue.h"
#include "decode/source.h"
#include "tlog_decode.h"

/* All zero before decode_source_init(). */
struct tlog_decoder {
    struct decode_source source;
    struct decode_queue queue; /* the CPUs that have events, while all are read in the order of time */
    bool is_queued, was_read;  /* queue has been filled; its first CPU's events were given out */
};

/* Get ready to give out events, from the first one on. 0, or -1 after trace_fail(), or if the source meets lives. */
int library_start(struct tlog_decoder *decoder);

/* Read the next events: of the CPU with the earliest one, up to the next CPU's earliest and to `until`; or of a CPU,
 * whose events must come after those of the CPUs before. *batch: the events, perhaps none, valid until the next call.
 * Edges (decode/known.h) count as events here, so some may be left when there are no more events. TLOG_FAILED: after
 * trace_fail(), or if the source meets lives. */
enum tlog_result library_next(struct tlog_decoder *decoder, uint64_t until, unsigned *cpu, struct trace_batch **batch);
enum tlog_result library_next_of(struct tlog_decoder *decoder, unsigned cpu, struct trace_batch **batch);

/* Get the time of what library_next() reads next, and whether there are more events than edges. 1; 0: nothing is left;
 * -1 after trace_fail(). */
int library_look(struct tlog_decoder *decoder, uint64_t *time);
bool library_has_events(const struct tlog_decoder *decoder);

/* Give the warnings and notes that can be given only when all events have come. Returns whether names are those of
 * another firmware. */
bool library_tell(const struct tlog_decoder *decoder);

/* Forget what was read: the source begins again. */
void library_begin_again(struct tlog_decoder *decoder);

/* decode_source_release() and decode_source_release_repeated() of a decoder. */
void library_release(struct tlog_decoder *decoder);
void library_release_repeated(struct tlog_decoder *decoder);

#endif
