/* socket.c - datagrams and streams: see os_socket.h. */
#include "os/posix/features.h"

#include "os/os_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct os_address address_of(const struct sockaddr_in *from)
{
    return (struct os_address){ntohl(from->sin_addr.s_addr), ntohs(from->sin_port)};
}

/* 0, or an errno. The system may keep less than is wanted, which will do. */
static int bind_to(int fd, struct os_address *address, int keep)
{
    struct sockaddr_in at;
    socklen_t length = sizeof at;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(address->host);
    at.sin_port = htons(address->port);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &keep, sizeof keep);
    if (bind(fd, (const struct sockaddr *)&at, sizeof at) != 0 || getsockname(fd, (struct sockaddr *)&at, &length) != 0)
        return errno;
    *address = address_of(&at);
    return 0;
}

int os_socket_open(struct os_address *address, int keep)
{
    int fd = socket(AF_INET, SOCK_DGRAM, 0), error = fd >= 0 ? bind_to(fd, address, keep) : 0;
    if (error == 0)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

void os_socket_close(int socket)
{
    close(socket);
}

/* poll() returns for a datagram whose checksum is wrong, too; it is not there. */
int64_t os_socket_receive(int socket, void *to, size_t room, unsigned wait_ms, struct os_address *from)
{
    struct pollfd poller = {.fd = socket, .events = POLLIN};
    struct sockaddr_in sender;
    socklen_t length = sizeof sender;
    ssize_t size = -1;
    int ready = poll(&poller, 1, (int)wait_ms);
    memset(&sender, 0, sizeof sender);
    if (ready > 0)
        size = recvfrom(socket, to, room, 0, (struct sockaddr *)&sender, &length);
    if (ready == 0 || (size < 0 && (errno == EINTR || errno == EWOULDBLOCK)))
        errno = EAGAIN;
    *from = address_of(&sender);
    return size;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Have calls return at once if there is nothing to do; poll() waits. */
static void set_ready(int fd)
{
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* Wait until the socket is ready for something. False: errno tells why not. */
static bool wait_for(int fd, short events, unsigned wait_ms)
{
    struct pollfd poller = {.fd = fd, .events = events};
    int ready = poll(&poller, 1, (int)wait_ms);
    if (ready == 0 || (ready < 0 && errno == EINTR))
        errno = EAGAIN;
    return ready > 0;
}

/* The port may be one that a connection of before still has. */
int os_listen(uint16_t port)
{
    struct sockaddr_in at;
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1, error;
    if (fd < 0)
        return -1;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(port);
    set_ready(fd);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 8) == 0)
        return fd;
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

int os_accept(int listener, unsigned wait_ms)
{
    int fd = wait_for(listener, POLLIN, wait_ms) ? accept(listener, NULL, NULL) : -1;
    if (fd >= 0)
        set_ready(fd);
    return fd;
}

/* Connect a new socket to an address. Small packets are sent at once. 0, or an errno. */
static int connect_to(int fd, const struct addrinfo *to, unsigned wait_ms)
{
    int error = 0, on = 1;
    socklen_t length = sizeof error;
    set_ready(fd);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, to->ai_addr, to->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS || !wait_for(fd, POLLOUT, wait_ms))
        return errno;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

/* A host may have several addresses, the first of which may not be the one that the server listens at. */
int os_stream_connect(const char *host, uint16_t port, unsigned wait_ms)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char number[8];
    int fd = -1, error = ENOENT;
    snprintf(number, sizeof number, "%u", (unsigned)port);
    if (getaddrinfo(host, number, &hints, &found) != 0)
        found = NULL;
    for (const struct addrinfo *to = found; to != NULL && fd < 0; to = to->ai_next) {
        fd = socket(to->ai_family, to->ai_socktype, to->ai_protocol);
        error = fd >= 0 ? connect_to(fd, to, wait_ms) : errno;
        if (fd >= 0 && error != 0) {
            close(fd);
            fd = -1;
        }
    }
    if (found != NULL)
        freeaddrinfo(found);
    errno = error;
    return fd;
}

int64_t os_stream_receive(int stream, void *to, size_t room, unsigned wait_ms)
{
    return wait_for(stream, POLLIN, wait_ms) ? recv(stream, to, room, 0) : -1;
}

bool os_stream_send(int stream, const void *from, size_t size, unsigned wait_ms)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = send(stream, (const unsigned char *)from + done, size - done, 0); /* nearly always there is room */
        if (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return false;
        if (n < 0 && !wait_for(stream, POLLOUT, wait_ms))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}
