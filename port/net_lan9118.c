/* SPDX-License-Identifier: MIT */
/* net_lan9118.c - driver for the LAN9118 family: one frame at a time, without interrupts, without a buffer of its own.
 *
 * The chip has two FIFOs of data and two of status words. Its MAC is accessed through a command and a data register,
 * and its PHY through two registers of the MAC. Every wait is for one bit and gives up after SPINS reads. Source: data
 * sheet of the LAN9118. */
#include "net_lan9118.h"

#include <stdbool.h>

/* Registers: byte offsets. */
enum {
    TLOG_LAN_RX_DATA = 0x00,
    TLOG_LAN_TX_DATA = 0x20,
    TLOG_LAN_RX_STATUS = 0x40,
    TLOG_LAN_TX_STATUS = 0x48,
    TLOG_LAN_INT_EN = 0x5C,
    TLOG_LAN_BYTE_TEST = 0x64,
    TLOG_LAN_RX_CFG = 0x6C,
    TLOG_LAN_TX_CFG = 0x70,
    TLOG_LAN_HW_CFG = 0x74,
    TLOG_LAN_RX_FIFO_INF = 0x7C,
    TLOG_LAN_TX_FIFO_INF = 0x80,
    TLOG_LAN_PMT_CTRL = 0x84,
    TLOG_LAN_MAC_CSR_CMD = 0xA4,
    TLOG_LAN_MAC_CSR_DATA = 0xA8,
};

#define TLOG_LAN_BYTE_TEST_VALUE   0x87654321u
#define TLOG_LAN_HW_CFG_RESET      (1u << 0)
#define TLOG_LAN_HW_CFG_MUST       (1u << 20) /* reserved, to be written as 1 */
#define TLOG_LAN_HW_CFG_TX_5KB     (5u << 16) /* of the 16 KB of FIFO, the reset value */
#define TLOG_LAN_TX_CFG_ON         (1u << 1)
#define TLOG_LAN_PMT_READY         (1u << 0)
#define TLOG_LAN_MAC_BUSY          (1u << 31)
#define TLOG_LAN_MAC_READ          (1u << 30)
#define TLOG_LAN_FIFO_STATUS(inf)  ((inf) >> 16 & 0xFFu) /* words in the status FIFO */
#define TLOG_LAN_FIFO_TX_FREE(inf) ((inf)&0xFFFFu)       /* bytes free in the data FIFO */

/* TX command A: bytes in this buffer, and how many to skip at its beginning. TX command B: bytes in the frame. */
#define TLOG_LAN_TX_A_OFFSET_SHIFT 16u
#define TLOG_LAN_TX_A_FIRST        (1u << 13)
#define TLOG_LAN_TX_A_LAST         (1u << 12)
#define TLOG_LAN_TX_B_TAG_SHIFT    16u
#define TLOG_LAN_TX_COMMAND_BYTES  12u        /* both commands, and the words that alignment may add */
#define TLOG_LAN_STATUS_ERROR      (1u << 15) /* in RX and TX status words */
#define TLOG_LAN_RX_LENGTH(status) ((status) >> 16 & 0x3FFFu)
#define TLOG_LAN_CRC_BYTES         4u

/* MAC registers. */
enum {
    TLOG_LAN_MAC_CR = 1,
    TLOG_LAN_MAC_ADDR_HIGH = 2,
    TLOG_LAN_MAC_ADDR_LOW = 3,
    TLOG_LAN_MAC_MII = 6,
    TLOG_LAN_MAC_MII_DATA = 7
};
#define TLOG_LAN_MAC_CR_FULL_DUPLEX (1u << 20)
#define TLOG_LAN_MAC_CR_TX          (1u << 3)
#define TLOG_LAN_MAC_CR_RX          (1u << 2)
#define TLOG_LAN_MII_BUSY           (1u << 0)
#define TLOG_LAN_MII_WRITE          (1u << 1)
#define TLOG_LAN_MII_REGISTER_SHIFT 6u
#define TLOG_LAN_MII_INTERNAL_PHY   (1u << 11)

/* PHY registers, as in IEEE 802.3 clause 22. */
enum { TLOG_LAN_PHY_CONTROL = 0, TLOG_LAN_PHY_STATUS = 1, TLOG_LAN_PHY_OURS = 4, TLOG_LAN_PHY_THEIRS = 5 };
#define TLOG_LAN_PHY_NEGOTIATE   (1u << 12 | 1u << 9) /* switch it on, and do it now */
#define TLOG_LAN_PHY_STATUS_LINK (1u << 2)
#define TLOG_LAN_PHY_100_FULL    (1u << 8)
#define TLOG_LAN_PHY_100_HALF    (1u << 7)
#define TLOG_LAN_PHY_10_FULL     (1u << 6)

/* Reads before a wait gives up. A frame at 10 Mbit/s, or a reset, takes a few ms; one read takes about 50 ns or
 * more. */
#define TLOG_LAN_SPINS 200000u

static bool stuck; /* a wait has given up since the device was opened */

static uint32_t get(uint32_t offset)
{
    return *(volatile uint32_t *)(uintptr_t)(NET_LAN9118_BASE + offset);
}

static void put_register(uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(uintptr_t)(NET_LAN9118_BASE + offset) = value;
}

/* The counts of a FIFO are right only 135 ns after the FIFO was accessed. The chip's manufacturer recommends three
 * reads of TLOG_LAN_BYTE_TEST for that time. */
static uint32_t get_settled(uint32_t offset)
{
    (void)get(TLOG_LAN_BYTE_TEST);
    (void)get(TLOG_LAN_BYTE_TEST);
    (void)get(TLOG_LAN_BYTE_TEST);
    return get(offset);
}

/* Wait until the masked bits of a register have this value. */
static bool await(uint32_t offset, uint32_t mask, uint32_t value)
{
    for (uint32_t spins = TLOG_LAN_SPINS; spins > 0; spins--)
        if ((get(offset) & mask) == value)
            return true;
    stuck = true;
    return false;
}

/* ---- MAC and PHY ------------------------------------------------------------------------------------------------- */

static uint32_t mac_get(uint32_t number)
{
    put_register(TLOG_LAN_MAC_CSR_CMD, TLOG_LAN_MAC_BUSY | TLOG_LAN_MAC_READ | number);
    (void)await(TLOG_LAN_MAC_CSR_CMD, TLOG_LAN_MAC_BUSY, 0);
    return get(TLOG_LAN_MAC_CSR_DATA);
}

static void mac_put(uint32_t number, uint32_t value)
{
    put_register(TLOG_LAN_MAC_CSR_DATA, value);
    put_register(TLOG_LAN_MAC_CSR_CMD, TLOG_LAN_MAC_BUSY | number);
    (void)await(TLOG_LAN_MAC_CSR_CMD, TLOG_LAN_MAC_BUSY, 0);
}

static void phy_command(uint32_t number, uint32_t write)
{
    mac_put(TLOG_LAN_MAC_MII,
            TLOG_LAN_MII_INTERNAL_PHY | number << TLOG_LAN_MII_REGISTER_SHIFT | write | TLOG_LAN_MII_BUSY);
    for (uint32_t spins = TLOG_LAN_SPINS / 16u; spins > 0; spins--)
        if (stuck || !(mac_get(TLOG_LAN_MAC_MII) & TLOG_LAN_MII_BUSY))
            return;
    stuck = true;
}

static uint32_t phy_get(uint32_t number)
{
    phy_command(number, 0);
    return mac_get(TLOG_LAN_MAC_MII_DATA) & 0xFFFFu;
}

static void phy_put(uint32_t number, uint32_t value)
{
    mac_put(TLOG_LAN_MAC_MII_DATA, value);
    phy_command(number, TLOG_LAN_MII_WRITE);
}

/* ---- the device -------------------------------------------------------------------------------------------------- */

static void reset(void)
{
    put_register(TLOG_LAN_HW_CFG, TLOG_LAN_HW_CFG_MUST | TLOG_LAN_HW_CFG_RESET);
    (void)await(TLOG_LAN_HW_CFG, TLOG_LAN_HW_CFG_RESET, 0);
    (void)await(TLOG_LAN_PMT_CTRL, TLOG_LAN_PMT_READY, TLOG_LAN_PMT_READY);
}

static void set_address(const uint8_t mac[6])
{
    mac_put(TLOG_LAN_MAC_ADDR_LOW,
            (uint32_t)mac[0] | (uint32_t)mac[1] << 8 | (uint32_t)mac[2] << 16 | (uint32_t)mac[3] << 24);
    mac_put(TLOG_LAN_MAC_ADDR_HIGH, (uint32_t)mac[4] | (uint32_t)mac[5] << 8);
}

static void switch_on(void)
{
    phy_put(TLOG_LAN_PHY_CONTROL, TLOG_LAN_PHY_NEGOTIATE);
    mac_put(TLOG_LAN_MAC_CR, TLOG_LAN_MAC_CR_TX | TLOG_LAN_MAC_CR_RX);
    put_register(TLOG_LAN_TX_CFG, TLOG_LAN_TX_CFG_ON);
}

static int lan9118_open(const uint8_t mac[6])
{
    stuck = false;
    if (!await(TLOG_LAN_BYTE_TEST, ~0u, TLOG_LAN_BYTE_TEST_VALUE))
        return NET_NO_DEVICE;
    (void)await(TLOG_LAN_PMT_CTRL, TLOG_LAN_PMT_READY, TLOG_LAN_PMT_READY);
    reset();
    put_register(TLOG_LAN_HW_CFG, TLOG_LAN_HW_CFG_MUST | TLOG_LAN_HW_CFG_TX_5KB);
    put_register(TLOG_LAN_INT_EN, 0);
    put_register(TLOG_LAN_RX_CFG, 0);
    set_address(mac);
    switch_on();
    return stuck ? NET_STUCK : NET_OK;
}

/* The first read tells whether the link was lost since the last read, the second one whether it is up now. */
static uint32_t status_now(void)
{
    (void)phy_get(TLOG_LAN_PHY_STATUS);
    return phy_get(TLOG_LAN_PHY_STATUS);
}

/* As both sides have agreed. */
static void set_duplex(void)
{
    uint32_t both = phy_get(TLOG_LAN_PHY_OURS) & phy_get(TLOG_LAN_PHY_THEIRS);
    bool full = (both & TLOG_LAN_PHY_100_FULL)
                || (both & (TLOG_LAN_PHY_100_HALF | TLOG_LAN_PHY_10_FULL)) == TLOG_LAN_PHY_10_FULL;
    mac_put(TLOG_LAN_MAC_CR, TLOG_LAN_MAC_CR_TX | TLOG_LAN_MAC_CR_RX | (full ? TLOG_LAN_MAC_CR_FULL_DUPLEX : 0u));
}

static int lan9118_link(void)
{
    uint32_t status = status_now();
    set_duplex();
    return stuck ? NET_STUCK : (status & TLOG_LAN_PHY_STATUS_LINK) != 0;
}

static bool await_room(uint32_t bytes)
{
    for (uint32_t spins = TLOG_LAN_SPINS; spins > 0; spins--)
        if (TLOG_LAN_FIFO_TX_FREE(get_settled(TLOG_LAN_TX_FIFO_INF)) >= bytes)
            return true;
    return false;
}

/* The result of sending the frame that is in the FIFO: there is never more than one. */
static int tx_result(void)
{
    for (uint32_t spins = TLOG_LAN_SPINS; spins > 0; spins--)
        if (TLOG_LAN_FIFO_STATUS(get_settled(TLOG_LAN_TX_FIFO_INF)) > 0)
            return get(TLOG_LAN_TX_STATUS) & TLOG_LAN_STATUS_ERROR ? NET_NOT_SENT : NET_OK;
    return NET_STUCK;
}

static void drop_results(void)
{
    while (TLOG_LAN_FIFO_STATUS(get_settled(TLOG_LAN_TX_FIFO_INF)) > 0)
        (void)get(TLOG_LAN_TX_STATUS);
}

static int lan9118_send(const void *frame, uint32_t length)
{
    uint32_t offset = (uint32_t)((uintptr_t)frame & 3u);
    const uint32_t *word = (const uint32_t *)((uintptr_t)frame - offset);
    if (length > 1514u)
        return NET_TOO_LONG;
    if (!await_room(length + TLOG_LAN_TX_COMMAND_BYTES))
        return NET_STUCK;
    drop_results();
    put_register(TLOG_LAN_TX_DATA,
                 offset << TLOG_LAN_TX_A_OFFSET_SHIFT | TLOG_LAN_TX_A_FIRST | TLOG_LAN_TX_A_LAST | length);
    put_register(TLOG_LAN_TX_DATA, length << TLOG_LAN_TX_B_TAG_SHIFT | length);
    for (const uint32_t *end = word + (offset + length + 3u) / 4u; word < end; word++)
        put_register(TLOG_LAN_TX_DATA, *word);
    return tx_result();
}

static int lan9118_receive(void *frame, uint32_t room)
{
    if (TLOG_LAN_FIFO_STATUS(get_settled(TLOG_LAN_RX_FIFO_INF)) == 0)
        return 0;
    uint32_t status = get(TLOG_LAN_RX_STATUS);
    uint32_t length = TLOG_LAN_RX_LENGTH(status);
    uint32_t words = (length + 3u) / 4u;
    uint8_t *to = frame;
    length = length > TLOG_LAN_CRC_BYTES && !(status & TLOG_LAN_STATUS_ERROR) ? length - TLOG_LAN_CRC_BYTES : 0;
    if (length > room)
        length = room;
    for (uint32_t at = 0; at < words * 4u; at += 4u) {
        uint32_t data = get(TLOG_LAN_RX_DATA);
        for (uint32_t i = at; i < at + 4u && i < length; i++, data >>= 8)
            to[i] = (uint8_t)data;
    }
    return (int)length;
}

const struct net_device net_lan9118 = {lan9118_open, lan9118_link, lan9118_send, lan9118_receive};
