/* tlog_port.h - the seam: all that tlog needs from a core, and the only header that picks one.
 *
 * A port is one header with the functions below, static inline, and at most one .c file. Rules for all of them:
 * callable from any context (thread, interrupt, fault, NMI), bounded time, no locks, no libc, no floating point.
 *
 *   uint32_t tlog_port_load_exclusive(const uint32_t *word)
 *       Load and start watching. The watch ends at the next store-exclusive, and whenever an interrupt was taken or
 *       returned from that itself watched.
 *   uint32_t tlog_port_store_exclusive(uint32_t value, uint32_t *word)
 *       Store if still watching: 0 = stored, other = nothing was stored. In the same function as the load.
 *   void *tlog_port_load_exclusive_pointer(void *const *word)
 *   uint32_t tlog_port_store_exclusive_pointer(void *value, void **word)
 *       The same for a pointer.
 *   void tlog_port_clear_exclusive(void)
 *       Give up a watch that no store-exclusive will end. Every load-exclusive is followed by one or the other.
 *   uint32_t tlog_port_filter(const struct tlog_cpu *cpu, tlog_port_home *home)
 *       Load cpu->filter, which is returned, and cpu->cursor. What it loads is a tlog_port_home: the cursor itself, or a
 *       type of the port's own (TLOG_PORT_HOME), which then also gives
 *         uint32_t *tlog_port_cursor(tlog_port_home home)
 *         bool tlog_port_reserve_home(struct tlog_cpu *cpu, tlog_port_home home, struct tlog_reserved *out)
 *             tlog_port_reserve() with home's cursor.
 *   TLOG_PORT_CPU_MEMBERS, TLOG_PORT_CPU_INIT
 *       Members that the port wants behind cursor in struct tlog_cpu, and what they are, each with what separates them
 *       from the next. May be missing.
 *   TLOG_PORT_FEW_REGISTERS
 *       Attribute of the function that switches chunks. May be missing.
 *   bool tlog_port_reserve(struct tlog_cpu *cpu, uint32_t *cursor, struct tlog_reserved *out)
 *       The record path's one atomic step, under one watch: load *cursor; find its slot; return false if that slot
 *       already bears the cursor's tag; load cpu->high, read the clock, return false if their top bits differ; store
 *       the cursor advanced by one slot. Interrupted, it starts again or returns false, so out->low was read after
 *       every stamp of an earlier slot and before every stamp of a later one. With TLOG_CONTEXT out->high is that of
 *       tlog_port_context().
 *   struct tlog_cpu *tlog_port_again(struct tlog_cpu *cpu)
 *       cpu, for the slow path behind the two above. Where registers are few, the fast path does not keep it in one.
 *   uint32_t tlog_port_now_at(const volatile uint32_t *clock)
 *       Read the clock that tlog_port_clock_start() returned: 32 bits, counts up, wraps.
 *   const volatile uint32_t *tlog_port_clock_start(void)
 *       Start the clock unless it runs, and leave it as it is if it does; what it returns becomes cpu->clock. Called
 *       whenever a ring is opened, and by port/net_udp.c at any time.
 *   uint32_t tlog_port_context(uint32_t high)
 *       The high word of a stamp, whose bits 8..0 are 0, with the context of the caller there: in two instructions. What
 *       that is, TLOG_PORT_CONTEXT tells the decoder: TLOG_CONTEXT_EXCEPTION or TLOG_CONTEXT_MODE.
 *   void tlog_port_publish(void)
 *       Keeps the compiler, and on cores that need it the core, from moving earlier stores behind later ones.
 *   TLOG_PORT_SLOTS, tlog_port_reserve_few(), tlog_port_reserve_slots(), tlog_port_fill_slots()
 *       May be missing: see port_slots.h.
 *   void tlog_port_head(uint32_t *slot, uint32_t low, uint32_t high)
 *       Store (low & 0xFFFF) | high << 16 as word 0 of a slot, the low half, which decides, not before the high one.
 *
 * With several CPUs (TLOG_CPUS > 1) also:
 *   uint32_t tlog_port_cpu(void)
 *       The number of the CPU that runs this, below TLOG_CPUS. It needs no call before it.
 *   Load and store-exclusive are fences: what stands before them in the program is seen by the other CPUs before what
 *   stands behind them. So need not be the one in tlog_port_reserve(), which is a CPU's own affair.
 *   A watch also ends, before its store, when another CPU stores to the word. That is the memory's doing as much as the
 *   core's: what tlog writes (chunks, .data, .bss) is normal memory, coherent, and shareable, and its exclusives are
 *   monitored for all CPUs together. Cortex-A: with the MMU and the caches on. Cortex-M: a global exclusive monitor at
 *   the RAM, and either the MPU says that the RAM is shareable, or, on Cortex-M33, ACTLR.EXTEXCLALL is set.
 *   All CPUs read one clock, or clocks that are set to the same time and stay so, as the generic timer's counts are. A
 *   dump keeps no difference between clocks, so CYCCNT, of which each core has its own, is refused.
 *
 * The number of the CPU, in the board's header or on the command line:
 *   TLOG_CPU_ADDRESS    a register that each CPU reads its own number from. Without it ARMv7-A takes affinity level 0 of
 *                       MPIDR, which is right as long as there is one cluster; others have none of their own.
 *
 * The clock, in the board's header or on the command line:
 *   TLOG_CLOCK_ADDRESS  a 32-bit counter in memory, all of whose bits count, and which the board has started; without it
 *                       the core's own, if it has one: DWT CYCCNT on ARMv7-M and
 *                       ARMv8-M, the generic timer's CNTVCT on Cortex-A7, A12, A15 and A17. ARMv6-M and Cortex-A5, A8 and A9
 *                       have none and need the address
 *   TLOG_CLOCK_DOWN     1: that counter counts down
 *   TLOG_CLOCK_HZ       its frequency
 *   TLOG_CLOCK_READ, TLOG_CLOCK_READ_C(address)
 *                       on ARMv6-M, and nowhere else: how to read a clock that takes more than a load, such as a timer
 *                       that must be told to capture. Assembly that turns TLOG_CLOCK_ADDRESS, in %[low], into the
 *                       time there, with %[free] to work in and both of them low registers; and the same in C, an expression.
 *                       It counts up. Both or neither; linker/microbit.h has an example
 *   TLOG_FRAME_POINTER  1, on ARMv6-M: the firmware is compiled with -fno-omit-frame-pointer
 *   TLOG_CLOCK_HALT(halted)
 *                       a statement that makes that counter stand still (true), or count on (false), if it can and its
 *                       value can be written: tlog_clock_slept() needs it. CYCCNT can, by itself
 *   TLOG_CLOCK_CYCCNT   1, on ARMv7-M and ARMv8-M: DWT CYCCNT if it counts, else TLOG_CLOCK_ADDRESS; found out when
 *                       tlog starts. Both must run at TLOG_CLOCK_HZ and count up: turning one of them round would cost
 *                       every event an instruction, so with a clock that counts down the choice is made here.
 */
#ifndef TLOG_PORT_H
#define TLOG_PORT_H

#include "tlog_wire.h"

#include <stdbool.h>
#include <stdint.h>

TLOG_BEGIN_C

/* Also for what includes this without tlog.h. */
#ifndef TLOG_CONTEXT
#define TLOG_CONTEXT 0
#endif

struct tlog_cpu;

/* What tlog_port_reserve hands out. */
struct tlog_reserved {
    uint32_t *slot;  /* word 0 of the slot */
    uint32_t cursor; /* before or after the step: its low half is the slot's tag */
    uint32_t high;   /* the time stamp, high word, and with TLOG_CONTEXT the context */
    uint32_t low;    /* and low word */
};

/* gcc takes an asm goto for one instruction, and in long functions puts its constants out of reach. Beside it stands
 * therefore one that is nothing but lines, which it does count. */
#define TLOG_PORT_16_LINES    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
#define TLOG_PORT_ROOM(lines) __asm volatile(lines)

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

#if (defined(TLOG_CLOCK_READ) || defined(TLOG_CLOCK_READ_C)) && !defined(TLOG_PORT_V6M_H)
#error "tlog: TLOG_CLOCK_READ is for ARMv6-M; elsewhere a clock is read by one load from TLOG_CLOCK_ADDRESS (port/tlog_port.h)"
#endif

/* A port without a type of its own for what it loads with the filter. */
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

TLOG_END_C

#ifndef TLOG_PORT_CPU_MEMBERS
#define TLOG_PORT_CPU_MEMBERS
#define TLOG_PORT_CPU_INIT
#endif
#ifndef TLOG_PORT_FEW_REGISTERS
#define TLOG_PORT_FEW_REGISTERS
#endif

#endif
