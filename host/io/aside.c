/* aside.c - work in a thread of its own: see aside.h. */
#include "io/aside.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* All but the thread is used only with the lock held. The thread releases it while it works. */
struct aside {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;  /* work or ended is another one */
    void (*work)(void *ctx); /* to be done, or being done; NULL: none */
    void *ctx;
    bool ended; /* the thread ends after the work */
};

/* What the thread runs. */
static void *run(void *argument)
{
    struct aside *aside = argument;
    pthread_mutex_lock(&aside->lock);
    for (;;) {
        while (aside->work == NULL && !aside->ended)
            pthread_cond_wait(&aside->changed, &aside->lock);
        if (aside->work == NULL)
            break;
        pthread_mutex_unlock(&aside->lock);
        aside->work(aside->ctx);
        pthread_mutex_lock(&aside->lock);
        aside->work = NULL;
        pthread_cond_broadcast(&aside->changed);
    }
    pthread_mutex_unlock(&aside->lock);
    return NULL;
}

struct aside *aside_start(void)
{
    struct aside *aside = calloc(1, sizeof *aside);
    if (aside == NULL)
        return NULL;
    pthread_mutex_init(&aside->lock, NULL);
    pthread_cond_init(&aside->changed, NULL);
    if (pthread_create(&aside->thread, NULL, run, aside) == 0)
        return aside;
    free(aside);
    return NULL;
}

/* Wait for the work on its way. The lock is held by the caller. */
static void wait_with_lock(struct aside *aside)
{
    while (aside->work != NULL)
        pthread_cond_wait(&aside->changed, &aside->lock);
}

void aside_do(struct aside *aside, void (*work)(void *ctx), void *ctx)
{
    pthread_mutex_lock(&aside->lock);
    wait_with_lock(aside);
    aside->work = work;
    aside->ctx = ctx;
    pthread_cond_broadcast(&aside->changed);
    pthread_mutex_unlock(&aside->lock);
}

void aside_wait(struct aside *aside)
{
    pthread_mutex_lock(&aside->lock);
    wait_with_lock(aside);
    pthread_mutex_unlock(&aside->lock);
}

void aside_end(struct aside *aside)
{
    if (aside == NULL)
        return;
    pthread_mutex_lock(&aside->lock);
    aside->ended = true;
    pthread_cond_broadcast(&aside->changed);
    pthread_mutex_unlock(&aside->lock);
    pthread_join(aside->thread, NULL);
    pthread_cond_destroy(&aside->changed);
    pthread_mutex_destroy(&aside->lock);
    free(aside);
}
