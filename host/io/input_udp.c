/* input_udp.c - see input_udp.h.
 *
 * Payloads go to the temporary file as they come; an index, sorted by packet number, says where each one is. If they
 * did not come in order the file is copied in the end, packet by packet. Packet numbers are widened to 64 bits: a
 * number is the one nearest to the highest so far, so that they stay in order when the 32 bits wrap.
 */
#include "io/input_udp.h"
#include "base/bytes.h"
#include "model/trace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HEADER_BYTES    24u
#define RECORD_BYTES    16u
#define DATAGRAM_BYTES  65536u                   /* more than UDP carries, so that none is cut */
#define NUMBER_FIRST    (UINT64_C(1) << 32 | 1u) /* packet 1, widened; what wraps before it stays positive */
#define PACKETS_MAX     (UINT32_C(1) << 24)
#define IDLE_DEFAULT_MS 5000u
#define WAIT_MS         100
#define SOCKET_BUFFER   (4 << 20)

struct packet {
    uint64_t number; /* widened */
    uint64_t place;  /* record in the file << 12 | records: a datagram has less than 4096 */
};

#define PLACE_SHIFT 12u
#define PLACE_COUNT 0xFFFu

enum stop { GO_ON, STOP_LIMIT, STOP_SIGNAL, STOP_RESTART, STOP_FULL, STOP_FAILED };

struct receiver {
    struct trace *trace;
    const struct input_until *until;
    int socket;
    int file;
    uint64_t records; /* in the file */
    struct packet *packet;
    size_t n, room;
    uint64_t highest;
    struct in_addr sender; /* valid when n > 0 */
    uint64_t duplicates, bad;
    unsigned char datagram[DATAGRAM_BYTES];
};

/* ---- the address ------------------------------------------------------------------------------------------------- */

static const char prefix[] = "udp:";

bool input_udp_names(const char *name)
{
    return strncmp(name, prefix, sizeof prefix - 1u) == 0;
}

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

static void say_waiting(const struct trace *trace, int fd)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    char host[INET_ADDRSTRLEN];

    if (trace->quiet || getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        return;
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    fprintf(stderr, "tlog-decode: %s: waiting for datagrams on %s port %u\n", trace->input_name,
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
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer); /* as much of it as the system allows */
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        trace_fail(trace, "%s: cannot receive there: %s", name, strerror(errno));
        close(fd);
        return -1;
    }
    say_waiting(trace, fd);
    return fd;
}

/* ---- stopping by signal ------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;
static struct sigaction before; /* what SIGINT did, and does again once it has come or the reception is over */

static void interrupt(int number)
{
    interrupted = 1;
    sigaction(number, &before, NULL);
}

/* One that is ignored stays so. */
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

/* ---- the index --------------------------------------------------------------------------------------------------- */

static uint64_t widen(const struct receiver *receiver, uint32_t number)
{
    uint32_t ahead = number - (uint32_t)receiver->highest;

    if (receiver->n == 0)
        return NUMBER_FIRST - 1u + number;
    return ahead < UINT32_C(1) << 31 ? receiver->highest + ahead : receiver->highest - (UINT32_C(0) - ahead);
}

/* Where the packet is or belongs; mostly that is the end. */
static size_t find(const struct receiver *receiver, uint64_t number)
{
    size_t low = 0;
    size_t high = receiver->n;

    if (high == 0 || receiver->packet[high - 1u].number < number)
        return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (receiver->packet[middle].number < number)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct receiver *receiver)
{
    size_t room = receiver->room ? receiver->room * 2 : 1024;
    struct packet *packet;

    if (receiver->n < receiver->room)
        return true;
    packet = room > PACKETS_MAX ? NULL : realloc(receiver->packet, room * sizeof *packet);
    if (packet == NULL)
        return false;
    receiver->packet = packet;
    receiver->room = room;
    return true;
}

static bool read_records(const struct receiver *receiver, const struct packet *packet, unsigned char *to)
{
    size_t size = (size_t)(packet->place & PLACE_COUNT) * RECORD_BYTES;
    off_t at = (off_t)((packet->place >> PLACE_SHIFT) * RECORD_BYTES);

    while (size > 0) {
        ssize_t n = pread(receiver->file, to, size, at);

        if (n <= 0)
            return false;
        to += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_records(int file, uint64_t record, const unsigned char *from, size_t count)
{
    off_t at = (off_t)(record * RECORD_BYTES);

    for (size_t size = count * RECORD_BYTES; size > 0;) {
        ssize_t n = pwrite(file, from, size, at);

        if (n < 0)
            return false;
        from += n;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- datagrams --------------------------------------------------------------------------------------------------- */

/* What is wrong with a datagram of that size, or NULL. */
static const char *find_fault(const unsigned char *datagram, size_t size)
{
    if (size < HEADER_BYTES)
        return "too short";
    if (memcmp(datagram, "TRACER", 6) != 0)
        return "not from a tracer";
    if (get_le32(datagram + 20) != size)
        return "its length is not what it says";
    if ((size - HEADER_BYTES) % RECORD_BYTES != 0 || get_le32(datagram + 16) != (size - HEADER_BYTES) / RECORD_BYTES)
        return "its length does not fit its count of records";
    return NULL;
}

static void report_bad(struct receiver *receiver, const struct sockaddr_in *from, size_t size, const char *fault)
{
    char host[INET_ADDRSTRLEN];

    inet_ntop(AF_INET, &from->sin_addr, host, sizeof host);
    receiver->bad++;
    trace_damage(receiver->trace, receiver->records * RECORD_BYTES, size, 0, "bad datagram from %s port %u, %s", host,
                 ntohs(from->sin_port), fault);
}

static enum stop add_packet(struct receiver *receiver, size_t at, uint64_t number, size_t count)
{
    if (!make_room(receiver)) {
        trace_damage(receiver->trace, receiver->records * RECORD_BYTES, 0, 0,
                     "no memory for more than %zu packets: stopped receiving", receiver->n);
        return STOP_FULL;
    }
    if (!write_records(receiver->file, receiver->records, receiver->datagram + HEADER_BYTES, count)) {
        trace_fail(receiver->trace, "%s: cannot spool: %s", receiver->trace->input_name, strerror(errno));
        return STOP_FAILED;
    }
    memmove(receiver->packet + at + 1, receiver->packet + at, (receiver->n - at) * sizeof *receiver->packet);
    receiver->packet[at] = (struct packet){number, receiver->records << PLACE_SHIFT | count};
    receiver->records += count;
    receiver->n++;
    if (number > receiver->highest)
        receiver->highest = number;
    return receiver->n == receiver->until->count ? STOP_LIMIT : GO_ON;
}

/* A number seen before is the same packet, or the sender was reset and counts from 1 again: then the trace ends here.
 */
static enum stop seen_before(struct receiver *receiver, const struct packet *packet, size_t count)
{
    static unsigned char old[DATAGRAM_BYTES];

    if ((packet->place & PLACE_COUNT) == count) {
        if (!read_records(receiver, packet, old)) {
            trace_fail(receiver->trace, "%s: cannot read the spooled packets: %s", receiver->trace->input_name,
                       strerror(errno));
            return STOP_FAILED;
        }
        if (memcmp(old, receiver->datagram + HEADER_BYTES, count * RECORD_BYTES) == 0) {
            receiver->duplicates++;
            return GO_ON;
        }
    }
    trace_damage(receiver->trace, receiver->records * RECORD_BYTES, 0, 0,
                 "packet %" PRIu32 " came again with other records: the sender has started again, stopped receiving",
                 (uint32_t)packet->number);
    return STOP_RESTART;
}

static enum stop take(struct receiver *receiver, size_t size, const struct sockaddr_in *from, bool *good)
{
    const char *fault = find_fault(receiver->datagram, size);
    size_t count = (size - HEADER_BYTES) / RECORD_BYTES;
    uint64_t number;
    size_t at;

    *good = false;
    if (size == 0) /* the original sends these at the end of a chunk */
        return GO_ON;
    if (fault == NULL && receiver->n > 0 && from->sin_addr.s_addr != receiver->sender.s_addr)
        fault = "another sender";
    if (fault != NULL) {
        report_bad(receiver, from, size, fault);
        return GO_ON;
    }
    *good = true;
    number = widen(receiver, get_le32(receiver->datagram + 12));
    at = find(receiver, number);
    if (at < receiver->n && receiver->packet[at].number == number)
        return seen_before(receiver, &receiver->packet[at], count);
    receiver->sender = from->sin_addr;
    return add_packet(receiver, at, number, count);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* Wait for a datagram, at most until the time is over (UINT64_MAX: never), and not long: a SIGINT that came just before
 * the wait is seen after it. As poll(). */
static int wait_a_while(const struct receiver *receiver, uint64_t end)
{
    struct pollfd poller = {.fd = receiver->socket, .events = POLLIN};
    uint64_t now = now_ms();
    uint64_t left = now < end ? end - now : 0;

    return poll(&poller, 1, left < WAIT_MS ? (int)left : WAIT_MS);
}

/* One wait and, if there is one, one datagram. */
static enum stop step(struct receiver *receiver, uint64_t end, bool *good)
{
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    int ready = wait_a_while(receiver, end);
    ssize_t size;

    *good = false;
    if (interrupted)
        return STOP_SIGNAL;
    if (ready == 0)
        return now_ms() < end ? GO_ON : STOP_LIMIT;
    memset(&from, 0, sizeof from);
    size = ready < 0 ? -1
                     : recvfrom(receiver->socket, receiver->datagram, sizeof receiver->datagram, MSG_DONTWAIT,
                                (struct sockaddr *)&from, &length);
    if (size >= 0)
        return take(receiver, (size_t)size, &from, good);
    if (errno == EINTR || errno == EAGAIN) /* a datagram whose checksum is wrong wakes, and is not there */
        return GO_ON;
    trace_fail(receiver->trace, "%s: cannot receive: %s", receiver->trace->input_name, strerror(errno));
    return STOP_FAILED;
}

/* Only good datagrams prolong the reception: noise on the port does not keep it going. */
static enum stop receive_all(struct receiver *receiver)
{
    const struct input_until *until = receiver->until;
    uint64_t end = until->wait_ms ? now_ms() + until->wait_ms : UINT64_MAX;
    enum stop stop = GO_ON;
    bool good;

    while (stop == GO_ON) {
        stop = step(receiver, end, &good);
        if (good)
            end = now_ms() + (until->idle_ms ? until->idle_ms : IDLE_DEFAULT_MS);
    }
    return stop;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static bool in_order(const struct receiver *receiver)
{
    uint64_t record = 0;

    for (size_t i = 0; i < receiver->n; i++) {
        if (receiver->packet[i].place >> PLACE_SHIFT != record)
            return false;
        record += receiver->packet[i].place & PLACE_COUNT;
    }
    return true;
}

/* A file with the packets of receiver->file in their order. */
static int copy_in_order(struct receiver *receiver)
{
    const char *directory;
    int file = input_temporary(&directory);
    uint64_t record = 0;
    bool done = file >= 0;

    for (size_t i = 0; i < receiver->n && done; i++) {
        size_t count = (size_t)(receiver->packet[i].place & PLACE_COUNT);

        done = read_records(receiver, &receiver->packet[i], receiver->datagram)
               && write_records(file, record, receiver->datagram, count);
        record += count;
    }
    if (!done) {
        trace_fail(receiver->trace, "%s: cannot put the packets in order in %s: %s", receiver->trace->input_name,
                   directory, strerror(errno));
        if (file >= 0)
            close(file);
        return -1;
    }
    close(receiver->file);
    receiver->file = file;
    return 0;
}

static void report_gap(struct trace *trace, uint64_t offset, uint64_t first, uint64_t last)
{
    if (first == last)
        trace_damage(trace, offset, 0, 0, "packet %" PRIu32 " is missing", (uint32_t)first);
    else
        trace_damage(trace, offset, 0, 0, "packets %" PRIu32 " to %" PRIu32 " are missing", (uint32_t)first,
                     (uint32_t)last);
}

/* Report what is missing, and list it in gaps if there is room for a list; how many gaps there are. */
static size_t each_gap(const struct receiver *receiver, struct input_gap *gaps, uint64_t *missing)
{
    uint64_t next = receiver->packet[0].number < NUMBER_FIRST ? receiver->packet[0].number : NUMBER_FIRST;
    uint64_t record = 0;
    size_t n = 0;

    *missing = 0;
    for (size_t i = 0; i < receiver->n; i++) {
        uint64_t number = receiver->packet[i].number;

        if (number != next) {
            *missing += number - next;
            if (gaps != NULL) {
                gaps[n] = (struct input_gap){record * RECORD_BYTES, number - next};
                report_gap(receiver->trace, record * RECORD_BYTES, next, number - 1u);
            }
            n++;
        }
        record += receiver->packet[i].place & PLACE_COUNT;
        next = number + 1u;
    }
    return n;
}

static void summarise(const struct receiver *receiver, uint64_t missing)
{
    if (receiver->trace->quiet)
        return;
    fprintf(stderr,
            "tlog-decode: %s: %zu packet%s with %" PRIu64 " record%s received, %" PRIu64 " missing, %" PRIu64
            " duplicate%s, %" PRIu64 " bad\n",
            receiver->trace->input_name, receiver->n, receiver->n == 1 ? "" : "s", receiver->records,
            receiver->records == 1 ? "" : "s", missing, receiver->duplicates, receiver->duplicates == 1 ? "" : "s",
            receiver->bad);
}

static int finish(struct receiver *receiver, struct udp_received *received)
{
    uint64_t missing;

    if (receiver->n == 0)
        return trace_fail(receiver->trace, "%s: no packets were received", receiver->trace->input_name);
    if (!in_order(receiver) && copy_in_order(receiver) != 0)
        return -1;
    received->ngaps = each_gap(receiver, NULL, &missing);
    received->gaps = calloc(received->ngaps + 1u, sizeof *received->gaps);
    if (received->gaps == NULL)
        return trace_fail(receiver->trace, "%s: no memory for the list of missing packets",
                          receiver->trace->input_name);
    each_gap(receiver, received->gaps, &missing);
    summarise(receiver, missing);
    received->fd = receiver->file;
    received->size = receiver->records * RECORD_BYTES;
    receiver->file = -1;
    return 0;
}

static int open_spool(struct receiver *receiver)
{
    const char *directory;

    receiver->file = input_temporary(&directory);
    if (receiver->file < 0)
        return trace_fail(receiver->trace, "%s: cannot make a temporary file in %s: %s", receiver->trace->input_name,
                          directory, strerror(errno));
    return 0;
}

int input_udp_receive(struct trace *trace, int socket, const struct input_until *until, struct udp_received *received)
{
    struct receiver *receiver = calloc(1, sizeof *receiver);
    int result = -1;

    if (receiver == NULL)
        return trace_fail(trace, "%s: no memory", trace->input_name);
    receiver->trace = trace;
    receiver->until = until;
    receiver->socket = socket;
    if (open_spool(receiver) == 0) {
        enum stop stop;

        catch_interrupt();
        stop = receive_all(receiver);
        sigaction(SIGINT, &before, NULL);
        result = stop == STOP_FAILED ? -1 : finish(receiver, received);
    }
    if (receiver->file >= 0)
        close(receiver->file);
    free(receiver->packet);
    free(receiver);
    return result;
}
