/* SPDX-License-Identifier: MIT */
/* tlog_freertos_hooks.h - the kernel's trace macros are tlog's, TLOG_trace..., of which those are empty whose group is
 * not compiled. tlog_freertos.h includes this at its end, with TLOG_ENABLE = 0, too. */
#ifndef TLOG_FREERTOS_HOOKS_H
#define TLOG_FREERTOS_HOOKS_H

#ifndef TLOG_FREERTOS_H
#error "tlog: include tlog_freertos.h"
#endif

#if TLOG_ENABLE && TLOG_FREERTOS_REPLACE
#undef traceTASK_CREATE
#undef traceTASK_DELETE
#undef traceTASK_SWITCHED_IN
#undef traceTASK_SWITCHED_OUT
#undef traceMOVED_TASK_TO_READY_STATE
#undef traceTASK_PRIORITY_SET
#undef traceTASK_INCREMENT_TICK
#undef traceTASK_DELAY
#undef traceTASK_DELAY_UNTIL
#undef traceTASK_SUSPEND
#undef traceTASK_RESUME
#undef traceTASK_RESUME_FROM_ISR
#undef traceBLOCKING_ON_QUEUE_RECEIVE
#undef traceBLOCKING_ON_QUEUE_SEND
#undef traceBLOCKING_ON_QUEUE_PEEK
#undef traceBLOCKING_ON_STREAM_BUFFER_SEND
#undef traceBLOCKING_ON_STREAM_BUFFER_RECEIVE
#undef traceTASK_NOTIFY_TAKE_BLOCK
#undef traceTASK_NOTIFY_WAIT_BLOCK
#undef traceTASK_NOTIFY_WAIT
#undef traceEVENT_GROUP_WAIT_BITS_BLOCK
#undef traceEVENT_GROUP_SYNC_BLOCK
#undef traceTASK_PRIORITY_INHERIT
#undef traceTASK_PRIORITY_DISINHERIT
#undef traceQUEUE_CREATE
#undef traceQUEUE_CREATE_FAILED
#undef traceQUEUE_DELETE
#undef traceENTER_xQueueGenericReset
#undef traceQUEUE_REGISTRY_ADD
#undef traceQUEUE_SEND
#undef traceQUEUE_SEND_FROM_ISR
#undef traceQUEUE_RECEIVE
#undef traceQUEUE_RECEIVE_FROM_ISR
#undef traceQUEUE_PEEK
#undef traceQUEUE_PEEK_FROM_ISR
#undef traceQUEUE_SEND_FAILED
#undef traceQUEUE_SEND_FROM_ISR_FAILED
#undef traceQUEUE_RECEIVE_FAILED
#undef traceQUEUE_RECEIVE_FROM_ISR_FAILED
#undef traceQUEUE_PEEK_FAILED
#undef traceQUEUE_PEEK_FROM_ISR_FAILED
#undef traceTAKE_MUTEX_RECURSIVE
#undef traceGIVE_MUTEX_RECURSIVE
#undef traceGIVE_MUTEX_RECURSIVE_FAILED
#undef traceTIMER_CREATE
#undef traceTIMER_CREATE_FAILED
#undef traceTIMER_COMMAND_SEND
#undef traceTIMER_COMMAND_RECEIVED
#undef traceTIMER_EXPIRED
#undef tracePEND_FUNC_CALL
#undef tracePEND_FUNC_CALL_FROM_ISR
#undef traceEVENT_GROUP_CREATE
#undef traceEVENT_GROUP_CREATE_FAILED
#undef traceEVENT_GROUP_DELETE
#undef traceEVENT_GROUP_SET_BITS
#undef traceEVENT_GROUP_CLEAR_BITS
#undef traceEVENT_GROUP_SET_BITS_FROM_ISR
#undef traceEVENT_GROUP_CLEAR_BITS_FROM_ISR
#undef traceEVENT_GROUP_WAIT_BITS_END
#undef traceEVENT_GROUP_SYNC_END
#undef traceSTREAM_BUFFER_CREATE
#undef traceSTREAM_BUFFER_CREATE_FAILED
#undef traceSTREAM_BUFFER_CREATE_STATIC_FAILED
#undef traceSTREAM_BUFFER_DELETE
#undef traceSTREAM_BUFFER_RESET
#undef traceSTREAM_BUFFER_RESET_FROM_ISR
#undef traceSTREAM_BUFFER_SEND
#undef traceSTREAM_BUFFER_SEND_FROM_ISR
#undef traceSTREAM_BUFFER_SEND_FAILED
#undef traceSTREAM_BUFFER_RECEIVE
#undef traceSTREAM_BUFFER_RECEIVE_FROM_ISR
#undef traceSTREAM_BUFFER_RECEIVE_FAILED
#undef traceTASK_NOTIFY
#undef traceTASK_NOTIFY_FROM_ISR
#undef traceTASK_NOTIFY_GIVE_FROM_ISR
#undef traceTASK_NOTIFY_TAKE
#undef traceMALLOC
#undef traceFREE
#undef traceTASK_CREATE_FAILED
#undef traceLOW_POWER_IDLE_BEGIN
#undef traceLOW_POWER_IDLE_END
#undef traceINCREASE_TICK_COUNT
#undef traceISR_ENTER
#undef traceISR_EXIT
#undef traceISR_EXIT_TO_SCHEDULER
#endif

#ifdef TLOG_traceTASK_CREATE
#define traceTASK_CREATE TLOG_traceTASK_CREATE
#else
#define TLOG_traceTASK_CREATE(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_DELETE
#define traceTASK_DELETE TLOG_traceTASK_DELETE
#else
#define TLOG_traceTASK_DELETE(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_SWITCHED_IN
#define traceTASK_SWITCHED_IN TLOG_traceTASK_SWITCHED_IN
#else
#define TLOG_traceTASK_SWITCHED_IN(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_SWITCHED_OUT
#define traceTASK_SWITCHED_OUT TLOG_traceTASK_SWITCHED_OUT
#else
#define TLOG_traceTASK_SWITCHED_OUT(...) ((void)0)
#endif
#ifdef TLOG_traceMOVED_TASK_TO_READY_STATE
#define traceMOVED_TASK_TO_READY_STATE TLOG_traceMOVED_TASK_TO_READY_STATE
#else
#define TLOG_traceMOVED_TASK_TO_READY_STATE(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_PRIORITY_SET
#define traceTASK_PRIORITY_SET TLOG_traceTASK_PRIORITY_SET
#else
#define TLOG_traceTASK_PRIORITY_SET(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_INCREMENT_TICK
#define traceTASK_INCREMENT_TICK TLOG_traceTASK_INCREMENT_TICK
#else
#define TLOG_traceTASK_INCREMENT_TICK(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_DELAY
#define traceTASK_DELAY TLOG_traceTASK_DELAY
#else
#define TLOG_traceTASK_DELAY(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_DELAY_UNTIL
#define traceTASK_DELAY_UNTIL TLOG_traceTASK_DELAY_UNTIL
#else
#define TLOG_traceTASK_DELAY_UNTIL(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_SUSPEND
#define traceTASK_SUSPEND TLOG_traceTASK_SUSPEND
#else
#define TLOG_traceTASK_SUSPEND(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_RESUME
#define traceTASK_RESUME TLOG_traceTASK_RESUME
#else
#define TLOG_traceTASK_RESUME(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_RESUME_FROM_ISR
#define traceTASK_RESUME_FROM_ISR TLOG_traceTASK_RESUME_FROM_ISR
#else
#define TLOG_traceTASK_RESUME_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceBLOCKING_ON_QUEUE_RECEIVE
#define traceBLOCKING_ON_QUEUE_RECEIVE TLOG_traceBLOCKING_ON_QUEUE_RECEIVE
#else
#define TLOG_traceBLOCKING_ON_QUEUE_RECEIVE(...) ((void)0)
#endif
#ifdef TLOG_traceBLOCKING_ON_QUEUE_SEND
#define traceBLOCKING_ON_QUEUE_SEND TLOG_traceBLOCKING_ON_QUEUE_SEND
#else
#define TLOG_traceBLOCKING_ON_QUEUE_SEND(...) ((void)0)
#endif
#ifdef TLOG_traceBLOCKING_ON_QUEUE_PEEK
#define traceBLOCKING_ON_QUEUE_PEEK TLOG_traceBLOCKING_ON_QUEUE_PEEK
#else
#define TLOG_traceBLOCKING_ON_QUEUE_PEEK(...) ((void)0)
#endif
#ifdef TLOG_traceBLOCKING_ON_STREAM_BUFFER_SEND
#define traceBLOCKING_ON_STREAM_BUFFER_SEND TLOG_traceBLOCKING_ON_STREAM_BUFFER_SEND
#else
#define TLOG_traceBLOCKING_ON_STREAM_BUFFER_SEND(...) ((void)0)
#endif
#ifdef TLOG_traceBLOCKING_ON_STREAM_BUFFER_RECEIVE
#define traceBLOCKING_ON_STREAM_BUFFER_RECEIVE TLOG_traceBLOCKING_ON_STREAM_BUFFER_RECEIVE
#else
#define TLOG_traceBLOCKING_ON_STREAM_BUFFER_RECEIVE(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_NOTIFY_TAKE_BLOCK
#define traceTASK_NOTIFY_TAKE_BLOCK TLOG_traceTASK_NOTIFY_TAKE_BLOCK
#else
#define TLOG_traceTASK_NOTIFY_TAKE_BLOCK(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_NOTIFY_WAIT_BLOCK
#define traceTASK_NOTIFY_WAIT_BLOCK TLOG_traceTASK_NOTIFY_WAIT_BLOCK
#else
#define TLOG_traceTASK_NOTIFY_WAIT_BLOCK(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_NOTIFY_WAIT
#define traceTASK_NOTIFY_WAIT TLOG_traceTASK_NOTIFY_WAIT
#else
#define TLOG_traceTASK_NOTIFY_WAIT(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_WAIT_BITS_BLOCK
#define traceEVENT_GROUP_WAIT_BITS_BLOCK TLOG_traceEVENT_GROUP_WAIT_BITS_BLOCK
#else
#define TLOG_traceEVENT_GROUP_WAIT_BITS_BLOCK(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_SYNC_BLOCK
#define traceEVENT_GROUP_SYNC_BLOCK TLOG_traceEVENT_GROUP_SYNC_BLOCK
#else
#define TLOG_traceEVENT_GROUP_SYNC_BLOCK(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_PRIORITY_INHERIT
#define traceTASK_PRIORITY_INHERIT TLOG_traceTASK_PRIORITY_INHERIT
#else
#define TLOG_traceTASK_PRIORITY_INHERIT(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_PRIORITY_DISINHERIT
#define traceTASK_PRIORITY_DISINHERIT TLOG_traceTASK_PRIORITY_DISINHERIT
#else
#define TLOG_traceTASK_PRIORITY_DISINHERIT(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_CREATE
#define traceQUEUE_CREATE TLOG_traceQUEUE_CREATE
#else
#define TLOG_traceQUEUE_CREATE(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_CREATE_FAILED
#define traceQUEUE_CREATE_FAILED TLOG_traceQUEUE_CREATE_FAILED
#else
#define TLOG_traceQUEUE_CREATE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_DELETE
#define traceQUEUE_DELETE TLOG_traceQUEUE_DELETE
#else
#define TLOG_traceQUEUE_DELETE(...) ((void)0)
#endif
#ifdef TLOG_traceENTER_xQueueGenericReset
#define traceENTER_xQueueGenericReset TLOG_traceENTER_xQueueGenericReset
#else
#define TLOG_traceENTER_xQueueGenericReset(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_REGISTRY_ADD
#define traceQUEUE_REGISTRY_ADD TLOG_traceQUEUE_REGISTRY_ADD
#else
#define TLOG_traceQUEUE_REGISTRY_ADD(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_SEND
#define traceQUEUE_SEND TLOG_traceQUEUE_SEND
#else
#define TLOG_traceQUEUE_SEND(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_SEND_FROM_ISR
#define traceQUEUE_SEND_FROM_ISR TLOG_traceQUEUE_SEND_FROM_ISR
#else
#define TLOG_traceQUEUE_SEND_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_RECEIVE
#define traceQUEUE_RECEIVE TLOG_traceQUEUE_RECEIVE
#else
#define TLOG_traceQUEUE_RECEIVE(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_RECEIVE_FROM_ISR
#define traceQUEUE_RECEIVE_FROM_ISR TLOG_traceQUEUE_RECEIVE_FROM_ISR
#else
#define TLOG_traceQUEUE_RECEIVE_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_PEEK
#define traceQUEUE_PEEK TLOG_traceQUEUE_PEEK
#else
#define TLOG_traceQUEUE_PEEK(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_PEEK_FROM_ISR
#define traceQUEUE_PEEK_FROM_ISR TLOG_traceQUEUE_PEEK_FROM_ISR
#else
#define TLOG_traceQUEUE_PEEK_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_SEND_FAILED
#define traceQUEUE_SEND_FAILED TLOG_traceQUEUE_SEND_FAILED
#else
#define TLOG_traceQUEUE_SEND_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_SEND_FROM_ISR_FAILED
#define traceQUEUE_SEND_FROM_ISR_FAILED TLOG_traceQUEUE_SEND_FROM_ISR_FAILED
#else
#define TLOG_traceQUEUE_SEND_FROM_ISR_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_RECEIVE_FAILED
#define traceQUEUE_RECEIVE_FAILED TLOG_traceQUEUE_RECEIVE_FAILED
#else
#define TLOG_traceQUEUE_RECEIVE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_RECEIVE_FROM_ISR_FAILED
#define traceQUEUE_RECEIVE_FROM_ISR_FAILED TLOG_traceQUEUE_RECEIVE_FROM_ISR_FAILED
#else
#define TLOG_traceQUEUE_RECEIVE_FROM_ISR_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_PEEK_FAILED
#define traceQUEUE_PEEK_FAILED TLOG_traceQUEUE_PEEK_FAILED
#else
#define TLOG_traceQUEUE_PEEK_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceQUEUE_PEEK_FROM_ISR_FAILED
#define traceQUEUE_PEEK_FROM_ISR_FAILED TLOG_traceQUEUE_PEEK_FROM_ISR_FAILED
#else
#define TLOG_traceQUEUE_PEEK_FROM_ISR_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceTAKE_MUTEX_RECURSIVE
#define traceTAKE_MUTEX_RECURSIVE TLOG_traceTAKE_MUTEX_RECURSIVE
#else
#define TLOG_traceTAKE_MUTEX_RECURSIVE(...) ((void)0)
#endif
#ifdef TLOG_traceGIVE_MUTEX_RECURSIVE
#define traceGIVE_MUTEX_RECURSIVE TLOG_traceGIVE_MUTEX_RECURSIVE
#else
#define TLOG_traceGIVE_MUTEX_RECURSIVE(...) ((void)0)
#endif
#ifdef TLOG_traceGIVE_MUTEX_RECURSIVE_FAILED
#define traceGIVE_MUTEX_RECURSIVE_FAILED TLOG_traceGIVE_MUTEX_RECURSIVE_FAILED
#else
#define TLOG_traceGIVE_MUTEX_RECURSIVE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceTIMER_CREATE
#define traceTIMER_CREATE TLOG_traceTIMER_CREATE
#else
#define TLOG_traceTIMER_CREATE(...) ((void)0)
#endif
#ifdef TLOG_traceTIMER_CREATE_FAILED
#define traceTIMER_CREATE_FAILED TLOG_traceTIMER_CREATE_FAILED
#else
#define TLOG_traceTIMER_CREATE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceTIMER_COMMAND_SEND
#define traceTIMER_COMMAND_SEND TLOG_traceTIMER_COMMAND_SEND
#else
#define TLOG_traceTIMER_COMMAND_SEND(...) ((void)0)
#endif
#ifdef TLOG_traceTIMER_COMMAND_RECEIVED
#define traceTIMER_COMMAND_RECEIVED TLOG_traceTIMER_COMMAND_RECEIVED
#else
#define TLOG_traceTIMER_COMMAND_RECEIVED(...) ((void)0)
#endif
#ifdef TLOG_traceTIMER_EXPIRED
#define traceTIMER_EXPIRED TLOG_traceTIMER_EXPIRED
#else
#define TLOG_traceTIMER_EXPIRED(...) ((void)0)
#endif
#ifdef TLOG_tracePEND_FUNC_CALL
#define tracePEND_FUNC_CALL TLOG_tracePEND_FUNC_CALL
#else
#define TLOG_tracePEND_FUNC_CALL(...) ((void)0)
#endif
#ifdef TLOG_tracePEND_FUNC_CALL_FROM_ISR
#define tracePEND_FUNC_CALL_FROM_ISR TLOG_tracePEND_FUNC_CALL_FROM_ISR
#else
#define TLOG_tracePEND_FUNC_CALL_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_CREATE
#define traceEVENT_GROUP_CREATE TLOG_traceEVENT_GROUP_CREATE
#else
#define TLOG_traceEVENT_GROUP_CREATE(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_CREATE_FAILED
#define traceEVENT_GROUP_CREATE_FAILED TLOG_traceEVENT_GROUP_CREATE_FAILED
#else
#define TLOG_traceEVENT_GROUP_CREATE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_DELETE
#define traceEVENT_GROUP_DELETE TLOG_traceEVENT_GROUP_DELETE
#else
#define TLOG_traceEVENT_GROUP_DELETE(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_SET_BITS
#define traceEVENT_GROUP_SET_BITS TLOG_traceEVENT_GROUP_SET_BITS
#else
#define TLOG_traceEVENT_GROUP_SET_BITS(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_CLEAR_BITS
#define traceEVENT_GROUP_CLEAR_BITS TLOG_traceEVENT_GROUP_CLEAR_BITS
#else
#define TLOG_traceEVENT_GROUP_CLEAR_BITS(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_SET_BITS_FROM_ISR
#define traceEVENT_GROUP_SET_BITS_FROM_ISR TLOG_traceEVENT_GROUP_SET_BITS_FROM_ISR
#else
#define TLOG_traceEVENT_GROUP_SET_BITS_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_CLEAR_BITS_FROM_ISR
#define traceEVENT_GROUP_CLEAR_BITS_FROM_ISR TLOG_traceEVENT_GROUP_CLEAR_BITS_FROM_ISR
#else
#define TLOG_traceEVENT_GROUP_CLEAR_BITS_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_WAIT_BITS_END
#define traceEVENT_GROUP_WAIT_BITS_END TLOG_traceEVENT_GROUP_WAIT_BITS_END
#else
#define TLOG_traceEVENT_GROUP_WAIT_BITS_END(...) ((void)0)
#endif
#ifdef TLOG_traceEVENT_GROUP_SYNC_END
#define traceEVENT_GROUP_SYNC_END TLOG_traceEVENT_GROUP_SYNC_END
#else
#define TLOG_traceEVENT_GROUP_SYNC_END(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_CREATE
#define traceSTREAM_BUFFER_CREATE TLOG_traceSTREAM_BUFFER_CREATE
#else
#define TLOG_traceSTREAM_BUFFER_CREATE(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_CREATE_FAILED
#define traceSTREAM_BUFFER_CREATE_FAILED TLOG_traceSTREAM_BUFFER_CREATE_FAILED
#else
#define TLOG_traceSTREAM_BUFFER_CREATE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_CREATE_STATIC_FAILED
#define traceSTREAM_BUFFER_CREATE_STATIC_FAILED TLOG_traceSTREAM_BUFFER_CREATE_STATIC_FAILED
#else
#define TLOG_traceSTREAM_BUFFER_CREATE_STATIC_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_DELETE
#define traceSTREAM_BUFFER_DELETE TLOG_traceSTREAM_BUFFER_DELETE
#else
#define TLOG_traceSTREAM_BUFFER_DELETE(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_RESET
#define traceSTREAM_BUFFER_RESET TLOG_traceSTREAM_BUFFER_RESET
#else
#define TLOG_traceSTREAM_BUFFER_RESET(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_RESET_FROM_ISR
#define traceSTREAM_BUFFER_RESET_FROM_ISR TLOG_traceSTREAM_BUFFER_RESET_FROM_ISR
#else
#define TLOG_traceSTREAM_BUFFER_RESET_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_SEND
#define traceSTREAM_BUFFER_SEND TLOG_traceSTREAM_BUFFER_SEND
#else
#define TLOG_traceSTREAM_BUFFER_SEND(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_SEND_FROM_ISR
#define traceSTREAM_BUFFER_SEND_FROM_ISR TLOG_traceSTREAM_BUFFER_SEND_FROM_ISR
#else
#define TLOG_traceSTREAM_BUFFER_SEND_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_SEND_FAILED
#define traceSTREAM_BUFFER_SEND_FAILED TLOG_traceSTREAM_BUFFER_SEND_FAILED
#else
#define TLOG_traceSTREAM_BUFFER_SEND_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_RECEIVE
#define traceSTREAM_BUFFER_RECEIVE TLOG_traceSTREAM_BUFFER_RECEIVE
#else
#define TLOG_traceSTREAM_BUFFER_RECEIVE(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_RECEIVE_FROM_ISR
#define traceSTREAM_BUFFER_RECEIVE_FROM_ISR TLOG_traceSTREAM_BUFFER_RECEIVE_FROM_ISR
#else
#define TLOG_traceSTREAM_BUFFER_RECEIVE_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceSTREAM_BUFFER_RECEIVE_FAILED
#define traceSTREAM_BUFFER_RECEIVE_FAILED TLOG_traceSTREAM_BUFFER_RECEIVE_FAILED
#else
#define TLOG_traceSTREAM_BUFFER_RECEIVE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_NOTIFY
#define traceTASK_NOTIFY TLOG_traceTASK_NOTIFY
#else
#define TLOG_traceTASK_NOTIFY(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_NOTIFY_FROM_ISR
#define traceTASK_NOTIFY_FROM_ISR TLOG_traceTASK_NOTIFY_FROM_ISR
#else
#define TLOG_traceTASK_NOTIFY_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_NOTIFY_GIVE_FROM_ISR
#define traceTASK_NOTIFY_GIVE_FROM_ISR TLOG_traceTASK_NOTIFY_GIVE_FROM_ISR
#else
#define TLOG_traceTASK_NOTIFY_GIVE_FROM_ISR(...) ((void)0)
#endif
#ifdef TLOG_traceTASK_NOTIFY_TAKE
#define traceTASK_NOTIFY_TAKE TLOG_traceTASK_NOTIFY_TAKE
#else
#define TLOG_traceTASK_NOTIFY_TAKE(...) ((void)0)
#endif
#ifdef TLOG_traceMALLOC
#define traceMALLOC TLOG_traceMALLOC
#else
#define TLOG_traceMALLOC(...) ((void)0)
#endif
#ifdef TLOG_traceFREE
#define traceFREE TLOG_traceFREE
#else
#define TLOG_traceFREE(...) ((void)0)
#endif

#ifdef TLOG_traceTASK_CREATE_FAILED
#define traceTASK_CREATE_FAILED TLOG_traceTASK_CREATE_FAILED
#else
#define TLOG_traceTASK_CREATE_FAILED(...) ((void)0)
#endif
#ifdef TLOG_traceLOW_POWER_IDLE_BEGIN
#define traceLOW_POWER_IDLE_BEGIN TLOG_traceLOW_POWER_IDLE_BEGIN
#else
#define TLOG_traceLOW_POWER_IDLE_BEGIN(...) ((void)0)
#endif
#ifdef TLOG_traceLOW_POWER_IDLE_END
#define traceLOW_POWER_IDLE_END TLOG_traceLOW_POWER_IDLE_END
#else
#define TLOG_traceLOW_POWER_IDLE_END(...) ((void)0)
#endif
#ifdef TLOG_traceINCREASE_TICK_COUNT
#define traceINCREASE_TICK_COUNT TLOG_traceINCREASE_TICK_COUNT
#else
#define TLOG_traceINCREASE_TICK_COUNT(...) ((void)0)
#endif
#ifdef TLOG_traceISR_ENTER
#define traceISR_ENTER TLOG_traceISR_ENTER
#else
#define TLOG_traceISR_ENTER(...) ((void)0)
#endif
#ifdef TLOG_traceISR_EXIT
#define traceISR_EXIT TLOG_traceISR_EXIT
#else
#define TLOG_traceISR_EXIT(...) ((void)0)
#endif
#ifdef TLOG_traceISR_EXIT_TO_SCHEDULER
#define traceISR_EXIT_TO_SCHEDULER TLOG_traceISR_EXIT_TO_SCHEDULER
#else
#define TLOG_traceISR_EXIT_TO_SCHEDULER(...) ((void)0)
#endif

#endif
