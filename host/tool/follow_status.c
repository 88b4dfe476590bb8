/* follow_status.c - see follow_status.h. */
#include "tool/follow_status.h"

#include "os/os_file.h"
#include "os/os_time.h"
#include "tool/progress.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S  1000000000u
#define NS_PER_MS 1000000u
#define STEP_NS   (NS_PER_S / 2u) /* from one line to the next */

void follow_status_begin(struct follow_status *status, bool as_text)
{
    struct os_status out;
    status->is_on = os_takes_escapes(OS_STDERR) && (!as_text || (os_status_of(OS_STDOUT, &out) && out.kind == OS_FILE));
}

void follow_status_next_run(struct follow_status *status)
{
    status->last_poll = 0;
}

/* Count from here on. */
static void begin_count(struct follow_status *status, const struct native_recorded *told, uint64_t now)
{
    status->counted = *told;
    status->shown = now;
    status->lag = 0;
}

static void show(const struct follow_status *status, const struct native_recorded *told, uint64_t now)
{
    const double seconds = (double)(now - status->shown) / NS_PER_S;
    const uint64_t logged = told->logged > status->counted.logged ? told->logged - status->counted.logged : 0;
    char line[160];
    snprintf(line, sizeof line, "%.0f events/s, %.0f bytes/s read, %" PRIu64 " lost, lag %" PRIu64 " ms",
             (double)logged / seconds, (double)(told->bytes - status->counted.bytes) / seconds,
             told->lost + told->dropped, status->lag / NS_PER_MS);
    progress_line(line);
}

/* The oldest event that a poll can bring was logged when the poll before it began. */
void follow_status_polled(struct follow_status *status, const struct native_recorded *told, uint64_t began)
{
    const uint64_t now = status->is_on ? os_now_ns() : 0, before = status->last_poll;
    if (!status->is_on || told->boot == 0)
        return;
    status->last_poll = began;
    if (before == 0) {
        begin_count(status, told, now);
        return;
    }
    status->lag = now - before > status->lag ? now - before : status->lag;
    if (now - status->shown < STEP_NS)
        return;
    show(status, told, now);
    begin_count(status, told, now);
}
