/* tx_initialize.h - the state of the stand-in's kernel until it has started. */
#ifndef TX_INITIALIZE_H
#define TX_INITIALIZE_H

#define TX_INITIALIZE_IN_PROGRESS ((ULONG)0xF0F0F0F0u)

#endif
