/* packets.c - packets that came by UDP: see packets.h. */
#include "io/packets.h"

#include "io/temp_file.h"
#include "io/write_behind.h"
#include "model/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKETS_MAX (UINT32_C(1) << 24) /* 256 MiB of index */
#define PLACE_SHIFT 12u

/* For the index. */
static int by_number(const void *a, const void *b)
{
    uint64_t left = ((const struct packet *)a)->number, right = ((const struct packet *)b)->number;
    return (left > right) - (left < right);
}

int packets_open(struct packets *packets, struct trace *trace)
{
    packets->trace = trace;
    packets->index = (struct sorted_set){.size = sizeof(struct packet), .order = by_number};
    packets->temporary = temp_file_open(trace, trace->input_name);
    return packets->temporary >= 0 ? 0 : -1;
}

void packets_close(struct packets *packets)
{
    if (packets->temporary >= 0)
        close(packets->temporary);
    sorted_set_free(&packets->index);
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

uint64_t packets_widen(const struct packets *packets, uint32_t number)
{
    uint32_t ahead = number - (uint32_t)packets->highest;
    if (packets_count(packets) == 0)
        return PACKETS_FIRST - 1u + number;
    return ahead < UINT32_C(1) << 31 ? packets->highest + ahead : packets->highest - (UINT32_C(0) - ahead);
}

const struct packet *packets_find(const struct packets *packets, uint64_t number)
{
    struct packet key = {.number = number};
    return sorted_set_find(&packets->index, &key);
}

/* ---- the records ------------------------------------------------------------------------------------------------- */

/* Offset in the temporary file of a packet's first record, counted in records. */
static uint64_t first_record(const struct packet *packet)
{
    return packet->place >> PLACE_SHIFT;
}

/* Read a packet's records into the buffer. 0, or an errno: EIO if the temporary file is too short. */
static int read_records(struct packets *packets, const struct packet *packet)
{
    size_t size = packet_records(packet) * PACKETS_RECORD_BYTES;
    off_t at = (off_t)(first_record(packet) * PACKETS_RECORD_BYTES);
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(packets->temporary, packets->buffer + done, size - done, at + (off_t)done);
        if (n <= 0)
            return n < 0 ? errno : EIO;
        done += (size_t)n;
    }
    return 0;
}

/* Write count records to a temporary file behind so many others. 0, or an errno. */
static int write_records(int temporary, uint64_t others, const unsigned char *records, size_t count)
{
    return write_at(temporary, records, count * PACKETS_RECORD_BYTES, others * PACKETS_RECORD_BYTES);
}

int packets_match(struct packets *packets, const struct packet *packet, const unsigned char *records, size_t count)
{
    int error;
    if (packet_records(packet) != count)
        return 0;
    error = read_records(packets, packet);
    if (error != 0)
        return trace_fail(packets->trace, "%s: cannot read the spooled packets: %s", packets->trace->input_name,
                          strerror(error));
    return memcmp(packets->buffer, records, count * PACKETS_RECORD_BYTES) == 0;
}

int packets_add(struct packets *packets, uint64_t number, const unsigned char *records, size_t count)
{
    struct packet packet = {number, packets->records << PLACE_SHIFT | count};
    int error;
    if (packets_count(packets) == PACKETS_MAX || !sorted_set_add(&packets->index, &packet))
        return 0;
    error = write_records(packets->temporary, packets->records, records, count);
    if (error != 0)
        return trace_fail(packets->trace, "%s: cannot spool: %s", packets->trace->input_name, strerror(error));
    packets->records += count;
    if (number > packets->highest)
        packets->highest = number;
    return 1;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* Whether the packets came in the order of their numbers. */
static bool is_sorted(const struct packets *packets)
{
    uint64_t record = 0;
    for (size_t i = 0; i < packets_count(packets); i++) {
        if (first_record(&packets_all(packets)[i]) != record)
            return false;
        record += packet_records(&packets_all(packets)[i]);
    }
    return true;
}

/* Write all records to a new temporary file, packet by packet. 0, or an errno. */
static int copy_in_order(struct packets *packets, int to)
{
    uint64_t record = 0;
    for (size_t i = 0; i < packets_count(packets); i++) {
        const struct packet *packet = &packets_all(packets)[i];
        size_t count = packet_records(packet);
        int error = read_records(packets, packet);
        if (error == 0)
            error = write_records(to, record, packets->buffer, count);
        if (error != 0)
            return error;
        record += count;
    }
    return 0;
}

int packets_sort(struct packets *packets)
{
    int to = -1, error;
    sorted_set_sort(&packets->index);
    if (is_sorted(packets))
        return 0;
    to = temp_file_create();
    error = to >= 0 ? copy_in_order(packets, to) : errno;
    if (error != 0) {
        trace_fail(packets->trace, "%s: cannot put the packets in order in %s: %s", packets->trace->input_name,
                   temp_file_directory(), strerror(error));
        if (to >= 0)
            close(to);
        return -1;
    }
    close(packets->temporary);
    packets->temporary = to;
    return 0;
}
