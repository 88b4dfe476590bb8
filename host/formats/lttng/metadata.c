/* metadata.c - what a trace's headers and metadata say of the whole trace: see metadata.h. */
#include "formats/lttng/metadata.h"

#include "io/input.h"
#include "formats/lttng/block.h"
#include "formats/lttng/event.h"

#include <string.h>

#define FILES_COMPARED 64u /* files whose first headers are compared to find the reference */

bool lttng_metadata_is(const struct lttng_file *file)
{
    return file->control ? strcmp(file->channel, "facilities") == 0 : strcmp(file->channel, "metadata") == 0;
}

struct lttng_walk lttng_metadata_walk(struct lttng_metadata *metadata, const struct lttng_file *file)
{
    return (struct lttng_walk){.trace = metadata->trace,
                               .markers = &metadata->markers,
                               .in = file->in,
                               .name = file->path,
                               .channel = file->channel,
                               .described = lttng_markers_channel(&metadata->markers, file->channel),
                               .seed = metadata->seed,
                               .metadata = lttng_metadata_is(file),
                               .has_reference = metadata->has_reference,
                               .reference = metadata->reference,
                               .compact = !file->control && strcmp(file->channel, "compact") == 0};
}

/* ---- the document of 2008, or version 1.0 ------------------------------------------------------------------------ */

/* How many descriptions can be read if the headers are the document's, or version 1.0's. */
static uint64_t count_descriptions(struct lttng_metadata *metadata, const struct lttng_file *file, bool seed)
{
    struct lttng_markers markers = {.trace = metadata->trace};
    struct lttng_walk walk = lttng_metadata_walk(metadata, file);
    walk.markers = &markers;
    walk.seed = seed;
    walk.quiet = true;
    lttng_block_start(&walk);
    while (lttng_event_next(&walk))
        continue;
    lttng_markers_free(&markers);
    return walk.events;
}

/* Both have the same version number in their headers: the one that makes more sense is taken. */
static bool is_seed(struct lttng_metadata *metadata)
{
    for (size_t i = 0; i < metadata->files.n; i++) {
        const struct lttng_file *file = &metadata->files.file[i];
        if (lttng_metadata_is(file)
            && count_descriptions(metadata, file, true) > count_descriptions(metadata, file, false))
            return true;
    }
    return false;
}

/* ---- the reference header ---------------------------------------------------------------------------------------- */

/* The one of n headers that most are like. */
static const struct lttng_block_header *most_common(const struct lttng_block_header *header, unsigned n)
{
    unsigned best = 0, most = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned alike = 0;
        for (unsigned k = 0; k < n; k++)
            alike += lttng_block_header_alike(&header[i], &header[k]);
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    return &header[best];
}

/* Find the header that most files begin with, since a file's own first header may be damaged. In version 2 the trace
 * starts with the first block of its metadata. Returns false if no file begins with a header. */
static bool find_reference(const struct lttng_metadata *metadata, struct lttng_block_header *reference)
{
    struct lttng_block_header first[FILES_COMPARED];
    const struct lttng_block_header *start = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < metadata->files.n && n < FILES_COMPARED; i++) {
        const struct lttng_file *file = &metadata->files.file[i];
        unsigned char bytes[LTTNG_HEADER_MAX];
        size_t size = input_read(file->in, 0, bytes, sizeof bytes);
        if (lttng_block_header_read(&first[n], bytes, size, metadata->seed) != NULL)
            continue;
        if (start == NULL && lttng_metadata_is(file))
            start = &first[n];
        n++;
    }
    if (n == 0)
        return false;
    *reference = *most_common(first, n);
    if (reference->family == LTTNG_METADATA && start != NULL)
        reference->start_tsc = start->begin;
    return true;
}

/* The first header of all files, wherever it is, where no file begins with one. In a search nothing is reported.
 * Returns false if there is none. */
static bool search_reference(struct lttng_metadata *metadata, struct lttng_block_header *reference)
{
    for (size_t i = 0; i < metadata->files.n; i++) {
        struct lttng_walk walk = lttng_metadata_walk(metadata, &metadata->files.file[i]);
        walk.quiet = true;
        if (lttng_block_next(&walk)) {
            *reference = walk.reference;
            return true;
        }
    }
    return false;
}

static void set_reference(struct lttng_metadata *metadata, const struct lttng_block_header *reference)
{
    struct lttng_clock *clock = &metadata->clock;
    metadata->has_reference = true;
    metadata->reference = *reference;
    metadata->markers.per_channel = reference->family == LTTNG_METADATA;
    lttng_block_header_clock(reference, &clock->freq, &clock->divisor);
    clock->start_tsc = reference->start_tsc;
    clock->start_ns = reference->start_ns;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

/* Learn all descriptions of a file. Returns true if it has a block. */
static bool read_file(struct lttng_metadata *metadata, const struct lttng_file *file)
{
    struct lttng_walk walk = lttng_metadata_walk(metadata, file);
    lttng_block_start(&walk);
    while (lttng_event_next(&walk))
        continue;
    return walk.blocks > 0;
}

int lttng_metadata_read(struct lttng_metadata *metadata)
{
    const struct lttng_files *files = &metadata->files;
    struct lttng_block_header reference;
    bool found = false;
    metadata->markers.trace = metadata->trace;
    metadata->clock.divisor = 1; /* until a header tells the clock: one may never be found */
    metadata->seed = is_seed(metadata);
    if (find_reference(metadata, &reference) || search_reference(metadata, &reference))
        set_reference(metadata, &reference);
    for (size_t i = 0; i < files->n; i++) {
        if (lttng_metadata_is(&files->file[i]))
            found |= read_file(metadata, &files->file[i]);
    }
    if (!found)
        return trace_fail(metadata->trace, "%s: neither control/facilities nor metadata describes the events",
                          metadata->trace->input_name);
    return lttng_markers_declare(&metadata->markers);
}

void lttng_metadata_free(struct lttng_metadata *metadata)
{
    lttng_markers_free(&metadata->markers);
    lttng_files_close(&metadata->files);
}
