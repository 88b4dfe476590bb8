/* harness.h - what the tests of the UDP receiver share: a sender and a receiver on this machine's loopback. */
#ifndef DECODER_IO_HARNESS_H
#define DECODER_IO_HARNESS_H

#include "io/input_udp.h"
#include "model/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <netinet/in.h>

struct link {
    struct trace trace;
    int receiver, sender;
    struct sockaddr_in address;
    struct input_udp_received got;
    int result;
};

extern const struct input_until soon;

/* A socket bound to any port of an address of 127.0.0.0/8. */
int loopback(const char *from);
void link_open(struct link *link);

/* Send a datagram to the receiver. */
void put_bytes(const struct link *link, int from, const void *bytes, size_t size);

/* Packet number n of a run: its records are made of both numbers and their place. */
size_t make_packet(unsigned char *to, uint32_t number, uint32_t run, uint32_t records);

void put_packet(const struct link *link, uint32_t number);
void link_receive(struct link *link, struct input_until until);
void link_close(struct link *link);

/* What came are these packets, in this order and nothing else. */
void assert_packets(const struct link *link, const uint32_t *number, size_t n);

uint64_t clock_ms(void);

/* A process that does something to the link, every 20 ms, until it is killed. */
pid_t meanwhile(const struct link *link, void (*act)(const struct link *));

void end(pid_t pid);

#endif
