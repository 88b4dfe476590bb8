/* SPDX-License-Identifier: MIT */
/* tlog_traceevent.h - QNX's traceevent_t: the slot, the fields of its header, and the lists of classes and events.
 *
 * The firmware and the decoder both compile this file, so besides tlog_wire.h it includes only <stdint.h>. The firmware
 * uses the constants; the decoder makes its types of event from the same lists. QNX's terms:
 *
 *   slot              16 bytes: header, low word of the time stamp, two words of data
 *   simple event      an event of one slot
 *   combine event     an event of several slots, all with the same time stamp, and with the same header except for the
 *                     structure flag
 *   class, internal   the class as a header holds it, n << 10
 *   class, external   the class as TraceEvent() takes it; the numbers differ from the internal ones
 *   fast form         the short form of an event's data
 *   wide form         the long form of an event's data, for which a combine event is needed
 *
 * In tlog's own chunks bits 9..8 of the header stand in another place: see tlog_wire.h. QNX's names of types, such as
 * _Uint32t, are in tlog_type_names.h.
 */
#ifndef TLOG_TRACEEVENT_H
#define TLOG_TRACEEVENT_H

#include "tlog_wire.h"

#include <stdint.h>

/* ---- the slot --------------------------------------------------------------------------------------------------- */

typedef uint32_t __traceentry;

typedef struct traceevent {
    __traceentry header;  /* structure, CPU, class, event */
    __traceentry data[3]; /* time stamp, low word; two words of data */
} traceevent_t;

/* Bits of the header: 31..30 structure, 29..24 CPU, 23..15 none (16: injected by a process, QNX 8), 14..10 class, 9..0
 * event. */
#define _TRACE_STRUCT_S       0x00000000u /* simple: the whole event */
#define _TRACE_STRUCT_CB      0x40000000u /* combine: begin */
#define _TRACE_STRUCT_CC      0x80000000u /* combine: continuation */
#define _TRACE_STRUCT_CE      0xC0000000u /* combine: end */
#define _TRACE_STRUCT_BITS    0xC0000000u
#define _NTO_TRACE_CPU_BITS   0x3F000000u
#define _NTO_TRACE_CLASS_BITS 0x00007C00u
#define _NTO_TRACE_EVENT_BITS 0x000003FFu

#define _NTO_TRACE_PROCESS_INJECTED 0x00010000u

/* The fields of a header. Structure and class are not shifted down: compare them with the constants above and below. */
#define _TRACE_GET_STRUCT(h)     ((uint32_t)(h)&_TRACE_STRUCT_BITS)
#define _NTO_TRACE_GETCPU(h)     ((uint32_t)(h) >> 24 & 0x3Fu)
#define _NTO_TRACE_GETEVENT_C(h) ((uint32_t)(h)&_NTO_TRACE_CLASS_BITS)
#define _NTO_TRACE_GETEVENT(h)   ((uint32_t)(h)&_NTO_TRACE_EVENT_BITS)

/* Set a field of a header, which must be a variable. */
#define _TRACE_SET_STRUCT(h, s)     ((h) = ((h) & ~_TRACE_STRUCT_BITS) | (uint32_t)(s))
#define _NTO_TRACE_SETCPU(h, cpu)   ((h) = ((h) & ~_NTO_TRACE_CPU_BITS) | ((uint32_t)(cpu)&0x3Fu) << 24)
#define _NTO_TRACE_SETEVENT_C(h, c) ((h) = ((h) & ~_NTO_TRACE_CLASS_BITS) | (uint32_t)(c))
#define _NTO_TRACE_SETEVENT(h, e)   ((h) = ((h) & ~_NTO_TRACE_EVENT_BITS) | (uint32_t)(e))

#define _TRACE_MAX_EVENT_NUM 0x400u
#define _NTO_TRACE_MAX_CLASS 0x1Fu

/* Words of data in a slot; slots of an event of n words. */
#define TLOG_TRACE_SLOT_WORDS 2u
#define TLOG_TRACE_SLOTS(n)   ((n) <= 2u ? 1u : ((n) + 1u) / 2u)

/* ---- classes ---------------------------------------------------------------------------------------------------- */

/* X(number, name): internal classes. */
/* clang-format off */
#define TLOG_TRACE_CLASSES(X)                                                                                          \
    X(0, EMPTY) X(TLOG_CLASS_CONTROL, CONTROL) X(2, KER_CALL) X(3, INT) X(4, PR_TH) X(5, SYSTEM) X(6, USER)            \
    X(7, COMM) X(8, QUIP) X(9, SEC) X(10, QVM) X(11, PMU)
/* clang-format on */

#define TLOG_TRACE_CLASS_NUMBER(number, name) TLOG_TRACE_##name = (number),
enum tlog_trace_class { TLOG_TRACE_CLASSES(TLOG_TRACE_CLASS_NUMBER) TLOG_TRACE_CLASS_COUNT };
#undef TLOG_TRACE_CLASS_NUMBER

#define _TRACE_EMPTY_C     0x0000u
#define _TRACE_CONTROL_C   0x0400u
#define _TRACE_KER_CALL_C  0x0800u
#define _TRACE_INT_C       0x0C00u
#define _TRACE_PR_TH_C     0x1000u
#define _TRACE_SYSTEM_C    0x1400u
#define _TRACE_CONTAINER_C 0x1400u /* another name of SYSTEM */
#define _TRACE_USER_C      0x1800u
#define _TRACE_COMM_C      0x1C00u
#define _TRACE_QUIP_C      0x2000u
#define _TRACE_SEC_C       0x2400u
#define _TRACE_QVM_C       0x2800u
#define _TRACE_PMU_C       0x2C00u

/* External classes. VTHREAD and the two INT_HANDLER classes are of QNX 6, the last four of QNX 8. */
enum {
    _NTO_TRACE_EMPTY = 0,
    _NTO_TRACE_CONTROL = 1,
    _NTO_TRACE_KERCALL = 2,
    _NTO_TRACE_KERCALLENTER = 3,
    _NTO_TRACE_KERCALLEXIT = 4,
    _NTO_TRACE_KERCALLINT = 5,
    _NTO_TRACE_INT = 6,
    _NTO_TRACE_INTENTER = 7,
    _NTO_TRACE_INTEXIT = 8,
    _NTO_TRACE_PROCESS = 9,
    _NTO_TRACE_THREAD = 10,
    _NTO_TRACE_VTHREAD = 11,
    _NTO_TRACE_USER = 12,
    _NTO_TRACE_SYSTEM = 13,
    _NTO_TRACE_COMM = 14,
    _NTO_TRACE_INT_HANDLER_ENTER = 15,
    _NTO_TRACE_INT_HANDLER_EXIT = 16,
    _NTO_TRACE_QUIP = 17,
    _NTO_TRACE_SEC = 18,
    _NTO_TRACE_QVM = 19,
    _NTO_TRACE_PMU = 20
};

/* ---- events --------------------------------------------------------------------------------------------------------
 *
 * The words of an event's data are a list of names, separated by blanks. name? is shown only if it is not 0, name* in
 * hexadecimal. name$ is a text up to its NUL; only the last name can be one. An empty list: no document says what the
 * words mean. An empty wide form: the same as the fast form.
 */

/* X(event, name, words) of class CONTROL; tlog_wire.h defines the numbers. NAME is tlog's own, see FORMAT.md 1.2. */
#define TLOG_TRACE_CONTROL_EVENTS(X)                                                                                   \
    X(TLOG_CONTROL_TIME, TIME, "msb lsb")                                                                              \
    X(TLOG_CONTROL_BUFFER, BUFFER, "sequence slots")                                                                   \
    X(TLOG_CONTROL_BUFFER_END, BUFFER_END, "")                                                                         \
    X(TLOG_CONTROL_DROPPED, DROPPED, "")                                                                               \
    X(TLOG_CONTROL_NAME, NAME, "what name$")

/* The event of a kernel call is the call's number plus one of these. With the last one the words hold 64-bit values
 * (QNX 7 and later). */
#define TLOG_TRACE_KER_ENTER 0u
#define TLOG_TRACE_KER_EXIT  128u
#define TLOG_TRACE_KER_INT   256u
#define TLOG_TRACE_KER_64    512u

/* X(call, name, enter fast, enter wide, exit fast, exit wide) */
#define TLOG_TRACE_KER_CALLS(X)                                                                                        \
    X(0, NOP, "dummy", "", "", "")                                                                                     \
    X(1, TRACE_EVENT, "mode* class*", "mode* class* event* data1* data2*", "ret", "")                                  \
    X(2, RING0, "function* argument*", "", "ret", "")                                                                  \
    X(7, SYS_CPUPAGE_GET, "index", "", "ret", "")                                                                      \
    X(8, SYS_CPUPAGE_SET, "", "", "ret", "")                                                                           \
    X(10, MSG_CURRENT, "rcvid*", "", "", "")                                                                           \
    X(11, MSG_SENDV, "coid* msg0*", "coid* sparts rparts msg0* msg1* msg2*", "status rmsg0*",                          \
      "status rmsg0* rmsg1* rmsg2*")                                                                                   \
    X(12, MSG_SENDVNC, "coid* msg0*", "coid* sparts rparts msg0* msg1* msg2*", "status rmsg0*",                        \
      "status rmsg0* rmsg1* rmsg2*")                                                                                   \
    X(13, MSG_ERROR, "rcvid* error", "", "ret", "")                                                                    \
    X(14, MSG_RECEIVEV, "chid* rparts", "", "rcvid* rmsg0*",                                                           \
      "rcvid* rmsg0* rmsg1* rmsg2* nd srcnd pid tid chid scoid coid msglen srcmsglen dstmsglen priority flags* "       \
      "reserved?")                                                                                                     \
    X(15, MSG_REPLYV, "rcvid* status", "rcvid* sparts status smsg0* smsg1* smsg2*", "ret", "")                         \
    X(16, MSG_READV, "rcvid* offset", "rcvid* rmsg* rparts offset", "rbytes rmsg0*", "rbytes rmsg0* rmsg1* rmsg2*")    \
    X(17, MSG_WRITEV, "rcvid* offset", "rcvid* sparts offset msg0* msg1* msg2*", "wbytes", "")                         \
    X(18, MSG_READWRITEV, "src_rcvid* dst_rcvid*", "", "msglen", "")                                                   \
    X(19, MSG_INFO, "rcvid* info*", "", "ret nd",                                                                      \
      "ret nd srcnd pid tid chid scoid coid msglen srcmsglen dstmsglen priority flags* reserved?")                     \
    X(20, MSG_SEND_PULSE, "coid* code", "coid* priority code value*", "status", "")                                    \
    X(21, MSG_DELIVER_EVENT, "rcvid* notify", "rcvid* notify function* value* attributes*", "ret", "")                 \
    X(22, MSG_KEYDATA, "rcvid* op", "", "ret newkey*", "")                                                             \
    X(23, MSG_READIOV, "rcvid* offset", "rcvid* parts offset flags*", "rbytes rmsg0*", "rbytes rmsg0* rmsg1* rmsg2*")  \
    X(24, MSG_RECEIVEPULSEV, "chid* rparts", "", "rcvid* rmsg0*",                                                      \
      "rcvid* rmsg0* rmsg1* rmsg2* nd srcnd pid tid chid scoid coid msglen srcmsglen dstmsglen priority flags* "       \
      "reserved?")                                                                                                     \
    X(25, MSG_VERIFY_EVENT, "rcvid* notify", "rcvid* notify function* value* attributes*", "status", "")               \
    X(26, SIGNAL_KILL, "pid signo", "nd pid tid signo code value*", "ret", "")                                         \
    X(27, SIGNAL_RETURN, "stack*", "", "ret", "")                                                                      \
    X(28, SIGNAL_FAULT, "sigcode* addr*", "", "ret reg1*", "ret reg1* reg2* reg3* reg4* reg5*")                        \
    X(29, SIGNAL_ACTION, "signo handler*", "pid sigstub* signo handler* flags* mask0* mask1*", "ret handler*",         \
      "ret handler* flags* mask0* mask1*")                                                                             \
    X(30, SIGNAL_PROCMASK, "pid tid", "pid tid how blocked0* blocked1*", "ret blocked0*", "ret blocked0* blocked1*")   \
    X(31, SIGNAL_SUSPEND, "blocked0* blocked1*", "", "ret blocked*", "")                                               \
    X(32, SIGNAL_WAITINFO, "wait0* wait1*", "", "signo code",                                                          \
      "signo si_signo code errno pad0* pad1* pad2* pad3* pad4* pad5* pad6*")                                           \
    X(35, CHANNEL_CREATE, "flags*", "", "chid*", "")                                                                   \
    X(36, CHANNEL_DESTROY, "chid*", "", "ret", "")                                                                     \
    X(37, CHANCON_ATTR, "chid* flags*", "chid* flags* new_attr*", "chid* flags*", "chid* flags* old_attr*")            \
    X(39, CONNECT_ATTACH, "nd pid", "nd pid chid* index flags*", "coid*", "")                                          \
    X(40, CONNECT_DETACH, "coid*", "", "ret", "")                                                                      \
    X(41, CONNECT_SERVER_INFO, "pid coid*", "", "coid* nd",                                                            \
      "coid* nd srcnd pid tid chid scoid info_coid msglen srcmsglen dstmsglen priority flags* reserved?")              \
    X(42, CONNECT_CLIENT_INFO, "scoid* ngroups", "", "ret nd",                                                         \
      "ret nd pid sid flags* ruid euid suid rgid egid sgid ngroups group0 group1 group2 group3 group4 group5 group6 "  \
      "group7")                                                                                                        \
    X(43, CONNECT_FLAGS, "coid* bits*", "pid coid* masks* bits*", "old_flags*", "")                                    \
    X(46, THREAD_CREATE, "function* argument*",                                                                        \
      "pid function* argument* flags* stacksize stackaddr* exitfunc* policy priority curpriority low_priority "        \
      "max_repl repl_sec repl_nsec budget_sec budget_nsec",                                                            \
      "tid owner*", "")                                                                                                \
    X(47, THREAD_DESTROY, "tid status*", "tid priority status*", "ret", "")                                            \
    X(48, THREAD_DESTROYALL, "", "", "ret", "")                                                                        \
    X(49, THREAD_DETACH, "tid", "", "ret", "")                                                                         \
    X(50, THREAD_JOIN, "tid status*", "", "ret status*", "")                                                           \
    X(51, THREAD_CANCEL, "tid canstub*", "", "ret", "")                                                                \
    X(52, THREAD_CTL, "cmd* data*", "", "ret", "")                                                                     \
    X(55, INTERRUPT_ATTACH, "intr flags*", "intr handler* area* areasize flags*", "id", "")                            \
    X(56, INTERRUPT_DETACH_FUNC, "intr handler*", "", "ret", "")                                                       \
    X(57, INTERRUPT_DETACH, "id", "", "ret", "")                                                                       \
    X(58, INTERRUPT_WAIT, "flags* timeout_sec", "flags* timeout_sec timeout_nsec", "ret", "")                          \
    X(59, INTERRUPT_MASK, "intr id", "", "mask_level", "")                                                             \
    X(60, INTERRUPT_UNMASK, "intr id", "", "mask_level", "")                                                           \
    X(65, CLOCK_TIME, "id new_sec", "id new_sec new_nsec", "ret old_sec", "ret old_sec old_nsec")                      \
    X(66, CLOCK_ADJUST, "id ticks", "id ticks nsec_inc", "ret old_ticks", "ret old_ticks old_nsec_inc")                \
    X(67, CLOCK_PERIOD, "id nsec", "id nsec fract", "ret old_nsec", "ret old_nsec old_fract")                          \
    X(68, CLOCK_ID, "pid tid", "", "ret", "")                                                                          \
    X(70, TIMER_CREATE, "timer notify", "timer notify function* value* attributes*", "timer", "")                      \
    X(71, TIMER_DESTROY, "timer", "", "ret", "")                                                                       \
    X(72, TIMER_SETTIME, "timer nsec", "timer flags* nsec interval_nsec", "ret nsec", "ret nsec interval_nsec")        \
    X(73, TIMER_INFO, "pid timer", "pid timer flags* info*", "previous nsec",                                          \
      "previous nsec interval_nsec old_nsec old_interval_nsec flags* tid notify_flags* clock overruns notify "         \
      "function* value* attributes*")                                                                                  \
    X(74, TIMER_ALARM, "clock nsec", "clock nsec interval_nsec", "ret nsec", "ret nsec interval_nsec")                 \
    X(75, TIMER_TIMEOUT, "clock flags* nsec", "clock flags* nsec notify function* value* attributes*",                 \
      "old_flags* old_nsec", "")                                                                                       \
    X(78, SYNC_CREATE, "type sync*", "type sync* count owner* protocol flags* ceiling clock", "ret", "")               \
    X(79, SYNC_DESTROY, "sync* owner*", "sync* count owner*", "ret", "")                                               \
    X(80, SYNC_MUTEX_LOCK, "sync* owner*", "sync* count owner*", "ret", "")                                            \
    X(81, SYNC_MUTEX_UNLOCK, "sync* owner*", "sync* count owner*", "ret", "")                                          \
    X(82, SYNC_CONDVAR_WAIT, "sync* mutex*", "sync* mutex* count owner* mutex_count mutex_owner*", "ret", "")          \
    X(83, SYNC_CONDVAR_SIGNAL, "sync* all", "sync* all count owner*", "ret", "")                                       \
    X(84, SYNC_SEM_POST, "sync* count", "sync* count owner*", "ret", "")                                               \
    X(85, SYNC_SEM_WAIT, "sync* count", "sync* try count owner*", "ret", "")                                           \
    X(86, SYNC_CTL, "cmd sync*", "cmd sync* data* count owner*", "ret", "")                                            \
    X(87, SYNC_MUTEX_REVIVE, "sync* owner*", "sync* count owner*", "ret", "")                                          \
    X(88, SCHED_GET, "pid tid", "", "ret priority",                                                                    \
      "ret priority low_priority max_repl repl_sec repl_nsec budget_sec budget_nsec")                                  \
    X(89, SCHED_SET, "pid priority",                                                                                   \
      "pid tid policy priority curpriority low_priority max_repl repl_sec repl_nsec budget_sec budget_nsec", "ret",    \
      "")                                                                                                              \
    X(90, SCHED_YIELD, "", "", "ret", "")                                                                              \
    X(91, SCHED_INFO, "pid policy", "", "ret priority_max",                                                            \
      "ret priority_min priority_max interval_sec interval_nsec priority_priv")                                        \
    X(92, SCHED_CTL, "", "", "ret", "")                                                                                \
    X(93, NET_CRED, "coid* info*", "", "ret nd",                                                                       \
      "ret nd pid sid flags* ruid euid suid rgid egid sgid ngroups group0 group1 group2 group3 group4 group5 group6 "  \
      "group7")                                                                                                        \
    X(94, NET_VTID, "vtid info*", "vtid info* tid coid* priority srcmsglen keydata* srcnd dstmsglen", "ret", "")       \
    X(95, NET_UNBLOCK, "vtid", "", "ret", "")                                                                          \
    X(96, NET_INFOSCOID, "scoid* infoscoid*", "", "ret", "")                                                           \
    X(97, NET_SIGNAL_KILL, "pid signo", "ruid euid nd pid tid signo code value*", "status", "")                        \
    X(100, MT_CTL, "", "", "ret", "")                                                                                  \
    X(101, BAD, "", "", "ret", "")

#define TLOG_TRACE_KER_NUMBER(call, name, a, b, c, d) TLOG_TRACE_KER_##name = (call),
enum tlog_trace_ker { TLOG_TRACE_KER_CALLS(TLOG_TRACE_KER_NUMBER) TLOG_TRACE_KER_END };
#undef TLOG_TRACE_KER_NUMBER

/* X(event, name, words) of class INT. 1..6 exist up to QNX 7; the decoder relies on 1 and 2. */
#define TLOG_TRACE_INT_EVENTS(X)                                                                                       \
    X(1, INT_ENTRY, "number ip*")                                                                                      \
    X(2, INT_EXIT, "number inkernel*")                                                                                 \
    X(3, INT_HANDLER_ENTRY, "pid number ip* area*")                                                                    \
    X(4, INT_HANDLER_EXIT, "number notify function* value* attributes*")                                               \
    X(5, INT_HANDLER_ENTRY_64, "")                                                                                     \
    X(6, INT_HANDLER_EXIT_64, "")                                                                                      \
    X(7, INT_DELIVER, "")

/* X(state, name): thread states, which are events of class PR_TH. Those of QNX 6 and 7: */
/* clang-format off */
#define TLOG_TRACE_STATES_6(X)                                                                                         \
    X(0, DEAD) X(1, RUNNING) X(2, READY) X(3, STOPPED) X(4, SEND) X(5, RECEIVE) X(6, REPLY) X(7, STACK)                \
    X(8, WAITTHREAD) X(9, WAITPAGE) X(10, SIGSUSPEND) X(11, SIGWAITINFO) X(12, NANOSLEEP) X(13, MUTEX) X(14, CONDVAR)  \
    X(15, JOIN) X(16, INTR) X(17, SEM) X(18, WAITCTX) X(19, NET_SEND) X(20, NET_REPLY) X(24, CREATE) X(25, DESTROY)
/* clang-format on */

/* ... and of QNX 8. */
/* clang-format off */
#define TLOG_TRACE_STATES_8(X)                                                                                         \
    X(0, DEAD) X(1, RUNNING) X(2, READY) X(3, STOPPED) X(4, SEND) X(5, RECEIVE) X(6, REPLY) X(7, MQ_SEND)              \
    X(8, MQ_RECEIVE) X(9, WAITPAGE) X(10, SIGSUSPEND) X(11, SIGWAITINFO) X(12, NANOSLEEP) X(13, MUTEX) X(14, CONDVAR)  \
    X(15, JOIN) X(16, INTR) X(17, SEM) X(18, WAITCTX) X(19, RWLOCK_READ) X(20, RWLOCK_WRITE) X(21, BARRIER)            \
    X(22, PIPE) X(24, CREATE) X(25, DESTROY) X(26, MUON_MUTEX) X(27, TRACEBUFFER) X(28, INTR_ATTACH_EV)                \
    X(29, TIMER_DELEGATE) X(30, SEND_NOTIFY)
/* clang-format on */

#define TLOG_TRACE_STATE_NUMBER(state, name) TLOG_TRACE_TH##name = (state),
enum tlog_trace_state { TLOG_TRACE_STATES_6(TLOG_TRACE_STATE_NUMBER) TLOG_TRACE_VTH = 26 };
#undef TLOG_TRACE_STATE_NUMBER

#define TLOG_TRACE_STATE_FAST "pid tid"
#define TLOG_TRACE_STATE_WIDE "pid tid priority policy partition? sched_flags?"

/* X(event, name, words): the other events of class PR_TH. In QNX 6 the event of a virtual thread is its state + 26. */
#define TLOG_TRACE_PROCESS_EVENTS(X)                                                                                   \
    X(64, PROCCREATE, "ppid pid")                                                                                      \
    X(128, PROCDESTROY, "ppid pid")                                                                                    \
    X(192, PROCCREATE_NAME, "ppid pid name$")                                                                          \
    X(256, PROCDESTROY_NAME, "ppid pid name$")                                                                         \
    X(320, PROCTHREAD_NAME, "pid tid name$")

#define TLOG_TRACE_PROCESS_NUMBER(event, name, words) TLOG_TRACE_##name = (event),
enum tlog_trace_process { TLOG_TRACE_PROCESS_EVENTS(TLOG_TRACE_PROCESS_NUMBER) TLOG_TRACE_PROCESS_END };
#undef TLOG_TRACE_PROCESS_NUMBER

/* X(event, name, fast, wide) of class SYSTEM. A 64-bit value is two words, in the target's byte order. */
/* clang-format off */
#define TLOG_TRACE_SYSTEM_EVENTS(X)                                                                                    \
    X(1, SYS_RESERVED, "", "")                                                                                         \
    X(2, SYS_PATHMGR, "pid tid path$", "")                                                                             \
    X(3, SYS_APS_NAME, "partition name$", "")                                                                          \
    X(4, SYS_APS_BUDGETS, "partition percent critical_ms", "")                                                         \
    X(5, SYS_APS_BNKR, "pid tid partition", "")                                                                        \
    X(6, SYS_MMAP, "pid addr0* addr1* len0* len1* flags*",                                                             \
      "pid addr0* addr1* len0* len1* flags* prot* fd align0* align1* offset0* offset1* name$")                         \
    X(7, SYS_MUNMAP, "pid addr0* addr1* len0* len1*", "")                                                              \
    X(8, SYS_MAPNAME, "pid addr* len* name$", "")                                                                      \
    X(9, SYS_ADDRESS, "addr*", "")                                                                                     \
    X(10, SYS_FUNC_ENTER, "function* call_site*", "")                                                                  \
    X(11, SYS_FUNC_EXIT, "function* call_site*", "")                                                                   \
    X(12, SYS_SLOG, "opcode* severity message$", "")                                                                   \
    X(13, SYS_DEFRAG_START, "", "") X(14, SYS_RUNSTATE, "", "") X(15, SYS_POWER, "", "") X(16, SYS_IPI, "", "")        \
    X(17, SYS_PAGEWAIT, "", "") X(18, SYS_TIMER, "", "") X(19, SYS_DEFRAG_END, "", "") X(20, SYS_PROFILE, "", "")      \
    X(21, SYS_MAPNAME_64, "", "") X(22, SYS_APS_PSTATS, "", "") X(23, SYS_APS_OSTATS, "", "")                          \
    X(24, SYS_APS_INFO, "", "") X(25, SYS_APS_JOIN, "", "") X(26, SYS_APS_THREAD, "", "")                              \
    X(27, SYS_APS_PROCESS, "", "") X(28, SYS_SCHED_CONF, "", "") X(29, SYS_IST_ATTACH, "", "")                         \
    X(30, SYS_IST_DETACH, "", "") X(31, SYS_PCTRACE, "", "") X(32, SYS_SEND_IPI, "", "")                               \
    X(0x209, SYS_ADDRESS_64, "", "") X(0x20A, SYS_FUNC_ENTER_64, "", "") X(0x20B, SYS_FUNC_EXIT_64, "", "")            \
    X(0x210, SYS_IPI_64, "", "") X(0x214, SYS_PROFILE_64, "", "") X(0x220, SYS_SEND_IPI_64, "", "")
/* clang-format on */

#define TLOG_TRACE_SYSTEM_NUMBER(event, name, fast, wide) TLOG_TRACE_##name = (event),
enum tlog_trace_system { TLOG_TRACE_SYSTEM_EVENTS(TLOG_TRACE_SYSTEM_NUMBER) TLOG_TRACE_SYS_END };
#undef TLOG_TRACE_SYSTEM_NUMBER

/* X(event, name, fast, wide) of class COMM. */
#define TLOG_TRACE_COMM_EVENTS(X)                                                                                      \
    X(0, COMM_SMSG, "rcvid* pid", "")                                                                                  \
    X(1, COMM_SPULSE, "scoid* pid", "")                                                                                \
    X(2, COMM_RMSG, "rcvid* pid", "")                                                                                  \
    X(3, COMM_RPULSE, "scoid* pid", "")                                                                                \
    X(4, COMM_SPULSE_EXE, "scoid* pid", "")                                                                            \
    X(5, COMM_SPULSE_DIS, "scoid* pid", "")                                                                            \
    X(6, COMM_SPULSE_DEA, "scoid* pid", "")                                                                            \
    X(7, COMM_SPULSE_UN, "scoid* pid", "")                                                                             \
    X(8, COMM_SPULSE_QUN, "scoid* pid", "")                                                                            \
    X(9, COMM_SIGNAL, "signo code", "signo code errno pad0* pad1* pad2* pad3* pad4* pad5* pad6*")                      \
    X(10, COMM_REPLY, "tid pid", "")                                                                                   \
    X(11, COMM_ERROR, "tid pid", "")

#define TLOG_TRACE_COMM_NUMBER(event, name, fast, wide) TLOG_TRACE_##name = (event),
enum tlog_trace_comm { TLOG_TRACE_COMM_EVENTS(TLOG_TRACE_COMM_NUMBER) TLOG_TRACE_COMM_END };
#undef TLOG_TRACE_COMM_NUMBER

#define TLOG_TRACE_INT_NUMBER(event, name, words) TLOG_TRACE_##name = (event),
enum tlog_trace_int { TLOG_TRACE_INT_EVENTS(TLOG_TRACE_INT_NUMBER) TLOG_TRACE_INT_END };
#undef TLOG_TRACE_INT_NUMBER

TLOG_STATIC_ASSERT(sizeof(traceevent_t) == 16u, "slot");

#endif
