/* serve.c - see serve.h. One connection is served at a time: a browser may open some that it says nothing by. */
#include "tool/serve.h"

#include "base/text.h"
#include "os/os_file.h"
#include "os/os_socket.h"
#include "os/os_time.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PORT = 9001, REQUEST_MOST = 8192, PIECE = 65536 };

#define SILENT_MS 1000u /* how long a connection is waited for that says or takes nothing */
#define MS        1000000u

#define TO_THE_PAGE "Access-Control-Allow-Origin: " SERVE_PAGE "\r\nCache-Control: no-store\r\n"
#define END         "Connection: close\r\n\r\n"

static const char refused[] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n" END;
static const char unknown[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n" END;
/* Browsers ask before a page of the net may fetch from this machine. */
static const char allowed[] = "HTTP/1.1 204 No Content\r\n" TO_THE_PAGE "Access-Control-Allow-Methods: GET\r\n"
                              "Access-Control-Allow-Private-Network: true\r\n" END;

int serve_begin(void)
{
    return os_listen(PORT);
}

/* ms from now until then, at most `most`. */
static unsigned ms_until(uint64_t then, unsigned most)
{
    uint64_t now = os_now_ns(), ms = then > now ? (then - now + MS - 1u) / MS : 0;
    return ms < most ? (unsigned)ms : most;
}

/* Read a request, up to the empty line behind its head. False: there is none. */
static bool read_request(int stream, char text[REQUEST_MOST])
{
    uint64_t end = os_now_ns() + 2u * SILENT_MS * MS;
    size_t n = 0;
    do {
        int64_t more = os_stream_receive(stream, text + n, REQUEST_MOST - 1u - n, ms_until(end, SILENT_MS));
        if (more <= 0)
            return false;
        n += (size_t)more;
        text[n] = '\0';
        if (strlen(text) != n)
            return false;
    } while (strstr(text, "\r\n\r\n") == NULL && n < REQUEST_MOST - 1u);
    return strstr(text, "\r\n\r\n") != NULL;
}

/* Whether a line of the head says so, or, if it may be missing, does not say otherwise. */
static bool says(const char *request, const char *name, const char *value, bool may_be_missing)
{
    for (const char *line = strstr(request, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
        const char *at = line + 2;
        if (!text_begins(at, name))
            continue;
        at += strlen(name);
        at += strspn(at, " \t");
        return strncmp(at, value, strlen(value)) == 0 && strncmp(at + strlen(value), "\r\n", 2) == 0;
    }
    return may_be_missing;
}

static bool send_text(int stream, const char *text)
{
    return os_stream_send(stream, text, strlen(text), SILENT_MS);
}

/* Whether all of it has been taken. */
static bool send_file(int stream, int file)
{
    static unsigned char piece[PIECE];
    struct os_status status;
    char head[512];
    uint64_t done = 0;
    if (!os_status_of(file, &status))
        return false;
    snprintf(head, sizeof head,
             "HTTP/1.1 200 OK\r\n" TO_THE_PAGE "Content-Type: application/octet-stream\r\nContent-Length: %" PRIu64
             "\r\n" END,
             status.size);
    if (!send_text(stream, head))
        return false;
    while (done < status.size) {
        int error;
        size_t n = os_read_at(file, done, piece, sizeof piece, &error);
        if (n == 0 || !os_stream_send(stream, piece, n, 10u * SILENT_MS))
            return false;
        done += n;
    }
    return true;
}

/* The host is asked for by its number only: a page of somewhere else cannot pretend that this machine has its name. */
static bool serve(int stream, int file)
{
    char request[REQUEST_MOST];
    if (!read_request(stream, request))
        return false;
    if (!says(request, "Host:", SERVE_ADDRESS, false) || !says(request, "Origin:", SERVE_PAGE, true))
        send_text(stream, refused);
    else if (strncmp(request, "OPTIONS " SERVE_FILE " ", strlen("OPTIONS " SERVE_FILE " ")) == 0)
        send_text(stream, allowed);
    else if (strncmp(request, "GET " SERVE_FILE " ", strlen("GET " SERVE_FILE " ")) == 0)
        return send_file(stream, file);
    else
        send_text(stream, unknown);
    return false;
}

bool serve_once(int listener, int file, unsigned wait_s)
{
    uint64_t end = os_now_ns() + (uint64_t)wait_s * 1000u * MS;
    bool fetched = false;
    for (unsigned wait; !fetched && (wait = ms_until(end, 1000u * wait_s)) > 0;) {
        int stream = os_accept(listener, wait);
        if (stream < 0 && errno != EAGAIN)
            return false;
        if (stream >= 0) {
            fetched = serve(stream, file);
            os_socket_close(stream);
        }
    }
    return fetched;
}
