/* socket.c - where there are no sockets: see os_socket.h. */
#include "os/os_socket.h"

#include <errno.h>

int os_socket_open(struct os_address *address, int keep)
{
    (void)address, (void)keep;
    errno = ENOSYS;
    return -1;
}

void os_socket_close(int socket)
{
    (void)socket;
}

int64_t os_socket_receive(int socket, void *to, size_t room, unsigned wait_ms, struct os_address *from)
{
    (void)socket, (void)to, (void)room, (void)wait_ms, (void)from;
    errno = ENOSYS;
    return -1;
}
