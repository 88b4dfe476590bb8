/* cmsis.h - stand-ins for the names of vendors' headers that port/README.md's lines for chips use. The registers stand
 * where STM32F4 has them: RCC's clock enable of APB1, and TIM2. */
#ifndef CMSIS_H
#define CMSIS_H

#include <stdint.h>

#define RCC                ((struct rcc *)0x40023800u)
#define TIM2               ((struct tim *)0x40000000u)
#define SysTick            ((struct systick *)0xE000E010u)
#define RCC_APB1ENR_TIM2EN 1u
#define RCC_APBENR1_TIM2EN 1u
#define TIM_CR1_CEN        1u
#define TIM_EGR_UG         1u

struct rcc {
    volatile uint32_t others[16], APB1ENR, APBENR1;
};
struct tim {
    volatile uint32_t CR1, others[4], EGR, more[3], CNT, PSC;
};
struct systick {
    volatile uint32_t CTRL, LOAD, VAL;
};
extern uint32_t SystemCoreClock;
#endif
