/* progress.c - see progress.h. Only the main thread reads inputs. */
#include "tool/progress.h"

#include "os/os_file.h"
#include "os/os_time.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S     1000000000u
#define SILENT_NS    NS_PER_S        /* nothing is shown before */
#define STEP_NS      (NS_PER_S / 5u) /* from one line to the next */
#define BYTES_A_LOOK (256u << 10)    /* bytes from one look at the clock to the next */

static struct {
    bool is_on, is_shown;
    uint64_t began, stage, shown;  /* times: of all, of this reading, of the last line */
    uint64_t whole, bytes, unseen; /* bytes of the stage: all, read, read since the clock was looked at */
    uint64_t events;
} progress;

void progress_begin(void)
{
    memset(&progress, 0, sizeof progress);
    progress.is_on = os_takes_escapes(OS_STDERR);
    progress.began = progress.stage = progress.is_on ? os_now_ns() : 0;
}

void progress_stage(uint64_t bytes)
{
    progress.whole = bytes;
    progress.bytes = progress.unseen = progress.events = 0;
    progress.stage = progress.is_on ? os_now_ns() : 0;
}

/* Readers may leave out holes: how much is left is a guess. */
static void show(uint64_t time)
{
    double seconds = (double)(time - progress.stage) / NS_PER_S, part;
    progress.is_shown = true;
    progress.shown = time;
    if (progress.whole > 0) {
        part = (double)progress.bytes / (double)progress.whole;
        part = part > 0.99 ? 0.99 : part;
        fprintf(stderr, "\r\033[Ktlog-decode: %.0f %%", part * 100);
    } else {
        part = 0;
        fprintf(stderr, "\r\033[Ktlog-decode: %" PRIu64 " MiB read", progress.bytes >> 20);
    }
    if (progress.events > 0 && seconds > 0)
        fprintf(stderr, ", %" PRIu64 " events, %.0f events/s", progress.events, (double)progress.events / seconds);
    if (part > 0)
        fprintf(stderr, ", %.0f s left", seconds / part - seconds);
    fflush(stderr);
}

static void look(void)
{
    uint64_t time = os_now_ns();
    progress.unseen = 0;
    if (time - progress.began >= SILENT_NS && time - progress.shown >= STEP_NS)
        show(time);
}

void progress_add(uint64_t bytes, uint64_t events)
{
    progress.bytes += bytes;
    progress.unseen += bytes;
    progress.events += events;
    if (progress.is_on && (events > 0 || progress.unseen >= BYTES_A_LOOK))
        look();
}

void progress_line(const char *text)
{
    progress.is_shown = true;
    fprintf(stderr, "\r\033[Ktlog-decode: %s", text);
    fflush(stderr);
}

void progress_erase(void)
{
    if (progress.is_shown)
        fputs("\r\033[K", stderr);
    progress.is_shown = false;
}

void progress_end(void)
{
    progress_erase();
    progress.is_on = false;
}
