/* input_udp.c - receiving the datagrams of the S.Ha.R.K. tracer: see input_udp.h. */
#include "io/input_udp.h"

#include "base/heap.h"
#include "base/cursor.h"
#include "base/sorted_set.h"
#include "io/temp_file.h"
#include "base/text.h"
#include "model/trace.h"
#include "os/os_file.h"
#include "os/os_signal.h"
#include "os/os_socket.h"
#include "os/os_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES    16u                 /* of a record of the S.Ha.R.K. tracer */
#define RECORDS_MAX     4095u               /* in a packet; a datagram of UDP has no room for more */
#define PACKETS_MAX     (UINT32_C(1) << 24) /* 256 MiB of index */
#define PLACE_SHIFT     12u
#define NUMBER_FIRST    (UINT64_C(1) << 32 | 1u) /* packet 1, widened: numbers before it stay positive */
#define HEADER_BYTES    24u
#define MAGIC_BYTES     12u    /* the tracer's name and version */
#define DATAGRAM_BYTES  65536u /* more than UDP carries, so that none is cut */
#define IDLE_DEFAULT_MS 5000u
#define WAIT_MS         100u      /* longest single wait: see receive_one() */
#define DUPLICATES_MOST 1000u     /* more than packets, that keep the reception going */
#define SOCKET_BUFFER   (4 << 20) /* bytes asked for: packets come in bursts */

/* ---- packets ----------------------------------------------------------------------------------------------------- */

/* Each packet is kept once, in whatever order they come: its records are in a temporary file, and an index has their
 * place. Packet numbers have 32 bits and wrap. They are widened to 64 bits, so that they stay in order: a number is
 * taken for the one that is nearest to the highest so far. */
struct packet {
    uint64_t number; /* widened */
    uint64_t place;  /* of its first record in the file, in records, << 12 | how many it has */
};

struct packets {
    struct trace *trace;     /* for messages */
    int temporary;           /* the records of all packets, or -1 */
    uint64_t records;        /* how many there are */
    struct sorted_set index; /* of struct packet, by number */
    uint64_t highest;        /* number so far, valid when there is a packet */
    unsigned char buffer[RECORDS_MAX * RECORD_BYTES];
};

/* Records of a packet. */
static size_t records_of(const struct packet *packet)
{
    return (size_t)(packet->place & 0xFFFu);
}

/* How many packets there are. */
static size_t count_packets(const struct packets *packets)
{
    return packets->index.n;
}

/* The packets in order of number, after sort_packets(). */
static const struct packet *sorted_packets(const struct packets *packets)
{
    return (const struct packet *)(const void *)packets->index.element;
}

/* For the index. */
static int by_number(const void *a, const void *b)
{
    uint64_t left = ((const struct packet *)a)->number, right = ((const struct packet *)b)->number;
    return (left > right) - (left < right);
}

/* No packets. *packets must be all 0. 0, or -1 after trace_fail(). */
static int open_packets(struct packets *packets, struct trace *trace)
{
    packets->trace = trace;
    packets->index = (struct sorted_set){.size = sizeof(struct packet), .order = by_number};
    packets->temporary = temp_file_open(trace, trace->input_name);
    return packets->temporary >= 0 ? 0 : -1;
}

/* Free what it holds, and close the temporary file unless it is -1. */
static void close_packets(struct packets *packets)
{
    if (packets->temporary >= 0)
        os_close(packets->temporary);
    sorted_set_free(&packets->index);
}

/* A packet's number with 64 bits. */
static uint64_t widen(const struct packets *packets, uint32_t number)
{
    uint32_t ahead = number - (uint32_t)packets->highest;
    if (count_packets(packets) == 0)
        return NUMBER_FIRST - 1u + number;
    return ahead < UINT32_C(1) << 31 ? packets->highest + ahead : packets->highest - (UINT32_C(0) - ahead);
}

/* The packet of a widened number, valid until the next one is added; NULL if there is none. */
static const struct packet *find_packet(const struct packets *packets, uint64_t number)
{
    struct packet key = {.number = number};
    return sorted_set_find(&packets->index, &key);
}

/* Offset in the temporary file of a packet's first record, counted in records. */
static uint64_t first_record(const struct packet *packet)
{
    return packet->place >> PLACE_SHIFT;
}

/* Read a packet's records into the buffer. 0, or an errno: EIO if the temporary file is too short. */
static int read_records(struct packets *packets, const struct packet *packet)
{
    size_t size = records_of(packet) * RECORD_BYTES;
    int error;
    if (os_read_at(packets->temporary, first_record(packet) * RECORD_BYTES, packets->buffer, size, &error) == size)
        return 0;
    return error != 0 ? error : EIO;
}

/* Write count records to a temporary file behind so many others. 0, or an errno. */
static int write_records(int temporary, uint64_t others, const unsigned char *records, size_t count)
{
    return os_write_at(temporary, records, count * RECORD_BYTES, others * RECORD_BYTES);
}

/* Whether a packet has exactly these count records: 1 or 0; -1 after trace_fail(). */
static int has_records(struct packets *packets, const struct packet *packet, const unsigned char *records, size_t count)
{
    int error;
    if (records_of(packet) != count)
        return 0;
    error = read_records(packets, packet);
    if (error != 0)
        return trace_fail(packets->trace, "%s: cannot read the spooled packets: %s", packets->trace->input_name,
                          strerror(error));
    return memcmp(packets->buffer, records, count * RECORD_BYTES) == 0;
}

/* Add a packet of count records whose widened number is not there. 1; 0 if there is no memory for it; -1 after
 * trace_fail(). */
static int store_packet(struct packets *packets, uint64_t number, const unsigned char *records, size_t count)
{
    struct packet packet = {number, packets->records << PLACE_SHIFT | count};
    int error;
    if (count_packets(packets) == PACKETS_MAX || !sorted_set_add(&packets->index, &packet))
        return 0;
    error = write_records(packets->temporary, packets->records, records, count);
    if (error != 0)
        return trace_fail(packets->trace, "%s: cannot spool: %s", packets->trace->input_name, strerror(error));
    packets->records += count;
    if (number > packets->highest)
        packets->highest = number;
    return 1;
}

/* Whether the packets came in the order of their numbers. */
static bool is_sorted(const struct packets *packets)
{
    uint64_t record = 0;
    for (size_t i = 0; i < count_packets(packets); i++) {
        if (first_record(&sorted_packets(packets)[i]) != record)
            return false;
        record += records_of(&sorted_packets(packets)[i]);
    }
    return true;
}

/* Write all records to a new temporary file, packet by packet. 0, or an errno. */
static int copy_in_order(struct packets *packets, int to)
{
    uint64_t record = 0;
    for (size_t i = 0; i < count_packets(packets); i++) {
        const struct packet *packet = &sorted_packets(packets)[i];
        size_t count = records_of(packet);
        int error = read_records(packets, packet);
        if (error == 0)
            error = write_records(to, record, packets->buffer, count);
        if (error != 0)
            return error;
        record += count;
    }
    return 0;
}

/* Put the records in the temporary file into the order of their packets. After that no packet can be found or added. 0,
 * or -1 after trace_fail(). */
static int sort_packets(struct packets *packets)
{
    int to = -1, error;
    sorted_set_sort(&packets->index);
    if (is_sorted(packets))
        return 0;
    to = os_temporary();
    error = to >= 0 ? copy_in_order(packets, to) : errno;
    if (error != 0) {
        trace_fail(packets->trace, "%s: cannot put the packets in order in %s: %s", packets->trace->input_name,
                   os_temporary_directory(), strerror(error));
        if (to >= 0)
            os_close(to);
        return -1;
    }
    os_close(packets->temporary);
    packets->temporary = to;
    return 0;
}

/* ---- the reception ----------------------------------------------------------------------------------------------- */

/* How the reception goes on: it goes on, ends with what has come, or ends after trace_fail(). */
enum progress { GO_ON, STOP, FAILED };

struct receiver {
    struct trace *trace;
    const struct input_until *until;
    int socket;
    uint32_t sender;     /* host of all packets; valid when there is one */
    uint64_t duplicates; /* packets that came again; for the summary */
    uint64_t bad;        /* datagrams that were not taken; for the summary */
    struct packets packets;
    unsigned char datagram[DATAGRAM_BYTES];
};

/* ---- the address ------------------------------------------------------------------------------------------------- */

static const char prefix[] = "udp:";

bool input_udp_names(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1u) == 0;
}

enum { HOST_TEXT = 16 }; /* bytes of a host as text, with the NUL */

/* 0 to `most` in at most so many digits; *text goes behind them. */
static bool take_number(const char **text, size_t digits, uint32_t most, uint32_t *value)
{
    size_t n = strspn(*text, "0123456789");
    if (n == 0 || n > digits)
        return false;
    *value = (uint32_t)strtoul(*text, NULL, 10);
    *text += n;
    return *value <= most;
}

/* An IPv4 address with dots, or "*" for any, and the ":" behind it. */
static bool take_host(const char **text, uint32_t *host)
{
    *host = 0;
    if (strncmp(*text, "*:", 2) == 0) {
        *text += 2;
        return true;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t byte;
        bool is_long = **text == '0' && (*text)[1] >= '0' && (*text)[1] <= '9';
        if (is_long || !take_number(text, 3, 255, &byte) || *(*text)++ != (i < 3 ? '.' : ':'))
            return false;
        *host = *host << 8 | byte;
    }
    return true;
}

static bool parse_name(const char *name, struct os_address *address)
{
    const char *at = name + sizeof prefix - 1u;
    uint32_t port;
    address->host = UINT32_C(0x7F000001);
    if (strchr(at, ':') != NULL && !take_host(&at, &address->host))
        return false;
    if (!take_number(&at, 5, 65535, &port) || *at != '\0')
        return false;
    address->port = (uint16_t)port;
    return true;
}

/* Put a host with dots. */
static const char *host_text(char text[static HOST_TEXT], uint32_t host)
{
    snprintf(text, HOST_TEXT, "%u.%u.%u.%u", host >> 24 & 255u, host >> 16 & 255u, host >> 8 & 255u, host & 255u);
    return text;
}

int input_udp_listen(struct trace *trace, const char *name)
{
    struct os_address address;
    char host[HOST_TEXT];
    int socket;
    if (!parse_name(name, &address))
        return trace_fail(trace, "%s: not udp:PORT, udp:ADDRESS:PORT or udp:*:PORT with an IPv4 address", name);
    socket = os_socket_open(&address, SOCKET_BUFFER);
    if (socket < 0)
        return trace_fail(trace, "%s: cannot receive there: %s", name,
                          errno == ENOSYS ? "this program was built without sockets" : strerror(errno));
    trace_note(trace, "waiting for datagrams on %s port %u",
               address.host == 0 ? "all interfaces," : host_text(host, address.host), address.port);
    return socket;
}

/* ---- datagrams --------------------------------------------------------------------------------------------------- */

struct header {
    uint32_t number;
    uint32_t records;
    uint32_t bytes; /* of the datagram */
};

/* Read the header of a datagram of that size. NULL, or what is wrong with the datagram. */
static const char *read_header(const unsigned char *datagram, size_t size, struct header *header)
{
    struct cursor cursor = cursor_in_memory(datagram, size, false);
    const unsigned char *magic = cursor_view(&cursor, MAGIC_BYTES);
    header->number = cursor_32(&cursor);
    header->records = cursor_32(&cursor);
    header->bytes = cursor_32(&cursor);
    if (cursor.bad)
        return "too short";
    if (memcmp(magic, "TRACER", 6) != 0) /* of any version */
        return "not from a tracer";
    if (header->bytes != size)
        return "its length is not what it says";
    if (cursor_left(&cursor) % RECORD_BYTES != 0 || header->records != cursor_left(&cursor) / RECORD_BYTES)
        return "its length does not fit its count of records";
    return NULL;
}

/* Offset in the input of what comes next, for messages. */
static uint64_t offset_now(const struct receiver *receiver)
{
    return receiver->packets.records * RECORD_BYTES;
}

static void report_bad(struct receiver *receiver, const struct os_address *from, size_t size, const char *fault)
{
    char host[HOST_TEXT];
    receiver->bad++;
    trace_damage(receiver->trace, offset_now(receiver), size, 0, "bad datagram from %s port %u, %s",
                 host_text(host, from->host), from->port, fault);
}

/* Add a packet whose number is new. */
static enum progress add_packet(struct receiver *receiver, uint64_t number, const struct header *header)
{
    struct packets *packets = &receiver->packets;
    uint64_t most = temp_file_most(receiver->trace), after = (packets->records + header->records) * RECORD_BYTES;
    int added = after > most ? 0 : store_packet(packets, number, receiver->datagram + HEADER_BYTES, header->records);
    if (added < 0)
        return FAILED;
    if (after > most)
        trace_damage(receiver->trace, offset_now(receiver), 0, 0,
                     "more than %" PRIu64 " MiB, which --spool=MIB raises: stopped receiving", most >> 20);
    else if (added == 0)
        trace_damage(receiver->trace, offset_now(receiver), 0, 0,
                     "no memory for more than %zu packets: stopped receiving", count_packets(packets));
    return added == 0 || count_packets(packets) == receiver->until->count ? STOP : GO_ON;
}

/* A packet has come whose number came before. With the same records it is the same packet, sent or delivered twice.
 * With others the sender was reset and counts from 1 again: then the trace ends here. */
static enum progress compare_packet(struct receiver *receiver, const struct packet *packet, const struct header *header)
{
    int match = has_records(&receiver->packets, packet, receiver->datagram + HEADER_BYTES, header->records);
    if (match < 0)
        return FAILED;
    if (match > 0) {
        receiver->duplicates++;
        return GO_ON;
    }
    trace_damage(receiver->trace, offset_now(receiver), 0, 0,
                 "packet %" PRIu32 " came again with other records: the sender has started again, stopped receiving",
                 header->number);
    return STOP;
}

/* Take a datagram of that size. *good: it is a packet of this trace, new or not. */
static enum progress take_datagram(struct receiver *receiver, size_t size, const struct os_address *from, bool *good)
{
    struct header header;
    const char *fault = read_header(receiver->datagram, size, &header);
    const struct packet *packet;
    uint64_t number;
    *good = false;
    if (size == 0) /* the original tracer sends these at the end of a chunk */
        return GO_ON;
    if (fault == NULL && count_packets(&receiver->packets) > 0 && from->host != receiver->sender)
        fault = "another sender";
    if (fault != NULL) {
        report_bad(receiver, from, size, fault);
        return GO_ON;
    }
    *good = true;
    number = widen(&receiver->packets, header.number);
    packet = find_packet(&receiver->packets, number);
    if (packet != NULL)
        return compare_packet(receiver, packet, &header);
    receiver->sender = from->host;
    return add_packet(receiver, number, &header);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* ms of a clock that is never set. */
static uint64_t now_ms(void)
{
    return os_now_ns() / 1000000u;
}

/* Wait once and take the datagram, if one comes. Wait until `end`, in ms of now_ms(), but not longer than WAIT_MS: an
 * interrupt that comes just before the wait does not end it, and is noticed only after it. */
static enum progress receive_one(struct receiver *receiver, uint64_t end, bool *good)
{
    struct os_address from;
    uint64_t now = now_ms(), left = now < end ? end - now : 0;
    int64_t size = os_socket_receive(receiver->socket, receiver->datagram, sizeof receiver->datagram,
                                     left < WAIT_MS ? (unsigned)left : WAIT_MS, &from);
    *good = false;
    if (os_interrupted())
        return STOP;
    if (size >= 0)
        return take_datagram(receiver, (size_t)size, &from, good);
    if (errno == EAGAIN)
        return now_ms() < end ? GO_ON : STOP;
    trace_fail(receiver->trace, "%s: cannot receive: %s", receiver->trace->input_name, strerror(errno));
    return FAILED;
}

/* Whether a good datagram tells that the sender goes on: not if it only repeats what came. */
static bool goes_on(const struct receiver *receiver)
{
    return receiver->duplicates <= DUPLICATES_MOST + count_packets(&receiver->packets);
}

/* Only good datagrams prolong the reception: others that come to the port do not keep it going. */
static enum progress receive_all(struct receiver *receiver)
{
    const struct input_until *until = receiver->until;
    uint64_t end = until->wait_ms != 0 ? now_ms() + until->wait_ms : UINT64_MAX;
    enum progress progress = GO_ON;
    bool good;
    while (progress == GO_ON) {
        progress = receive_one(receiver, end, &good);
        if (good && goes_on(receiver))
            end = now_ms() + (until->idle_ms != 0 ? until->idle_ms : IDLE_DEFAULT_MS);
    }
    return progress;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static void report_gap(struct trace *trace, uint64_t offset, uint64_t first, uint64_t last)
{
    if (first == last)
        trace_damage(trace, offset, 0, 0, "packet %" PRIu32 " is missing", (uint32_t)first);
    else
        trace_damage(trace, offset, 0, 0, "packets %" PRIu32 " to %" PRIu32 " are missing", (uint32_t)first,
                     (uint32_t)last);
}

/* Count the gaps between packets. If gaps is not NULL, also list and report them. *missing: how many packets are
 * missing in all. A trace begins with packet 1, or with a number before it that wrapped. */
static size_t find_gaps(const struct receiver *receiver, struct input_gap *gaps, uint64_t *missing)
{
    const struct packet *packet = sorted_packets(&receiver->packets);
    uint64_t next = packet[0].number < NUMBER_FIRST ? packet[0].number : NUMBER_FIRST;
    uint64_t offset = 0;
    size_t n = 0;
    *missing = 0;
    for (size_t i = 0; i < count_packets(&receiver->packets); i++) {
        uint64_t number = packet[i].number;
        if (number != next) {
            *missing += number - next;
            if (gaps != NULL) {
                gaps[n] = (struct input_gap){offset, number - next};
                report_gap(receiver->trace, offset, next, number - 1u);
            }
            n++;
        }
        offset += records_of(&packet[i]) * RECORD_BYTES;
        next = number + 1u;
    }
    return n;
}

static void summarise(const struct receiver *receiver, uint64_t missing)
{
    const struct packets *packets = &receiver->packets;
    trace_note(receiver->trace,
               "%zu packet%s with %" PRIu64 " record%s received, %" PRIu64 " missing, %" PRIu64 " duplicate%s, %" PRIu64
               " bad",
               count_packets(packets), text_plural(count_packets(packets)), packets->records,
               text_plural(packets->records), missing, receiver->duplicates, text_plural(receiver->duplicates),
               receiver->bad);
}

/* Sort what has come, list the gaps, and hand the temporary file to the caller. */
static int finish(struct receiver *receiver, struct input_udp_received *received)
{
    struct packets *packets = &receiver->packets;
    uint64_t missing;
    if (count_packets(packets) == 0)
        return trace_fail(receiver->trace, "%s: no packets were received", receiver->trace->input_name);
    if (sort_packets(packets) != 0)
        return -1;
    received->ngaps = find_gaps(receiver, NULL, &missing);
    received->gaps = heap_calloc(received->ngaps + 1u, sizeof *received->gaps);
    if (received->gaps == NULL)
        return trace_fail(receiver->trace, "%s: no memory for the list of missing packets",
                          receiver->trace->input_name);
    find_gaps(receiver, received->gaps, &missing);
    summarise(receiver, missing);
    received->fd = packets->temporary;
    received->size = packets->records * RECORD_BYTES;
    packets->temporary = -1;
    return 0;
}

int input_udp_receive(struct trace *trace, int socket, const struct input_until *until,
                      struct input_udp_received *received)
{
    struct receiver *receiver = heap_calloc(1, sizeof *receiver);
    int result = -1;
    if (receiver == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    receiver->trace = trace;
    receiver->until = until;
    receiver->socket = socket;
    if (open_packets(&receiver->packets, trace) == 0) {
        enum progress progress;
        os_interrupt_begin(false);
        progress = receive_all(receiver);
        os_interrupt_end();
        result = progress == FAILED ? -1 : finish(receiver, received);
    }
    close_packets(&receiver->packets);
    heap_free(receiver);
    return result;
}
