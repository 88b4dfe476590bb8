/* harness.c - see harness.h. */
#include "harness.h"

#include "base/bytes.h"
#include "io/tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int directory = -1;
static char path[64];
static char *bytes;
static struct CMUnitTest of_model;

static int set_up(void **state)
{
    snprintf(path, sizeof path, "%s/test-ctf-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(path) == NULL)
        return -1;
    directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return directory < 0 ? -1 : of_model.setup_func(state);
}

static int tear_down(void **state)
{
    struct tree_list list = {0};
    if (tree_list_read(&list, directory))
        tree_list_remove(&list, directory);
    tree_list_free(&list);
    close(directory);
    rmdir(path);
    free(bytes);
    bytes = NULL;
    return of_model.teardown_func(state);
}

struct CMUnitTest ctf_test(const char *name, CMUnitTestFunction function)
{
    of_model = test(name, function);
    return (struct CMUnitTest){name, function, set_up, tear_down, NULL};
}

void *begin_trace(const struct trace_options *options)
{
    static const struct trace_options none;
    void *writer = writer_ctf.open(&trace, options != NULL ? options : &none, directory);
    assert_non_null(writer);
    assert_int_equal(writer_ctf.write(writer, 0, &batch), 0);
    return writer;
}

void write_trace(void)
{
    assert_int_equal(writer_ctf.close(begin_trace(NULL), true), 0);
}

const char *file(const char *name, size_t *size)
{
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    free(bytes);
    bytes = NULL;
    if (fd < 0)
        return NULL;
    bytes = calloc(1, (size_t)end + 1u);
    assert_non_null(bytes);
    assert_int_equal(pread(fd, bytes, (size_t)end, 0), end);
    close(fd);
    *size = (size_t)end;
    return bytes;
}

size_t packets_of(const char *name, struct packet *packets, size_t most)
{
    size_t size = 0, n = 0;
    const unsigned char *at = (const unsigned char *)file(name, &size), *end = at + size;
    assert_non_null(at);
    for (; at < end; at += packets[n++].size) {
        struct packet *packet = &packets[n];
        assert_true(n < most && end - at >= (ptrdiff_t)PACKET_HEADERS);
        assert_int_equal(get_le32(at), 0xC1FC1FC1u);
        assert_int_equal(get_le32(at + 20), 0);
        *packet = (struct packet){get_le64(at + 32), get_le64(at + 40), get_le64(at + 56) / 8u, get_le64(at + 64),
                                  get_le64(at + 72), get_le32(at + 80), at + PACKET_HEADERS,    0};
        assert_int_equal(get_le64(at + 48), 8u * packet->size);
        assert_true(packet->size >= PACKET_HEADERS && packet->size <= (size_t)(end - at));
        packet->n = packet->size - PACKET_HEADERS;
    }
    return n;
}

void check_metadata(const char *lines)
{
    size_t size;
    const char *metadata = file("metadata", &size);
    assert_non_null(metadata);
    if (strstr(metadata, lines) == NULL)
        fail_msg("not there: %s\nin %s", lines, metadata);
}

void make_file(const char *name, const char *text)
{
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    assert_true(fd >= 0);
    put_all(fd, text, strlen(text));
    close(fd);
}
