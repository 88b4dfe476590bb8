/* aside.h - a thread that does work aside, one piece of it at a time, while the caller goes on. */
#ifndef IO_ASIDE_H
#define IO_ASIDE_H

struct aside;

/* Start the thread. NULL when memory runs out or no thread can be made. */
struct aside *aside_start(void);

/* Wait until the work before is done, then have work(ctx) done. What it uses is not the caller's until aside_wait(). */
void aside_do(struct aside *aside, void (*work)(void *ctx), void *ctx);

/* Wait until all work is done. */
void aside_wait(struct aside *aside);

/* Wait until all work is done, end the thread and free its state. NULL is allowed. */
void aside_end(struct aside *aside);

#endif
