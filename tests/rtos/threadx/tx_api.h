/* tx_api.h - the types of the stand-in for ThreadX: of the kernel's, the members that tlog_threadx.c reads. */
#ifndef TX_API_H
#define TX_API_H

#include "tx_user.h"

#include <stdint.h>

typedef unsigned long ULONG;
typedef unsigned int UINT;
typedef unsigned char UCHAR;
typedef char CHAR;
typedef void VOID;

#define TX_NO_WAIT ((ULONG)0)
#define TX_SUCCESS ((UINT)0)
#define TX_AND     ((UINT)2)

/* Of tx_port.h. */
#define TX_MAX_PRIORITIES 64u
#define TX_INTERRUPT_SAVE_AREA
#define TX_DISABLE __asm volatile("cpsid i" ::: "memory");
#define TX_RESTORE __asm volatile("cpsie i" ::: "memory");

enum {
    TX_READY,
    TX_COMPLETED,
    TX_TERMINATED,
    TX_SUSPENDED,
    TX_SLEEP,
    TX_QUEUE_SUSP,
    TX_SEMAPHORE_SUSP,
    TX_EVENT_FLAG,
    TX_BLOCK_MEMORY,
    TX_BYTE_MEMORY,
    TX_IO_DRIVER,
    TX_FILE,
    TX_TCP_IP,
    TX_MUTEX_SUSP,
    TX_PRIORITY_CHANGE
};

typedef struct TX_THREAD_STRUCT {
    CHAR *tx_thread_name;
    UINT tx_thread_priority, tx_thread_user_priority, tx_thread_state, tx_thread_suspend_status;
    VOID *tx_thread_suspend_control_block;
    ULONG tx_thread_suspend_info;
    struct TX_THREAD_STRUCT *tx_thread_ready_next;
} TX_THREAD;

typedef struct {
    CHAR *tx_queue_name;
    UINT tx_queue_capacity, tx_queue_enqueued, tx_queue_available_storage, tx_queue_suspended_count;
} TX_QUEUE;

typedef struct {
    CHAR *tx_semaphore_name;
    ULONG tx_semaphore_count;
} TX_SEMAPHORE;

typedef struct {
    CHAR *tx_mutex_name;
    UINT tx_mutex_ownership_count, tx_mutex_inherit;
    TX_THREAD *tx_mutex_owner;
} TX_MUTEX;

typedef struct {
    CHAR *tx_event_flags_group_name;
} TX_EVENT_FLAGS_GROUP;

typedef struct {
    CHAR *tx_block_pool_name;
    UINT tx_block_pool_available;
} TX_BLOCK_POOL;

typedef struct {
    CHAR *tx_byte_pool_name;
    ULONG tx_byte_pool_size, tx_byte_pool_available;
} TX_BYTE_POOL;

typedef struct {
    CHAR *tx_timer_name;
} TX_TIMER;

#endif
