/* SPDX-License-Identifier: MIT */
/* mps2-an386.h - Arm MPS2, image AN386 (Cortex-M4), 25 MHz: devices as in AN385. */
#include "mps2-an385.h"
