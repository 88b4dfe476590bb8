/* news.c - see news.h. Each CPU fills a page with items. Full pages of all CPUs go to one spool, each with the number
 * of the page that continues it. Only the process that wrote the spool reads it, so pages are written as the compiler
 * lays them out. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "decode/news.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/spool.h"
#include "io/write_behind.h"
#include "model/trace.h"

enum { ITEMS = 255 }; /* of a page, which has less than 4096 bytes */

struct page {
    uint64_t next; /* number of the page that continues this one */
    struct decode_news_item item[ITEMS];
};

struct lane {
    struct page *page; /* the newest one, which is not in the spool; NULL: there are no news */
    unsigned n;        /* items in it */
    unsigned told;     /* items of the page that is being told */
    uint64_t newest;   /* number of page */
    uint64_t telling;  /* number of the page that is being told */
};

struct decode_news {
    int spool; /* -1: none */
    unsigned ncpus;
    uint64_t pages;        /* how many pages have numbers */
    const struct lane *of; /* whose page is loaded; NULL: none */
    struct page loaded;    /* a page of the spool, to be told */
    struct lane lane[];
};

struct decode_news *decode_news_new(unsigned ncpus)
{
    struct decode_news *news = calloc(1, sizeof *news + ncpus * sizeof news->lane[0]);
    if (news == NULL)
        return NULL;
    news->spool = -1;
    news->ncpus = ncpus;
    return news;
}

void decode_news_free(struct decode_news *news)
{
    if (news == NULL)
        return;
    for (unsigned i = 0; i < news->ncpus; i++)
        free(news->lane[i].page);
    if (news->spool >= 0)
        close(news->spool);
    free(news);
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

/* Give a CPU its first page. 0, or -1 after trace_fail(). */
static int begin(struct decode_news *news, struct trace *trace, struct lane *lane)
{
    lane->page = malloc(sizeof *lane->page);
    if (lane->page == NULL)
        return trace_fail(trace, "%s: no memory for what CPUs know of tasks", trace->input_name);
    memset(lane->page, 0, sizeof *lane->page);
    lane->newest = lane->telling = news->pages++;
    return 0;
}

/* Write a full page to the spool, and begin the next one. 0, or -1 after trace_fail(). */
static int turn_page(struct decode_news *news, struct trace *trace, struct lane *lane)
{
    int error;
    if (news->spool < 0 && (news->spool = spool_open(trace, trace->input_name)) < 0)
        return -1;
    lane->page->next = news->pages++;
    error = write_at(news->spool, lane->page, sizeof *lane->page, lane->newest * sizeof *lane->page);
    if (error != 0)
        return trace_fail(trace, "cannot write a temporary file: %s", strerror(error));
    lane->newest = lane->page->next;
    lane->n = 0;
    return 0;
}

void decode_news_keep(struct decode_news *news, struct trace *trace, unsigned cpu, const struct decode_news_item *item)
{
    struct lane *lane = &news->lane[cpu];
    if (trace->failed || (lane->page == NULL && begin(news, trace, lane) != 0)
        || (lane->n == ITEMS && turn_page(news, trace, lane) != 0))
        return;
    lane->page->item[lane->n++] = *item;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* Load the page that is to be told. 0, or -1 after trace_fail(). */
static int load(struct decode_news *news, struct trace *trace, const struct lane *lane)
{
    unsigned char *to = (unsigned char *)&news->loaded;
    size_t done = 0, size = sizeof news->loaded;
    while (done < size) {
        ssize_t n = pread(news->spool, to + done, size - done, (off_t)(lane->telling * size + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return trace_fail(trace, "cannot read a temporary file: %s", n < 0 ? strerror(errno) : "it is too short");
        done += (size_t)n;
    }
    news->of = lane;
    return 0;
}

bool decode_news_next(struct decode_news *news, struct trace *trace, unsigned cpu, struct decode_news_item *item)
{
    struct lane *lane = &news->lane[cpu];
    if (lane->page != NULL && lane->telling != lane->newest) {
        if ((lane->told == 0 || news->of != lane) && load(news, trace, lane) != 0)
            return false;
        *item = news->loaded.item[lane->told++];
        if (lane->told == ITEMS) {
            lane->telling = news->loaded.next;
            lane->told = 0;
        }
        return true;
    }
    if (lane->told == lane->n)
        return false;
    *item = lane->page->item[lane->told++];
    return true;
}
