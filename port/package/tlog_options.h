/* tlog_options.h - tlog's options in this project; each file that logs sees them. tlog_config.h in the pack lists all.
 * The pack's port/README.md has a table of chips: clock, vectors, and the lines that start the clock. */

/* Ticks per second of the clock: the core's, if that is CYCCNT (Cortex-M3 and above). */
/* #define TLOG_CLOCK_HZ 168000000 */

/* Cortex-M0, M0+, M1, A5, A8, A9: the address of a counter of the chip, 32 bits, that counts up. */
/* #define TLOG_CLOCK_ADDRESS 0x40000024u */

/* Slots of 16 bytes in the ring. */
#define TLOG_SLOTS 1024

/* 16 + the chip's interrupts, rounded up to a multiple of 32, for tlog_irq_trace(). */
/* #define TLOG_IRQ_VECTORS 112 */

/* Own events and TLOG_PRINTK without INCLUDE tlog.ld in the linker script, which Arm Compiler's linker cannot read. */
#define TLOG_PORTABLE_EVENTS 1
