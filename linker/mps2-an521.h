/* mps2-an521.h - Arm MPS2, image AN521 (two Cortex-M33), 20 MHz: devices as in AN505. Only the first core runs. */
#include "mps2-an505.h"
