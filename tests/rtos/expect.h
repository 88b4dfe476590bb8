/* expect.h - what the stand-ins for kernels share: the lines that the trace must show, the hooks that were run, and the
 * way into handlers. */
#ifndef RTOS_EXPECT_H
#define RTOS_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

/* Run a hook, and note that it ran: RUN(traceTASK_DELETE, (task)). */
#define RUN(hook, arguments)                                                                                           \
    do {                                                                                                               \
        note_hook(#hook);                                                                                              \
        hook arguments;                                                                                                \
    } while (0)

enum where { THREAD, SYSTICK, IRQ };

/* Call a function there, with an argument; at() with the interrupts masked that a kernel masks. */
void at(enum where where, void (*function)(void *), void *argument);
void in(enum where where, void (*function)(void *), void *argument);

/* A kernel's hook of a handler is called: it must log the entry, or the exit. Not if the firmware is compiled with
 * -DTRACED: then tlog_irq_trace() logs all handlers of at() and in(), and hooks must not log them a second time; with
 * -DTRACED=2 tlog_irq_any() does so.
 * number: as in IPSR. */
void expect_entry(uint32_t number);
void expect_exit(uint32_t number);

/* With TLOG_START = 1: an interrupt that logs two events before anything is created. They are dropped and counted. */
void interrupt_early(void);

/* Mask the interrupts that the kernel masks, and open them again. */
void mask(void);
void unmask(void);

void note_hook(const char *hook);

/* Note a line of the trace: printf()'s %s, %u, %d, %x and %c. */
void expect(const char *format, ...);

/* The port must have told since the last call that no task is in the middle of a call (tlog_rtos_quiescent()), or must
 * not. If not so, `where` shows as a line that the trace must have. */
void expect_told(bool is_told, const char *where);

/* Write expected.txt and ran.txt. */
int expect_save(void);

#endif
