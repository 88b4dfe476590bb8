/* chconf.h - an application's, whose hooks are empty, as in the kernel's template. */
#ifndef RTOS_CHIBIOS_CHCONF_H
#define RTOS_CHIBIOS_CHCONF_H

#define CH_CFG_USE_REGISTRY 1

#define CH_CFG_THREAD_EXTRA_FIELDS
#define CH_CFG_THREAD_INIT_HOOK(tp)
#define CH_CFG_THREAD_EXIT_HOOK(tp)
#define CH_CFG_OS_INSTANCE_INIT_HOOK(oip)
#define CH_CFG_CONTEXT_SWITCH_HOOK(ntp, otp)
#define CH_CFG_IRQ_PROLOGUE_HOOK()
#define CH_CFG_IRQ_EPILOGUE_HOOK()

#include "tlog_chibios.h"

#endif
