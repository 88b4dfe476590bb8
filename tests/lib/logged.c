/* logged.c - storage of logged.h. */
#include "logged.h"

struct logged logged_events[LOGGED_MAX];
volatile uint32_t logged_count;
