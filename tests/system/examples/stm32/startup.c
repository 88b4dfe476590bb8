/* startup.c - start-up code of the shape of ST's, with its names: the vector table is g_pfnVectors, handlers are weak.
 * SystemInit() starts what QEMU has in the place of CYCCNT. */
#include <stdint.h>

extern uint32_t _sidata[], _sdata[], _edata[], _sbss[], _ebss[], _estack[];
int main(void);
void SystemInit(void);
void Reset_Handler(void);
void Default_Handler(void);

#define WEAK(name) __attribute__((weak, alias("Default_Handler"))) void name(void);
WEAK(NMI_Handler)
WEAK(HardFault_Handler)
WEAK(SVC_Handler)
WEAK(PendSV_Handler)
WEAK(SysTick_Handler)
WEAK(TIM2_IRQHandler)

__attribute__((section(".isr_vector"), used)) static void (*const g_pfnVectors[16 + 82])(void) = {
    [0] = (void (*)(void))_estack,
    [1] = Reset_Handler,
    [2] = NMI_Handler,
    [3 ... 15] = HardFault_Handler,
    [11] = SVC_Handler,
    [14] = PendSV_Handler,
    [15] = SysTick_Handler,
    [16 ... 97] = Default_Handler,
    [16 + 28] = TIM2_IRQHandler,
};

/* The accesses are volatile: otherwise the compiler would turn the loops into calls of memcpy and memset. */
void Reset_Handler(void)
{
    volatile uint32_t *to = _sdata;
    for (const uint32_t *from = _sidata; to < _edata;)
        *to++ = *from++;
    for (to = _sbss; to < _ebss;)
        *to++ = 0;
    SystemInit();
    main();
    for (;;)
        ;
}

void Default_Handler(void)
{
    for (;;)
        ;
}
