/* harness.c - a sender and a receiver of UDP on this machine: see harness.h. */
#include "base/heap.h"
#include "tool/message.h"
#include "harness.h"

#include "base/bytes.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- a receiver on the loopback ---------------------------------------------------------------------------------- */

int loopback(const char *from)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    inet_pton(AF_INET, from, &address.sin_addr);
    assert_return_code(fd, 0);
    assert_return_code(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

void link_open(struct link *link)
{
    socklen_t length = sizeof link->address;
    memset(link, 0, sizeof *link);
    trace_init(&link->trace, "udp:0");
    link->trace.sink = &message_sink;
    link->trace.quiet = true;
    link->receiver = input_udp_listen(&link->trace, "udp:0");
    assert_return_code(link->receiver, 0);
    assert_int_equal(getsockname(link->receiver, (struct sockaddr *)&link->address, &length), 0);
    assert_int_equal(link->address.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    link->sender = loopback("127.0.0.1");
}

void put_bytes(const struct link *link, int from, const void *bytes, size_t size)
{
    assert_int_equal(sendto(from, bytes, size, 0, (const struct sockaddr *)&link->address, sizeof link->address), size);
}

size_t make_packet(unsigned char *to, uint32_t number, uint32_t run, uint32_t records)
{
    memcpy(to, "TRACER-V1.0", 12);
    put_le32(to + 12, number);
    put_le32(to + 16, records);
    put_le32(to + 20, 24 + 16 * records);
    for (uint32_t i = 0; i < records; i++) {
        put_le32(to + 24 + 16 * i, i << 16 | 9);
        put_le32(to + 28 + 16 * i, run);
        put_le32(to + 32 + 16 * i, number);
        put_le32(to + 36 + 16 * i, i);
    }
    return 24 + 16 * (size_t)records;
}

static uint32_t records_of(uint32_t number)
{
    return number % 4;
}

void put_packet(const struct link *link, uint32_t number)
{
    unsigned char packet[24 + 16 * 4];
    put_bytes(link, link->sender, packet, make_packet(packet, number, 0, records_of(number)));
}

void link_receive(struct link *link, struct input_until until)
{
    link->result = input_udp_receive(&link->trace, link->receiver, &until, &link->got);
}

void link_close(struct link *link)
{
    close(link->receiver);
    close(link->sender);
    if (link->result == 0) {
        close(link->got.fd);
        heap_free(link->got.gaps);
    }
    trace_free(&link->trace);
}

void assert_packets(const struct link *link, const uint32_t *number, size_t n)
{
    unsigned char expected[24 + 16 * 4], got[16 * 4];
    off_t at = 0;
    assert_int_equal(link->result, 0);
    for (size_t i = 0; i < n; i++) {
        size_t size = make_packet(expected, number[i], 0, records_of(number[i])) - 24;
        assert_int_equal(pread(link->got.fd, got, size, at), size);
        assert_memory_equal(got, expected + 24, size);
        at += (off_t)size;
    }
    assert_int_equal(link->got.size, at);
    assert_int_equal(lseek(link->got.fd, 0, SEEK_END), at);
}

const struct input_until soon = {.wait_ms = 60, .idle_ms = 30};

uint64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

pid_t meanwhile(const struct link *link, void (*act)(const struct link *))
{
    pid_t pid = fork();
    assert_return_code(pid, 0);
    while (pid == 0) {
        struct timespec pause = {.tv_nsec = 20000000};
        nanosleep(&pause, NULL);
        act(link);
    }
    return pid;
}

void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
