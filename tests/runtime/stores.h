/* stores.h - has the compiler call a function ahead of each store: at_store(), which the test defines. Included by one
 * file of a test that is compiled with AT_EACH_STORE (tests/module.mk). */
#ifndef RUNTIME_STORES_H
#define RUNTIME_STORES_H

#include <stdbool.h>
#include <stdint.h>

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];

/* A store comes. is_chunks: to the memory of the chunks. */
static void at_store(bool is_chunks);

#define STORE(size)                                                                                                    \
    void __asan_store##size##_noabort(uintptr_t at);                                                                   \
    void __asan_store##size##_noabort(uintptr_t at)                                                                    \
    {                                                                                                                  \
        at_store(at >= (uintptr_t)__start_tlog_chunks && at < (uintptr_t)__stop_tlog_chunks);                          \
    }
STORE(1)
STORE(2)
STORE(4)
STORE(8)
STORE(16)

void __asan_handle_no_return(void);
void __asan_handle_no_return(void)
{
}

#endif
