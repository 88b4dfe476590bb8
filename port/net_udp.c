/* SPDX-License-Identifier: MIT */
/* net_udp.c - sends UDP datagrams to one peer, from one frame buffer: see net_udp.h.
 *
 * The frame begins at the third byte of the buffer: behind 42 bytes of headers the payload is then 4-aligned, and
 * records can be stored word by word. Received frames go to the same buffer; they are read only while the Ethernet
 * address of the peer is being found. */
#include "net_udp.h"
#include "tlog.h"
#include "tlog_port.h"
#include <stddef.h>

#ifndef NET_CLOCK_HZ
#define NET_CLOCK_HZ TLOG_CLOCK_RATE
#endif
#define TLOG_NET_TICKS_PER_MS (NET_CLOCK_HZ / 1000u)

enum {
    TLOG_NET_MAC = 6,
    TLOG_NET_ETHER = 14,
    TLOG_NET_IP = 20,
    TLOG_NET_UDP = 8,
    TLOG_NET_ARP = 28,
    TLOG_NET_HEADERS = TLOG_NET_ETHER + TLOG_NET_IP + TLOG_NET_UDP,
    TLOG_NET_FRAME_MIN = 60
};
enum {
    TLOG_NET_TYPE_IP = 0x0800,
    TLOG_NET_TYPE_ARP = 0x0806,
    TLOG_NET_ARP_ETHERNET = 1,
    TLOG_NET_ARP_REQUEST = 1,
    TLOG_NET_ARP_REPLY = 2
};
enum { TLOG_NET_IP_VERSION = 0x45, TLOG_NET_IP_DONT_FRAGMENT = 0x4000, TLOG_NET_IP_TTL = 64, TLOG_NET_IP_UDP = 17 };
enum { TLOG_NET_BUFFER_WORDS = (2 + TLOG_NET_HEADERS + NET_PAYLOAD_MAX + 3) / 4 };

_Static_assert(NET_PAYLOAD_MAX >= TLOG_NET_FRAME_MIN - TLOG_NET_HEADERS && NET_PAYLOAD_MAX <= 1472,
               "NET_PAYLOAD_MAX: 18..1472");
_Static_assert(NET_CLOCK_HZ >= 1000u, "waiting needs the frequency of the clock: TLOG_CLOCK_HZ or NET_CLOCK_HZ");

static uint32_t buffer[TLOG_NET_BUFFER_WORDS];
#define TLOG_NET_FRAME     ((uint8_t *)buffer + 2)
#define TLOG_NET_IP_WORD   ((2 + TLOG_NET_ETHER) / 4)
#define TLOG_NET_DATA_WORD ((2 + TLOG_NET_HEADERS) / 4)

static struct {
    const struct net_device *device; /* NULL: not open */
    uint32_t local, target;
    uint16_t port, ident;
    uint8_t mac[TLOG_NET_MAC], peer[TLOG_NET_MAC];
} net;

const char *net_error_text(int error)
{
    static const char *const texts[] = {"no error",
                                        "no Ethernet controller found",
                                        "the Ethernet controller is stuck",
                                        "no Ethernet link",
                                        "not an IP address of a host",
                                        "no answer to ARP from the target or its gateway",
                                        "the network is not open",
                                        "too long for a frame",
                                        "the Ethernet controller could not send"};
    return error <= 0 && error >= NET_NOT_SENT ? texts[-error] : "unknown error";
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

struct timer {
    const volatile uint32_t *clock;
    uint32_t from, left_ms;
    uint32_t spins; /* calls left: with a clock that stands still the timer must end, too */
};

static struct timer timer_start(uint32_t ms)
{
    const volatile uint32_t *clock = tlog_port_clock_start();
    return (struct timer){clock, tlog_port_now_at(clock), ms, 1u << 28};
}

static bool timer_runs(struct timer *timer)
{
    uint32_t now = tlog_port_now_at(timer->clock);
    while (timer->left_ms > 0 && now - timer->from >= TLOG_NET_TICKS_PER_MS) {
        timer->from += TLOG_NET_TICKS_PER_MS;
        timer->left_ms--;
    }
    return timer->left_ms > 0 && timer->spins-- > 0;
}

void net_wait(uint32_t ms)
{
    for (struct timer timer = timer_start(ms); timer_runs(&timer);)
        continue;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static void put32(uint8_t *to, uint32_t value)
{
    put16(to, value >> 16);
    put16(to + 2, value);
}

static uint32_t get16(const uint8_t *from)
{
    return (uint32_t)from[0] << 8 | from[1];
}

static uint32_t get32(const uint8_t *from)
{
    return get16(from) << 16 | get16(from + 2);
}

static void copy_mac(uint8_t *to, const uint8_t *from)
{
    for (int i = 0; i < TLOG_NET_MAC; i++)
        to[i] = from[i];
}

static uint32_t fold(uint32_t sum)
{
    sum = (sum & 0xFFFFu) + (sum >> 16);
    return (sum & 0xFFFFu) + (sum >> 16);
}

/* The Internet checksum of whole words in memory and of `numbers`, a sum of further 16-bit numbers. In the other byte
 * order the sum of 16-bit units is the same, with its own two bytes exchanged (RFC 1071). So words are loaded as they
 * are, two units at a time. For the bytes of one frame the sum cannot overflow. */
static uint32_t checksum(const uint32_t *from, const uint32_t *end, uint32_t numbers)
{
    uint32_t sum = 0;
    for (; from < end; from++)
        sum += (*from & 0xFFFFu) + (*from >> 16);
    sum = fold(sum);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        sum = __builtin_bswap16((uint16_t)sum);
    return ~fold(sum + numbers) & 0xFFFFu;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

/* Read a number of 1 to 3 digits, at most 255. Returns the text behind it; NULL: there is no such number. */
static const char *parse_octet(const char *text, uint32_t *value)
{
    const char *begin = text;
    for (*value = 0; *text >= '0' && *text <= '9' && text - begin < 3; text++)
        *value = *value * 10u + (uint32_t)(*text - '0');
    return text > begin && *value <= 255u ? text : NULL;
}

int net_parse_address(const char *text, uint32_t *address)
{
    uint32_t octet;
    *address = 0;
    for (int i = 0; i < 4; i++) {
        if (i > 0 && *text++ != '.')
            return NET_BAD_ADDRESS;
        text = parse_octet(text, &octet);
        if (text == NULL)
            return NET_BAD_ADDRESS;
        *address = *address << 8 | octet;
    }
    return *text ? NET_BAD_ADDRESS : NET_OK;
}

static bool is_host(uint32_t address)
{
    return address >> 24 != 0 && address >> 24 < 224u;
}

/* Fill in `net`. *hop becomes the IP address whose Ethernet address is needed: the target's, or the gateway's. */
static int configure(const struct net_udp_config *config, uint32_t *hop)
{
    uint32_t mask = 0;
    if (net_parse_address(config->local, &net.local) || net_parse_address(config->target, &net.target))
        return NET_BAD_ADDRESS;
    if (!is_host(net.local) || !is_host(net.target) || net.local == net.target)
        return NET_BAD_ADDRESS;
    *hop = net.target;
    if (config->mask != NULL && net_parse_address(config->mask, &mask))
        return NET_BAD_ADDRESS;
    if (config->gateway != NULL && ((net.local ^ net.target) & mask) && net_parse_address(config->gateway, hop))
        return NET_BAD_ADDRESS;
    net.port = config->port;
    copy_mac(net.mac, config->mac);
    if (!get16(net.mac) && !get32(net.mac + 2)) {
        put16(net.mac, 0x0200u);
        put32(net.mac + 2, net.local);
    }
    return NET_OK;
}

/* ---- ARP --------------------------------------------------------------------------------------------------------- */

static void put_ether(const uint8_t *to, uint32_t type)
{
    copy_mac(TLOG_NET_FRAME, to);
    copy_mac(TLOG_NET_FRAME + TLOG_NET_MAC, net.mac);
    put16(TLOG_NET_FRAME + 2 * TLOG_NET_MAC, type);
}

static int send_frame(const struct net_device *device, uint32_t length)
{
    for (; length < TLOG_NET_FRAME_MIN; length++)
        TLOG_NET_FRAME[length] = 0;
    return device->send(TLOG_NET_FRAME, length);
}

static int arp_ask(const struct net_device *device, uint32_t address)
{
    static const uint8_t broadcast[TLOG_NET_MAC] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, not_known[TLOG_NET_MAC];
    uint8_t *arp = TLOG_NET_FRAME + TLOG_NET_ETHER;
    put_ether(broadcast, TLOG_NET_TYPE_ARP);
    put16(arp, TLOG_NET_ARP_ETHERNET);
    put16(arp + 2, TLOG_NET_TYPE_IP);
    put16(arp + 4, TLOG_NET_MAC << 8 | 4);
    put16(arp + 6, TLOG_NET_ARP_REQUEST);
    copy_mac(arp + 8, net.mac);
    put32(arp + 14, net.local);
    copy_mac(arp + 18, not_known);
    put32(arp + 24, address);
    return send_frame(device, TLOG_NET_ETHER + TLOG_NET_ARP);
}

static bool is_arp_reply(const uint8_t *arp)
{
    return get16(arp) == TLOG_NET_ARP_ETHERNET && get16(arp + 2) == TLOG_NET_TYPE_IP
           && get16(arp + 4) == (TLOG_NET_MAC << 8 | 4) && get16(arp + 6) == TLOG_NET_ARP_REPLY;
}

/* Whether the received frame answers the request. An address with the multicast bit cannot be that of a device. */
static bool arp_answers(int length, uint32_t address)
{
    const uint8_t *arp = TLOG_NET_FRAME + TLOG_NET_ETHER;
    return length >= TLOG_NET_ETHER + TLOG_NET_ARP && get16(TLOG_NET_FRAME + 2 * TLOG_NET_MAC) == TLOG_NET_TYPE_ARP
           && is_arp_reply(arp) && get32(arp + 14) == address && get32(arp + 24) == net.local && !(arp[8] & 1u);
}

static int arp_find(const struct net_device *device, uint32_t address)
{
    for (int tries = 0; tries < NET_ARP_TRIES; tries++) {
        int result = arp_ask(device, address);
        if (result != NET_OK)
            return result;
        for (struct timer timer = timer_start(NET_ARP_MS); timer_runs(&timer);) {
            result = device->receive(TLOG_NET_FRAME, TLOG_NET_ETHER + TLOG_NET_ARP);
            if (result < 0)
                return result;
            if (arp_answers(result, address)) {
                copy_mac(net.peer, TLOG_NET_FRAME + TLOG_NET_ETHER + 8);
                return NET_OK;
            }
        }
    }
    return NET_NO_ANSWER;
}

/* ---- the sender -------------------------------------------------------------------------------------------------- */

static int await_link(const struct net_device *device)
{
    struct timer timer = timer_start(NET_LINK_MS);
    int up;
    do
        up = device->link();
    while (up == 0 && timer_runs(&timer));
    return up < 0 ? up : up ? NET_OK : NET_NO_LINK;
}

int net_udp_open(const struct net_udp_config *config)
{
    uint32_t hop;
    net.device = NULL;
    int result = configure(config, &hop);
    if (result == NET_OK)
        result = config->device->open(net.mac);
    if (result == NET_OK)
        result = await_link(config->device);
    if (result == NET_OK)
        result = arp_find(config->device, hop);
    if (result == NET_OK)
        net.device = config->device;
    return result;
}

void *net_udp_payload(void)
{
    return buffer + TLOG_NET_DATA_WORD;
}

static void put_ip(uint32_t length)
{
    uint8_t *ip = (uint8_t *)(buffer + TLOG_NET_IP_WORD);
    put16(ip, TLOG_NET_IP_VERSION << 8);
    put16(ip + 2, TLOG_NET_IP + TLOG_NET_UDP + length);
    put16(ip + 4, net.ident++);
    put16(ip + 6, TLOG_NET_IP_DONT_FRAGMENT);
    put16(ip + 8, TLOG_NET_IP_TTL << 8 | TLOG_NET_IP_UDP);
    put16(ip + 10, 0);
    put32(ip + 12, net.local);
    put32(ip + 16, net.target);
    put16(ip + 10, checksum(buffer + TLOG_NET_IP_WORD, buffer + TLOG_NET_IP_WORD + TLOG_NET_IP / 4, 0));
}

/* The checksum covers the two IP addresses, which are the 8 bytes ahead of the UDP header; the header; the payload,
 * filled up with zeros to a whole word; the protocol; and the length. */
static void put_udp(uint32_t length)
{
    uint8_t *udp = (uint8_t *)(buffer + TLOG_NET_DATA_WORD) - TLOG_NET_UDP;
    uint32_t after = length;
    for (; after % 4u; after++)
        udp[TLOG_NET_UDP + after] = 0;
    put16(udp, net.port);
    put16(udp + 2, net.port);
    put16(udp + 4, TLOG_NET_UDP + length);
    put16(udp + 6, 0);
    uint32_t sum = checksum(buffer + TLOG_NET_DATA_WORD - 4, buffer + TLOG_NET_DATA_WORD + after / 4u,
                            TLOG_NET_IP_UDP + TLOG_NET_UDP + length);
    put16(udp + 6, sum ? sum : 0xFFFFu); /* 0 would mean that there is no checksum */
}

int net_udp_send(uint32_t length)
{
    if (net.device == NULL)
        return NET_NOT_OPEN;
    if (length > NET_PAYLOAD_MAX)
        return NET_TOO_LONG;
    put_ether(net.peer, TLOG_NET_TYPE_IP);
    put_ip(length);
    put_udp(length);
    return send_frame(net.device, TLOG_NET_HEADERS + length);
}
