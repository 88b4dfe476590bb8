/* SPDX-License-Identifier: MIT */
/* mps2-an500.h - Arm MPS2, image AN500 (Cortex-M7), 25 MHz: devices as in AN385. */
#include "mps2-an385.h"
