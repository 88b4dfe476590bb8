/* os_socket.h - datagrams that come by UDP, over IPv4. */
#ifndef OS_SOCKET_H
#define OS_SOCKET_H

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

#endif
