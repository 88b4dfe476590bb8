/* SPDX-License-Identifier: MIT */
/* tlog_port.h - the porting guide: what tlog needs of a core, a clock and memory; and the one place that picks a port.
 *
 * A port is a header port_*.h, with the functions below as static inline functions, and perhaps a .c file.
 * Preconditions of every function: callable from any context (thread, interrupt, fault, NMI); bounded time; no locks,
 * no libc, no floating point.
 *
 * ---- the exclusive watch
 * uint32_t tlog_port_load_exclusive(const uint32_t *word)
 *     Load a word and start watching. The watch ends at the next store-exclusive. An interrupt that itself watches ends
 *     it, too, on entry or on return.
 * uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
 *     Store if the watch has not ended. Returns 0: stored, other: nothing was stored. In the same function as the load.
 * void *tlog_port_load_exclusive_pointer(void *const *word)
 * uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
 *     The same for a pointer.
 * void tlog_port_clear_exclusive(void)
 *     End a watch without a store. This call or a store-exclusive follows each load-exclusive.
 *
 * ---- the record path
 * uint32_t tlog_port_filter(const struct tlog_cpu *cpu, tlog_port_home *home)
 *     Return cpu->filter, and load cpu->cursor into *home. tlog_port_home is the cursor, uint32_t *. A port that
 *     defines TLOG_PORT_HOME and a type of its own also gives
 *       uint32_t *tlog_port_cursor(tlog_port_home home)
 *       bool tlog_port_reserve_home(struct tlog_cpu *cpu, tlog_port_home home, struct tlog_reserved *out)
 *           tlog_port_reserve() with the cursor in home.
 * bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
 *     The one atomic step of the record path, under one watch: load *cursor; find its slot; return false if that slot
 *     already bears the cursor's tag; load cpu->high; read the clock; return false if the top bits of these two differ;
 *     store the cursor advanced by one slot. If interrupted, it starts again or returns false. So stamps are in the
 *     order of slots. With TLOG_CONTEXT out->high comes from tlog_port_context().
 * struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
 *     Return cpu, for the slow path behind these two. Where registers are few, the fast path keeps cpu in none.
 * uint32_t tlog_port_context(uint32_t high)
 *     Return the high word of a stamp, whose bits 8..0 are 0, with the caller's context in these bits: 2 instructions.
 *     TLOG_PORT_CONTEXT tells the decoder what that is: TLOG_CONTEXT_EXCEPTION or TLOG_CONTEXT_MODE.
 * void tlog_port_publish(void)
 *     Keep the compiler, and on cores that need it the core, from moving earlier stores behind later ones.
 * void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
 *     Store (low & 0xFFFF) | high << 16 as the head of that slot. The low half, with the tag, must not come first.
 * Optional:
 *     TLOG_PORT_PUT_TWO, and void tlog_port_put_two(uint32_t *to, uint32_t first, uint32_t second): store two words, by
 *     one instruction
 *     TLOG_PORT_PUT_SLOT, and void tlog_port_put_slot(uint32_t *slot, uint32_t d0, uint32_t d1, uint32_t low, uint32_t
 *     head): fill a slot by one instruction, which stores the head last; it includes tlog_port_publish()
 *     TLOG_PORT_PUT_END, and void tlog_port_put_end(uint32_t *slot, uint32_t low, uint32_t head): the same for the last
 *     two words of a slot
 *     TLOG_PORT_PUT_RECORD, and void tlog_port_put_record(const struct tlog_reserved *at, uint32_t code, uint32_t par1,
 *     uint32_t par2): fill the slot of a record, the head last
 *     TLOG_PORT_KEEP(value): keep the value of a variable where it takes no register that is scarce
 *     TLOG_PORT_FAMILY, and uint32_t tlog_port_family(uint32_t *code): the low 4 bits of a code, which is kept so
 *     TLOG_PORT_BEGIN_LAP, and bool tlog_port_begin_lap(struct tlog_cpu *cpu, struct tlog_reserved *out): in a ring of
 *     one chunk, which has a lap that is full and counted, and leads to itself: under one watch find out that, and do
 *     all that tlog_port_reserve() does for the first slot of the next lap; the store opens the lap behind that slot.
 *     Return false if any of this is not so, or an interrupt came
 *     TLOG_PORT_ADD, and void tlog_port_add(uint32_t *word, uint32_t n): add to a word that interrupts change as well
 *     TLOG_PORT_REPLACE, and uint32_t tlog_port_replace_exclusive(uint32_t seen, uint32_t value, uint32_t *word): a
 *     store-exclusive that also fails if the word no longer has the value `seen`. For ports whose watch does not end
 *     when another context stores to the word without watching
 *     TLOG_PORT_CPU_MEMBERS, TLOG_PORT_CPU_INIT: members of struct tlog_cpu behind cursor, and their initial values,
 *     each with the semicolon or comma behind it
 *     TLOG_PORT_NEED(): nothing, if tlog_port_store_exclusive() has TLOG_NEED_16_LINES (target/src/tlog_need.h)
 *     TLOG_PORT_FEW_REGISTERS: an attribute of the function that switches chunks
 *     TLOG_PORT_SLOTS, tlog_port_reserve_few(), tlog_port_reserve_slots(), tlog_port_fill_slots(): see port_slots.h
 *
 * ---- the clock
 * const volatile uint32_t *tlog_port_clock_start(void)
 *     Start the clock, unless it runs already. What it returns becomes cpu->clock. Called whenever a ring is opened,
 *     and by port/net_udp.c at any time.
 * uint32_t tlog_port_now_at(const volatile uint32_t *clock)
 *     Read the clock that tlog_port_clock_start() returned: 32 bits, counts up, wraps.
 * Options, in the board's header or on the command line:
 *     TLOG_CLOCK_ADDRESS: address of a counter that the board has started; all of its 32 bits count. Default: the
 *         core's own clock: DWT CYCCNT on ARMv7-M and ARMv8-M, the generic timer's CNTVCT on Cortex-A7, A12, A15 and
 *         A17. ARMv6-M and Cortex-A5, A8 and A9 have none and need the address.
 *     TLOG_CLOCK_HZ: its frequency. TLOG_CLOCK_DOWN: 1: that counter counts down.
 *     TLOG_CLOCK_START: a statement that starts that counter unless it runs, on Cortex-M. Default: none.
 *     TLOG_CLOCK_BITS: 16..32: only so many of its bits count (target/tlog_config.h). It wraps from all ones to 0, or
 *         from 0 to all ones.
 *     TLOG_CLOCK_CYCCNT: 1, on ARMv7-M and ARMv8-M: DWT CYCCNT if it counts, else TLOG_CLOCK_ADDRESS; found out when
 *         tlog starts. Both must run at TLOG_CLOCK_HZ and count up: to invert one costs each event an instruction.
 *     TLOG_CLOCK_HALT(halted): a statement that stops that counter (true) or lets it count on (false). For
 *         tlog_clock_slept(), which also needs a counter that can be written. CYCCNT needs no such option.
 *     TLOG_CLOCK_READ: how to read a counter that takes more than a load, such as one of two registers, or one whose
 *         bits do not begin at bit 0: assembly that turns TLOG_CLOCK_ADDRESS, in %[low], into the count there, with
 *         %[free] as working register. TLOG_CLOCK_DOWN and TLOG_CLOCK_BITS apply to that count. It stands between the
 *         exclusive load and store: at most 8 instructions, loads and arithmetic only, no store, no call; the runtime
 *         does not assemble otherwise. Branches only within it, to labels 7 to 9. On ARMv6-M, which has no such load,
 *         it may store: linker/microbit.h has an example, of a timer that must be told to capture. There both are low
 *         registers. Elsewhere %[low] may be any, so that MOVS Rd, #n does, but not what only low registers have.
 *         Cost: its instructions; elsewhere than on ARMv6-M a register, which may have to be saved.
 *
 *     TLOG_COARSE_HZ, TLOG_PORT_COARSE_NOW: the frequency of a second, coarse clock, such as the tick count of an RTOS,
 *         and an expression that reads it: 32 bits, counts up, wraps, from any context. It must count on while nothing
 *         is logged: by it tlog counts wraps of the clock that it did not see (target/tlog_config.h).
 *
 * ---- several CPUs (TLOG_CPUS > 1)
 * uint32_t tlog_port_cpu(void)
 *     The number of the CPU that runs this call, below TLOG_CPUS. It needs no call before it.
 * Option TLOG_CPU_ADDRESS, in the board's header: a register from which each CPU reads its own number. Without it
 *     ARMv7-A takes affinity level 0 of MPIDR, which is right with one cluster; other cores must have the option.
 * Load and store-exclusive are fences: other CPUs see the accesses before them first, then those behind them. Those in
 *     tlog_port_reserve() need not be: they concern one CPU only.
 * A watch also ends, before its store, when another CPU stores to the word. That needs memory as much as the core: what
 *     tlog writes (chunks, .data, .bss) is normal memory, coherent and shareable, and its exclusives are monitored for
 *     all CPUs together. Cortex-A: with the MMU and the caches on. Cortex-M: a global exclusive monitor at the RAM, and
 *     either the MPU makes the RAM shareable, or, on Cortex-M33, ACTLR.EXTEXCLALL is set.
 * All CPUs read one clock, or clocks that are set to the same time and stay so, as the generic timer's counts are. A
 *     dump keeps no difference between clocks: so CYCCNT, of which each core has its own, is refused.
 *
 * ---- one CPU of two (TLOG_CPUS = 1)
 * Option TLOG_ONLY_CPU_ADDRESS, on Cortex-M: a register that is 0 on the CPU that may log, and not on the other one,
 *     such as CPUID of RP2040, at 0xD0000000. Each call of the other CPU that would log, tell a name, or change what is
 *     logged does nothing, and is counted: the dump shows a CPU 1 that has lost so many events. tlog_dump() and the
 *     calls of tlog_chunk.h are for the first CPU only. Cost: 4 or 5 instructions for each event; RAM 264 bytes.
 *     Without it a second CPU that logs destroys what the first one logs, and nothing tells it. */
#ifndef TLOG_PORT_H
#define TLOG_PORT_H

#include "tlog_config.h"
#include "tlog_wire.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef TLOG_CLOCK_DOWN
#define TLOG_CLOCK_DOWN 0
#endif
#if defined(TLOG_CLOCK_READ_C) && !defined(TLOG_CLOCK_READ)
#error "tlog: TLOG_CLOCK_READ_C is not read: give TLOG_CLOCK_READ, which serves C, too (port/tlog_port.h)"
#endif
#if (defined(TLOG_CLOCK_READ) || TLOG_CLOCK_BITS != 32) && !defined(TLOG_CLOCK_ADDRESS) && defined(__arm__)
#error "tlog: TLOG_CLOCK_READ and TLOG_CLOCK_BITS are for a counter of the board: give TLOG_CLOCK_ADDRESS"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tlog: big-endian cores (-mbig-endian) are not supported: the ring and the format of dumps are little-endian"
#endif
#ifndef TLOG_CLOCK_START
#define TLOG_CLOCK_START ((void)0)
#endif
TLOG_STATIC_ASSERT((TLOG_CLOCK_DOWN) == 0 || (TLOG_CLOCK_DOWN) == 1, "TLOG_CLOCK_DOWN: 0 or 1");

#include "src/tlog_need.h"

TLOG_BEGIN_C

struct tlog_cpu;

/* A reserved slot, as tlog_port_reserve() returns it. */
struct tlog_reserved {
    uint32_t *slot;  /* its first word */
    uint32_t cursor; /* the cursor before or after the step: its low half is the slot's tag */
    uint32_t high;   /* high word of the time stamp, and with TLOG_CONTEXT the context */
    uint32_t low;    /* low word of the time stamp */
};

/* gcc counts an asm goto as one instruction, and so in long functions places constants out of its reach.
 * TLOG_PORT_ROOM() stands beside it: an assembly of lines without an instruction, each of which gcc counts. They are
 * empty, or, as TLOG_NEED_16_LINES, tell the linker the options of the file. */
#define TLOG_PORT_16_LINES    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
#define TLOG_PORT_ROOM(lines) __asm volatile(lines)

/* The assembly that turns a count in %[low] into a time, for a counter of TLOG_CLOCK_BITS: S is "s" where MVNS and LSLS
 * are shorter. TLOG_PORT_TIME() is the same in C, tlog_port_count() goes back. A counter that counts down becomes one
 * that counts up, with the bits below the counter's set. */
#define TLOG_PORT_SHIFT TLOG_NEED_TEXT(32 - TLOG_CLOCK_BITS)
#if TLOG_CLOCK_DOWN
#define TLOG_PORT_DOWN(S) "mvn" S " %[low], %[low]\n\t"
#else
#define TLOG_PORT_DOWN(S) ""
#endif
#if TLOG_CLOCK_BITS == 32
#define TLOG_PORT_WIDEN(S) TLOG_PORT_DOWN(S)
#elif TLOG_CLOCK_DOWN && !defined(__ARM_ARCH_6M__)
#define TLOG_PORT_WIDEN(S) "mvn %[low], %[low], lsl #" TLOG_PORT_SHIFT "\n\t"
#else
#define TLOG_PORT_WIDEN(S) "lsl" S " %[low], %[low], #" TLOG_PORT_SHIFT "\n\t" TLOG_PORT_DOWN(S)
#endif

#define TLOG_PORT_TIME(count) (TLOG_CLOCK_DOWN ? ~((count) << TLOG_CLOCK_SHIFT) : (count) << TLOG_CLOCK_SHIFT)

TLOG_INLINE uint32_t tlog_port_count(uint32_t time)
{
    return (TLOG_CLOCK_DOWN ? ~time : time) >> TLOG_CLOCK_SHIFT;
}

/* Read the board's counter. Between a load and a store-exclusive TLOG_CLOCK_READ must not store or call: here, where it
 * costs nothing, the assembler refuses such instructions. */
#if defined(TLOG_CLOCK_READ) && defined(__arm__)
#ifdef __ARM_ARCH_6M__
#define TLOG_PORT_READ_ONLY ".syntax unified\n\t" TLOG_CLOCK_READ
#else
#define TLOG_PORT_READ_ONLY                                                                                            \
    ".irp name, " TLOG_PORT_STORES "\n\t.macro \\name operands:vararg\n\t"                                             \
    ".error \"tlog: TLOG_CLOCK_READ must not store or call: loads and arithmetic only (port/tlog_port.h)\"\n\t"        \
    ".endm\n\t.endr\n\t" TLOG_CLOCK_READ "\n\t.irp name, " TLOG_PORT_STORES "\n\t.purgem \\name\n\t.endr\n\t"
#define TLOG_PORT_STORES                                                                                               \
    "str, str.w, str.n, strb, strb.w, strh, strh.w, strd, strex, stm, stm.w, stmia, stmdb, push, clrex, ldrex, bl, "   \
    "blx, svc"
#endif
TLOG_INLINE uint32_t tlog_port_read(const volatile uint32_t *clock)
{
    uint32_t low = (uint32_t)clock, free;
    __asm volatile(TLOG_PORT_READ_ONLY : [low] "+&l"(low), [free] "=&l"(free)::"memory", "cc");
    return low;
}
#else
#define tlog_port_read(clock) (*(clock))
#endif

#if defined(__ARM_ARCH_6M__)
#include "port_v6m.h"
#elif defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__)                           \
    || defined(__ARM_ARCH_8_1M_MAIN__)
#include "port_v7m.h"
#elif defined(__ARM_ARCH_7A__)
#include "port_v7a.h"
#elif defined(__unix__) && defined(TLOG_CPUS) && TLOG_CPUS > 1
#include "port_threads.h"
#elif defined(__unix__)
#include "port_posix.h"
#else
#error "tlog: no port for this core (see port/tlog_port.h)"
#endif

#ifndef TLOG_PORT_PUT_TWO
TLOG_ALWAYS_INLINE void tlog_port_put_two(uint32_t *to, uint32_t first, uint32_t second)
{
    to[0] = first;
    to[1] = second;
}
#endif

/* For a port without a tlog_port_home of its own. */
#ifndef TLOG_PORT_HOME
typedef uint32_t *tlog_port_home;

TLOG_INLINE uint32_t *tlog_port_cursor(tlog_port_home home)
{
    return home;
}

TLOG_ALWAYS_INLINE bool tlog_port_reserve_home(struct tlog_cpu *cpu, tlog_port_home home, struct tlog_reserved *out)
{
    return tlog_port_reserve(cpu, home, out);
}
#endif

/* Whether the CPU that runs this call may not log; counts the call then. */
#ifdef TLOG_ONLY_CPU_ADDRESS
#if TLOG_CPUS > 1 || !defined(__ARM_ARCH_PROFILE) || __ARM_ARCH_PROFILE != 'M' || !defined(TLOG_CLOCK_ADDRESS)
#error "tlog: TLOG_ONLY_CPU_ADDRESS is for Cortex-M with TLOG_CPUS = 1 and TLOG_CLOCK_ADDRESS (port/tlog_port.h)"
#endif
void tlog_refuse(void); /* target/src/tlog_refuse.c */
TLOG_ALWAYS_INLINE bool tlog_port_refuses(void)
{
    if (__builtin_expect(*(const volatile uint32_t *)(TLOG_ONLY_CPU_ADDRESS) == 0, 1))
        return false;
    tlog_refuse();
    return true;
}

/* Mask interrupts of this CPU, which returns what tlog_port_unmask() puts back. Both are fences between CPUs. */
TLOG_INLINE uint32_t tlog_port_mask(void)
{
    uint32_t mask;
    __asm volatile("mrs %0, primask\n\tcpsid i\n\tdmb" : "=r"(mask)::"memory");
    return mask;
}

TLOG_INLINE void tlog_port_unmask(uint32_t mask)
{
    __asm volatile("dmb\n\tmsr primask, %0" ::"r"(mask) : "memory");
}

TLOG_INLINE void tlog_port_fence(void)
{
    __asm volatile("dmb" ::: "memory");
}
#else
#define tlog_port_refuses() false
#endif

TLOG_END_C

#ifndef TLOG_PORT_CPU_MEMBERS
#define TLOG_PORT_CPU_MEMBERS
#define TLOG_PORT_CPU_INIT
#endif
#ifndef TLOG_PORT_NEED
#define TLOG_PORT_NEED() TLOG_NEED_OPTIONS()
#endif
#ifndef TLOG_PORT_FEW_REGISTERS
#define TLOG_PORT_FEW_REGISTERS
#endif

#endif
