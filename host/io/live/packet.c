/* packet.c - see packet.h. What is no packet, such as a notification, is passed over; but only so much of it. */
#include "io/live/packet.h"

#include "model/trace.h"

#include <stdio.h>
#include <string.h>

#define REPEATS_MOST 3u     /* of packets that came wrong, in all */
#define NOISE_MOST   65536u /* bytes that are no packet, ahead of one */

void live_packets_begin(struct live_packets *packets, struct live_wire *wire)
{
    packets->wire = wire;
    packets->acks = true;
    packets->owes = true;
    packets->repeats = 0;
    packets->nsent = packets->n = 0;
}

static int fail(struct live_packets *packets, const char *what)
{
    return trace_fail(packets->wire->trace, "%s: %s", packets->wire->trace->input_name, what);
}

int live_packet_send(struct live_packets *packets, const char *text)
{
    unsigned char sum = 0;
    for (const char *at = text; *at != '\0'; at++)
        sum = (unsigned char)(sum + (unsigned char)*at);
    packets->nsent = (size_t)snprintf(packets->sent, sizeof packets->sent, "+$%s#%02x", text, sum) - 1u;
    if (!packets->owes)
        return live_wire_send(packets->wire, packets->sent + 1, packets->nsent);
    packets->owes = false;
    return live_wire_send(packets->wire, packets->sent, packets->nsent + 1u);
}

/* Send the last packet once more. 0, or -1 after trace_fail(). */
static int repeat(struct live_packets *packets)
{
    if (++packets->repeats > REPEATS_MOST)
        return fail(packets, "the server refuses packets as damaged again and again");
    return live_wire_send(packets->wire, packets->sent + 1, packets->nsent);
}

/* ---- what comes -------------------------------------------------------------------------------------------------- */

/* A packet that comes. */
struct coming {
    unsigned char sum;
    bool escaped;  /* the next byte is escaped */
    bool repeated; /* the next byte is how often the last one comes again */
    int fault;     /* -1 after trace_fail() */
};

/* Add a byte n times. */
static void add(struct live_packets *packets, struct coming *coming, char byte, unsigned n)
{
    if (n > LIVE_PACKET_MOST - packets->n) {
        coming->fault = fail(packets, "the server sends a packet of more than 64 KiB");
        return;
    }
    memset(packets->bytes + packets->n, byte, n);
    packets->n += n;
}

/* Take a byte of a packet's contents. */
static void take(struct live_packets *packets, struct coming *coming, unsigned char byte)
{
    coming->sum = (unsigned char)(coming->sum + byte);
    if (coming->repeated) {
        coming->repeated = false;
        if (byte < ' ' || byte > '~')
            coming->fault = fail(packets, "the server sends a repeat of no length");
        else
            add(packets, coming, packets->bytes[packets->n - 1u], byte - 29u);
    } else if (coming->escaped) {
        coming->escaped = false;
        add(packets, coming, (char)(byte ^ 0x20u), 1);
    } else if (byte == '}') {
        coming->escaped = true;
    } else if (byte == '*') {
        coming->repeated = true;
        if (packets->n == 0)
            coming->fault = fail(packets, "the server sends a repeat of nothing");
    } else {
        add(packets, coming, (char)byte, 1);
    }
}

/* Take the bytes that have come, up to one that means something. False: there is none of them, or no room for them. */
static bool take_plain(struct live_packets *packets, struct coming *coming)
{
    struct live_wire *wire = packets->wire;
    const size_t room = LIVE_PACKET_MOST - packets->n, most = wire->n - wire->at < room ? wire->n - wire->at : room;
    const unsigned char *from = wire->bytes + wire->at;
    size_t n = 0;
    unsigned sum = 0;
    if (coming->escaped || coming->repeated)
        return false;
    for (; n < most && from[n] != '#' && from[n] != '$' && from[n] != '}' && from[n] != '*'; n++)
        sum += from[n];
    memcpy(packets->bytes + packets->n, from, n);
    packets->n += n;
    wire->at += n;
    coming->sum = (unsigned char)(coming->sum + sum);
    return n > 0;
}

/* Take a byte amid a packet, which must come. */
static int next(struct live_packets *packets)
{
    return live_wire_take(packets->wire, LIVE_SILENCE_MS);
}

/* Take the check sum behind a packet. 1: it is right; 0: it is not; -1 after trace_fail(). */
static int check(struct live_packets *packets, const struct coming *coming)
{
    int high = next(packets), low = high >= 0 ? next(packets) : -1;
    if (high < 0 || low < 0)
        return -1;
    return !coming->escaped && !coming->repeated && live_digit(high) < 16u && live_digit(low) < 16u
           && live_digit(high) * 16u + live_digit(low) == coming->sum;
}

/* Take a packet, whose $ was taken. 1: it is whole; 0: its sum is wrong; -1 after trace_fail(). */
static int take_packet(struct live_packets *packets)
{
    struct coming coming = {0};
    int byte;
    packets->n = 0;
    while ((byte = next(packets)) != '#') {
        if (byte < 0)
            return -1;
        if (byte == '$') { /* a packet that begins anew */
            packets->n = 0;
            coming = (struct coming){0};
            continue;
        }
        take(packets, &coming, (unsigned char)byte);
        if (coming.fault != 0)
            return -1;
        while (take_plain(packets, &coming))
            continue;
    }
    packets->bytes[packets->n] = '\0';
    return check(packets, &coming);
}

/* Acknowledge a packet, or ask for it once more. 1, 0 or -1 after trace_fail(). */
static int acknowledge(struct live_packets *packets, int whole)
{
    if (whole < 0 || (whole == 1 && !packets->acks))
        return whole;
    if (whole == 0 && (!packets->acks || ++packets->repeats > REPEATS_MOST))
        return fail(packets, "the server sends a packet whose check sum is wrong");
    packets->owes = whole == 1;
    return whole == 1 || live_wire_send(packets->wire, "-", 1) == 0 ? whole : -1;
}

/* Send the acknowledgement that is owed. 0, or -1 after trace_fail(). */
static int pay(struct live_packets *packets)
{
    bool owes = packets->owes;
    packets->owes = false;
    return owes ? live_wire_send(packets->wire, "+", 1) : 0;
}

int live_packet_receive(struct live_packets *packets, unsigned wait_ms)
{
    if (pay(packets) != 0)
        return -1;
    for (unsigned noise = 0; noise < NOISE_MOST; noise++) {
        int byte = live_wire_take(packets->wire, wait_ms), whole;
        if (byte == LIVE_NONE)
            return 0;
        if (byte < 0 || (byte == '-' && packets->acks && repeat(packets) != 0))
            return -1;
        if (byte != '$')
            continue;
        whole = acknowledge(packets, take_packet(packets));
        if (whole != 0)
            return whole;
    }
    return fail(packets, "the server sends much, but no packet");
}
