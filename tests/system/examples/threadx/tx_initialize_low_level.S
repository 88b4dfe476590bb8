/* tx_initialize_low_level.S - an application's, of the shape of the kernel's example for Cortex-M3: SysTick each ms at
 * 25 MHz. The vector table is where the core looks for it. The kernel and its stand-in take it as it is. */
    .syntax unified
    .thumb
    .text

    .global _tx_initialize_low_level
    .thumb_func
_tx_initialize_low_level:
    cpsid   i
    ldr     r0, =_tx_initialize_unused_memory
    ldr     r1, =_ebss
    str     r1, [r0]
    ldr     r0, =_tx_thread_system_stack_ptr
    ldr     r1, =_estack
    str     r1, [r0]
    ldr     r0, =0xE000E000
    ldr     r1, =25000 - 1
    str     r1, [r0, #0x14]
    movs    r1, #7
    str     r1, [r0, #0x10]
    ldr     r1, =0xFF000000     /* SVC is the least urgent, and so is PendSV */
    str     r1, [r0, #0xD1C]
    ldr     r1, =0x40FF0000
    str     r1, [r0, #0xD20]
    bx      lr

    .global SysTick_Handler
    .thumb_func
SysTick_Handler:
    push    {r0, lr}
#ifdef TX_ENABLE_EXECUTION_CHANGE_NOTIFY
    bl      _tx_execution_isr_enter
#endif
    bl      _tx_timer_interrupt
#ifdef TX_ENABLE_EXECUTION_CHANGE_NOTIFY
    bl      _tx_execution_isr_exit
#endif
    pop     {r0, pc}
