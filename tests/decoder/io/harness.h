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

/* A receiver, a sender, and what was received: got is valid if result is 0. */
struct link {
    struct trace trace;
    int receiver, sender;
    struct sockaddr_in address;
    struct input_udp_received got;
    int result;
};

/* Limits of fractions of a second. */
extern const struct input_until soon;

/* A socket bound to any port of an address of 127.0.0.0/8. */
int loopback(const char *from);
/* Open both sockets; the trace is quiet. */
void link_open(struct link *link);

/* Send a datagram to the receiver from a socket. */
void put_bytes(const struct link *link, int from, const void *bytes, size_t size);

/* Make packet number of a run at to: its records are made of both numbers and of their place. Returns its bytes. */
size_t make_packet(unsigned char *to, uint32_t number, uint32_t run, uint32_t records);

/* Send a packet of run 0 with up to 3 records. */
void put_packet(const struct link *link, uint32_t number);
void link_receive(struct link *link, struct input_until until);
void link_close(struct link *link);

/* Check that these packets came, in this order, and nothing else. */
void assert_packets(const struct link *link, const uint32_t *number, size_t n);

/* ms of a clock that is never set. */
uint64_t clock_ms(void);

/* Start a process that calls act() every 20 ms until end() kills it. */
pid_t meanwhile(const struct link *link, void (*act)(const struct link *));

void end(pid_t pid);

#endif
