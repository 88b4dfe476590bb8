/* socket.c - datagrams and streams: see os_socket.h. A socket's number fits an int: handles have 32 bits that count. */
#include "os/windows/back.h"

#include "os/os_socket.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ws2tcpip.h>

/* ---- sockets ----------------------------------------------------------------------------------------------------- */

/* Set errno by the last error of sockets: -1. */
static int failed(void)
{
    errno = errno_of((DWORD)WSAGetLastError());
    return -1;
}

/* A new socket, whose calls return at once if there is nothing to do. -1 with errno set. */
static int new_socket(int family, int type)
{
    WSADATA about;
    u_long at_once = 1;
    SOCKET opened = WSAStartup(MAKEWORD(2, 2), &about) == 0 ? socket(family, type, 0) : INVALID_SOCKET;
    if (opened == INVALID_SOCKET)
        return failed();
    ioctlsocket(opened, (long)FIONBIO, &at_once);
    return (int)opened;
}

void os_socket_close(int socket)
{
    closesocket((SOCKET)socket);
}

/* Close it, with errno set by the last error: -1. */
static int give_up(int socket)
{
    int result = failed(), error = errno;
    os_socket_close(socket);
    errno = error;
    return result;
}

/* Wait until something can be received, or sent; or until a connection has failed, which select() calls an exception.
 * False with errno set. */
static bool wait_for(int socket, bool sends, unsigned wait_ms)
{
    struct timeval most = {(long)(wait_ms / 1000u), (long)(wait_ms % 1000u * 1000u)};
    fd_set set = {.fd_count = 1, .fd_array = {(SOCKET)socket}}, faults = set;
    int ready = select(0, sends ? NULL : &set, sends ? &set : NULL, &faults, &most);
    if (ready > 0)
        return true;
    errno = ready == 0 ? EAGAIN : errno_of((DWORD)WSAGetLastError());
    return false;
}

/* ---- datagrams --------------------------------------------------------------------------------------------------- */

static struct os_address address_of(const struct sockaddr_in *from)
{
    return (struct os_address){ntohl(from->sin_addr.s_addr), ntohs(from->sin_port)};
}

static struct sockaddr_in place_of(struct os_address address)
{
    struct sockaddr_in at;
    memset(&at, 0, sizeof at);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(address.host);
    at.sin_port = htons(address.port);
    return at;
}

/* The system may keep less than is wanted, which will do. */
int os_socket_open(struct os_address *address, int keep)
{
    struct sockaddr_in at = place_of(*address);
    int length = sizeof at, opened = new_socket(AF_INET, SOCK_DGRAM);
    if (opened < 0)
        return -1;
    setsockopt((SOCKET)opened, SOL_SOCKET, SO_RCVBUF, (const char *)&keep, sizeof keep);
    if (bind((SOCKET)opened, (const struct sockaddr *)&at, sizeof at) != 0
        || getsockname((SOCKET)opened, (struct sockaddr *)&at, &length) != 0)
        return give_up(opened);
    *address = address_of(&at);
    return opened;
}

/* A datagram that is larger than the room is an error here, and is cut all the same. An interrupt does not end the
 * wait; the caller does not wait long. */
int64_t os_socket_receive(int socket, void *to, size_t room, unsigned wait_ms, struct os_address *from)
{
    struct sockaddr_in sender;
    int length = sizeof sender, size;
    memset(&sender, 0, sizeof sender);
    *from = address_of(&sender);
    if (!wait_for(socket, false, wait_ms))
        return -1;
    size = recvfrom((SOCKET)socket, to, (int)room, 0, (struct sockaddr *)&sender, &length);
    *from = address_of(&sender);
    if (size == SOCKET_ERROR && WSAGetLastError() == WSAEMSGSIZE)
        return (int64_t)room;
    return size == SOCKET_ERROR ? failed() : size;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* Nobody else may take the port meanwhile; one that a connection of before still has is free here. */
int os_listen(uint16_t port)
{
    const struct sockaddr_in at = place_of((struct os_address){INADDR_LOOPBACK, port});
    const int yes = 1;
    int opened = new_socket(AF_INET, SOCK_STREAM);
    if (opened < 0)
        return -1;
    setsockopt((SOCKET)opened, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&yes, sizeof yes);
    if (bind((SOCKET)opened, (const struct sockaddr *)&at, sizeof at) == 0 && listen((SOCKET)opened, 8) == 0)
        return opened;
    return give_up(opened);
}

int os_accept(int listener, unsigned wait_ms)
{
    u_long at_once = 1;
    SOCKET stream;
    if (!wait_for(listener, false, wait_ms))
        return -1;
    stream = accept((SOCKET)listener, NULL, NULL);
    if (stream == INVALID_SOCKET)
        return failed();
    ioctlsocket(stream, (long)FIONBIO, &at_once);
    return (int)stream;
}

/* Connect a new socket to an address. Small packets are sent at once. 0, or an errno. */
static int connect_to(int stream, const struct addrinfo *to, unsigned wait_ms)
{
    int error = 0, length = sizeof error;
    const int on = 1;
    setsockopt((SOCKET)stream, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof on);
    if (connect((SOCKET)stream, to->ai_addr, (int)to->ai_addrlen) == 0)
        return 0;
    if (WSAGetLastError() != WSAEWOULDBLOCK)
        return errno_of((DWORD)WSAGetLastError());
    if (!wait_for(stream, true, wait_ms))
        return errno;
    getsockopt((SOCKET)stream, SOL_SOCKET, SO_ERROR, (char *)&error, &length);
    return error != 0 ? errno_of((DWORD)error) : 0;
}

/* The first of these addresses that can be connected to. -1 with errno set. */
static int connect_first(const struct addrinfo *to, unsigned wait_ms)
{
    for (; to != NULL; to = to->ai_next) {
        int stream = new_socket(to->ai_family, SOCK_STREAM),
            error = stream < 0 ? errno : connect_to(stream, to, wait_ms);
        if (error == 0)
            return stream;
        if (stream >= 0)
            os_socket_close(stream);
        errno = error;
    }
    return -1;
}

int os_stream_connect(const char *host, uint16_t port, unsigned wait_ms)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    WSADATA about;
    char number[8];
    int stream, error;
    snprintf(number, sizeof number, "%u", (unsigned)port);
    if (WSAStartup(MAKEWORD(2, 2), &about) != 0 || getaddrinfo(host, number, &hints, &found) != 0) {
        errno = ENOENT;
        return -1;
    }
    stream = connect_first(found, wait_ms);
    error = errno;
    freeaddrinfo(found);
    errno = error;
    return stream;
}

int64_t os_stream_receive(int stream, void *to, size_t room, unsigned wait_ms)
{
    int n;
    if (!wait_for(stream, false, wait_ms))
        return -1;
    n = recv((SOCKET)stream, to, (int)room, 0);
    return n == SOCKET_ERROR ? failed() : n;
}

bool os_stream_send(int stream, const void *from, size_t size, unsigned wait_ms)
{
    for (size_t done = 0; done < size;) {
        int n =
            send((SOCKET)stream, (const char *)from + done, (int)(size - done), 0); /* nearly always there is room */
        if (n == SOCKET_ERROR && failed() < 0 && errno != EAGAIN)
            return false;
        if (n == SOCKET_ERROR && !wait_for(stream, true, wait_ms))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}
