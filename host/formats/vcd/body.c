/* body.c - see body.h. */
#include "formats/vcd/body.h"

#include "io/output.h"

enum {
    ESCAPED_MOST = 4, /* characters of an escaped byte: \303 */
    VALUE_MOST = 128, /* of a time and a value that is no text */
};

int vcd_flush(struct vcd *vcd)
{
    size_t used = (size_t)(vcd->at - vcd->buffer);
    vcd->at = vcd->buffer;
    return vcd->trace->failed ? -1 : output_put(vcd->trace, vcd->to, vcd->buffer, used);
}

char *vcd_room(struct vcd *vcd, size_t bytes)
{
    if (bytes > (size_t)(vcd->buffer + VCD_BUFFER - vcd->at))
        vcd_flush(vcd);
    return vcd->at;
}

void vcd_set_time(struct vcd *vcd, uint64_t time)
{
    time /= vcd->unit;
    if (!vcd->begun)
        vcd->first = vcd->stamped = vcd->now = time;
    vcd->begun = true;
    vcd->now = time > vcd->now ? time : vcd->now;
}

void vcd_stamp(struct vcd *vcd)
{
    char *to = vcd_room(vcd, VALUE_MOST);
    if (vcd->stamped == vcd->now)
        return;
    vcd->stamped = vcd->now;
    *to++ = '#';
    to = put_unsigned(to, vcd->now);
    *to++ = '\n';
    vcd->at = to;
}

/* Room for that many bytes of a value, after the time if that is new. So a time without values is not written. */
static char *begin(struct vcd *vcd, size_t bytes)
{
    vcd_stamp(vcd);
    return vcd_room(vcd, bytes + VALUE_MOST);
}

static void end(struct vcd *vcd, char *to, uint32_t id)
{
    to = vcd_put_code(to, id);
    *to++ = '\n';
    vcd->at = to;
}

void vcd_wire(struct vcd *vcd, uint32_t id, char value)
{
    char *to = begin(vcd, 0);
    *to++ = value;
    end(vcd, to, id);
}

void vcd_happen(struct vcd *vcd, uint32_t id)
{
    if (!vcd->only_wires)
        vcd_wire(vcd, id, '1');
}

/* Leading zeros are left out: viewers add them. */
void vcd_number(struct vcd *vcd, uint32_t id, uint64_t value)
{
    static const char fours[] = "0000000100100011010001010110011110001001101010111100110111101111";
    int shift = value != 0 ? (63 - __builtin_clzll(value)) & ~3 : 0;
    const char *first = &fours[4u * (value >> shift & 15u)];
    char *to;
    if (vcd->only_wires)
        return;
    to = begin(vcd, 0);
    *to++ = 'b';
    while (*first == '0' && (size_t)(first - fours) % 4u < 3u)
        first++;
    to = put_bytes(to, first, 4u - (size_t)(first - fours) % 4u);
    for (shift -= 4; shift >= 0; shift -= 4)
        to = put_bytes(to, &fours[4u * (value >> shift & 15u)], 4);
    *to++ = ' ';
    end(vcd, to, id);
}

void vcd_real(struct vcd *vcd, uint32_t id, const char *text, size_t n)
{
    char *to;
    if (vcd->only_wires)
        return;
    to = begin(vcd, n);
    *to++ = 'r';
    to = put_bytes(to, text, n);
    *to++ = ' ';
    end(vcd, to, id);
}

/* Blanks would end a string, and a backslash begins an escape. */
void vcd_text(struct vcd *vcd, uint32_t id, const char *text, size_t n)
{
    char *to;
    if (vcd->only_wires)
        return;
    to = begin(vcd, ESCAPED_MOST * n);
    *to++ = 's';
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte > ' ' && byte < 0x7Fu && byte != '\\') {
            *to++ = (char)byte;
            continue;
        }
        *to++ = '\\';
        *to++ = (char)('0' + (byte >> 6));
        *to++ = (char)('0' + (byte >> 3 & 7u));
        *to++ = (char)('0' + (byte & 7u));
    }
    *to++ = ' ';
    end(vcd, to, id);
}
