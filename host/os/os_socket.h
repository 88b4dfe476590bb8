/* os_socket.h - datagrams that come by UDP, over IPv4; and streams, by TCP. */
#ifndef OS_SOCKET_H
#define OS_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as they are said: 127.0.0.1 is 0x7F000001. */
struct os_address {
    uint32_t host; /* 0: of any interface */
    uint16_t port; /* 0: any that is free */
};

/* Open a socket that receives what is sent there; *address becomes what it is in fact. The system is asked to keep so
 * many bytes that were not received yet. -1 with errno set: ENOSYS if the program was built without sockets. */
int os_socket_open(struct os_address *address, int keep);
void os_socket_close(int socket);

/* Wait for a datagram, but not longer than that. Returns its size, of which no more than the room is kept. -1 with
 * errno set: EAGAIN if none has come, or a signal has. */
int64_t os_socket_receive(int socket, void *to, size_t room, unsigned wait_ms, struct os_address *from);

/* Open a socket to which programs on this machine alone can connect; -1 as above, with EADDRINUSE if the port is taken.
 * os_socket_close() closes it. */
int os_listen(uint16_t port);

/* Wait for one that connects, but not longer than that. -1 with errno set: EAGAIN if none has come. */
int os_accept(int listener, unsigned wait_ms);

/* Connect to a host, told by its name or its number, but wait no longer than that. os_socket_close() ends it. -1 with
 * errno set: EAGAIN if the time is over or a signal has come, ENOENT if there is no such host, ENOSYS as above. */
int os_stream_connect(const char *host, uint16_t port, unsigned wait_ms);

/* Wait for what the other side sends. Returns how much that is: 0 if it sends no more; -1 with errno set: EAGAIN if
 * nothing has come in time. And send it all; false: it does not take more in time, or has gone. */
int64_t os_stream_receive(int stream, void *to, size_t room, unsigned wait_ms);
bool os_stream_send(int stream, const void *from, size_t size, unsigned wait_ms);

#endif
