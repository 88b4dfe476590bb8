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

int os_listen(uint16_t port)
{
    (void)port;
    errno = ENOSYS;
    return -1;
}

int os_accept(int listener, unsigned wait_ms)
{
    (void)listener, (void)wait_ms;
    errno = ENOSYS;
    return -1;
}

int os_stream_connect(const char *host, uint16_t port, unsigned wait_ms)
{
    (void)host, (void)port, (void)wait_ms;
    errno = ENOSYS;
    return -1;
}

int64_t os_stream_receive(int stream, void *to, size_t room, unsigned wait_ms)
{
    (void)stream, (void)to, (void)room, (void)wait_ms;
    errno = ENOSYS;
    return -1;
}

bool os_stream_send(int stream, const void *from, size_t size, unsigned wait_ms)
{
    (void)stream, (void)from, (void)size, (void)wait_ms;
    errno = ENOSYS;
    return false;
}
