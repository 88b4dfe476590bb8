/* input_udp.c - receiving the datagrams of the S.Ha.R.K. tracer: see input_udp.h. */
#include "io/input_udp.h"

#include "base/cursor.h"
#include "base/sorted_set.h"
#include "io/temp_file.h"
#include "io/write_behind.h"
#include "model/message.h"
#include "model/trace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define RECORD_BYTES    16u                 /* of a record of the S.Ha.R.K. tracer */
#define RECORDS_MAX     4095u               /* in a packet; a datagram of UDP has no room for more */
#define PACKETS_MAX     (UINT32_C(1) << 24) /* 256 MiB of index */
#define PLACE_SHIFT     12u
#define NUMBER_FIRST    (UINT64_C(1) << 32 | 1u) /* packet 1, widened: numbers before it stay positive */
#define HEADER_BYTES    24u
#define MAGIC_BYTES     12u    /* the tracer's name and version */
#define DATAGRAM_BYTES  65536u /* more than UDP carries, so that none is cut */
#define IDLE_DEFAULT_MS 5000u
#define WAIT_MS         100       /* longest single wait: see wait_for_datagram() */
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
        close(packets->temporary);
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
    off_t at = (off_t)(first_record(packet) * RECORD_BYTES);
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(packets->temporary, packets->buffer + done, size - done, at + (off_t)done);
        if (n <= 0)
            return n < 0 ? errno : EIO;
        done += (size_t)n;
    }
    return 0;
}

/* Write count records to a temporary file behind so many others. 0, or an errno. */
static int write_records(int temporary, uint64_t others, const unsigned char *records, size_t count)
{
    return write_at(temporary, records, count * RECORD_BYTES, others * RECORD_BYTES);
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
    to = temp_file_create();
    error = to >= 0 ? copy_in_order(packets, to) : errno;
    if (error != 0) {
        trace_fail(packets->trace, "%s: cannot put the packets in order in %s: %s", packets->trace->input_name,
                   temp_file_directory(), strerror(error));
        if (to >= 0)
            close(to);
        return -1;
    }
    close(packets->temporary);
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
    struct in_addr sender; /* of all packets; valid when there is one */
    uint64_t duplicates;   /* packets that came again; for the summary */
    uint64_t bad;          /* datagrams that were not taken; for the summary */
    struct packets packets;
    unsigned char datagram[DATAGRAM_BYTES];
};

/* ---- the address ------------------------------------------------------------------------------------------------- */

static const char prefix[] = "udp:";

bool input_udp_names(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1u) == 0;
}

/* 0 to 65535 in digits and nothing else; *port is in the network's order. */
static bool parse_port(const char *text, in_port_t *port)
{
    unsigned long value = 0;
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 5 || text[digits] != '\0')
        return false;
    value = strtoul(text, NULL, 10);
    *port = htons((uint16_t)value);
    return value <= 65535u;
}

/* The first length characters of text: an IPv4 address with dots, or "*" for any. */
static bool parse_host(const char *text, size_t length, struct in_addr *address)
{
    char host[INET_ADDRSTRLEN];
    if (length >= sizeof host)
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    if (strcmp(host, "*") == 0)
        strcpy(host, "0.0.0.0");
    return inet_pton(AF_INET, host, address) == 1;
}

static bool parse_name(const char *name, struct sockaddr_in *address)
{
    const char *host = name + sizeof prefix - 1u;
    const char *colon = strrchr(host, ':');
    memset(address, 0, sizeof *address);
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (colon == NULL)
        return parse_port(host, &address->sin_port);
    return parse_host(host, (size_t)(colon - host), &address->sin_addr) && parse_port(colon + 1, &address->sin_port);
}

/* Tell the user that the socket is open, and its port, which the system has chosen where 0 was asked for. */
static void note_waiting(const struct trace *trace, int fd)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    char host[INET_ADDRSTRLEN];
    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        return;
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    trace_note(trace, "waiting for datagrams on %s port %u",
               address.sin_addr.s_addr == htonl(INADDR_ANY) ? "all interfaces," : host, ntohs(address.sin_port));
}

int input_udp_listen(struct trace *trace, const char *name)
{
    struct sockaddr_in address;
    int buffer = SOCKET_BUFFER;
    int fd;
    if (!parse_name(name, &address))
        return trace_fail(trace, "%s: not udp:PORT, udp:ADDRESS:PORT or udp:*:PORT with an IPv4 address", name);
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd < 0)
        return trace_fail(trace, "%s: %s", name, strerror(errno));
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer); /* the system may allow less, which will do */
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        trace_fail(trace, "%s: cannot receive there: %s", name, strerror(errno));
        close(fd);
        return -1;
    }
    note_waiting(trace, fd);
    return fd;
}

/* ---- stopping by signal ------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;
static struct sigaction before; /* of SIGINT: restored by the first one that comes, and when the reception is over */

static void interrupt(int number)
{
    interrupted = 1;
    sigaction(number, &before, NULL);
}

/* Have SIGINT stop the reception, unless it is ignored: background jobs of a shell rely on that. */
static void catch_interrupt(void)
{
    struct sigaction action;
    interrupted = 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
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

static void report_bad(struct receiver *receiver, const struct sockaddr_in *from, size_t size, const char *fault)
{
    char host[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &from->sin_addr, host, sizeof host);
    receiver->bad++;
    trace_damage(receiver->trace, offset_now(receiver), size, 0, "bad datagram from %s port %u, %s", host,
                 ntohs(from->sin_port), fault);
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
static enum progress take_datagram(struct receiver *receiver, size_t size, const struct sockaddr_in *from, bool *good)
{
    struct header header;
    const char *fault = read_header(receiver->datagram, size, &header);
    const struct packet *packet;
    uint64_t number;
    *good = false;
    if (size == 0) /* the original tracer sends these at the end of a chunk */
        return GO_ON;
    if (fault == NULL && count_packets(&receiver->packets) > 0 && from->sin_addr.s_addr != receiver->sender.s_addr)
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
    receiver->sender = from->sin_addr;
    return add_packet(receiver, number, &header);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* ms of a clock that is never set. */
static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Wait for a datagram until `end`, in ms of now_ms(), but not longer than WAIT_MS: a SIGINT that comes just before
 * poll() does not end it, and is noticed only after it. Returns what poll() does. */
static int wait_for_datagram(const struct receiver *receiver, uint64_t end)
{
    struct pollfd poller = {.fd = receiver->socket, .events = POLLIN};
    uint64_t now = now_ms();
    uint64_t left = now < end ? end - now : 0;
    return poll(&poller, 1, left < WAIT_MS ? (int)left : WAIT_MS);
}

/* Wait once and take the datagram, if one comes. */
static enum progress receive_one(struct receiver *receiver, uint64_t end, bool *good)
{
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int ready = wait_for_datagram(receiver, end);
    ssize_t size = -1;
    *good = false;
    if (interrupted)
        return STOP;
    if (ready == 0)
        return now_ms() < end ? GO_ON : STOP;
    memset(&from, 0, sizeof from);
    if (ready > 0)
        size = recvfrom(receiver->socket, receiver->datagram, sizeof receiver->datagram, MSG_DONTWAIT,
                        (struct sockaddr *)&from, &length);
    if (size >= 0)
        return take_datagram(receiver, (size_t)size, &from, good);
    if (errno == EINTR || errno == EAGAIN) /* poll() returns for a datagram whose checksum is wrong; it is not there */
        return GO_ON;
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
               count_packets(packets), message_plural(count_packets(packets)), packets->records,
               message_plural(packets->records), missing, receiver->duplicates, message_plural(receiver->duplicates),
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
    received->gaps = calloc(received->ngaps + 1u, sizeof *received->gaps);
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
    struct receiver *receiver = calloc(1, sizeof *receiver);
    int result = -1;
    if (receiver == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    receiver->trace = trace;
    receiver->until = until;
    receiver->socket = socket;
    if (open_packets(&receiver->packets, trace) == 0) {
        enum progress progress;
        catch_interrupt();
        progress = receive_all(receiver);
        sigaction(SIGINT, &before, NULL);
        result = progress == FAILED ? -1 : finish(receiver, received);
    }
    close_packets(&receiver->packets);
    free(receiver);
    return result;
}
