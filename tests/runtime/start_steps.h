/* start_steps.h - turns tlog's exclusive accesses and its publishing into calls of tests/runtime/start.c. Included
 * before every other file (gcc -include). */
#ifndef RUNTIME_START_STEPS_H
#define RUNTIME_START_STEPS_H

#include "tlog_port.h"

uint32_t start_load(const uint32_t *word);
uint32_t start_store(uint32_t value, uint32_t *word);
void *start_load_pointer(void *const *word);
uint32_t start_store_pointer(void *value, void **word);
void start_publish(void);

#define tlog_port_load_exclusive(word)                 start_load(word)
#define tlog_port_store_exclusive(value, word)         start_store(value, word)
#define tlog_port_load_exclusive_pointer(word)         start_load_pointer(word)
#define tlog_port_store_exclusive_pointer(value, word) start_store_pointer(value, word)
#define tlog_port_publish()                            start_publish()

#endif
