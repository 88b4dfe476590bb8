/* format.h - numbers of CTF 1.8 that the packets and the metadata share.
 *
 * Source: the Common Trace Format 1.8.3 (diamon.org/ctf/v1.8.3). The shapes of headers are those of LTTng's kernel
 * tracer, because viewers know them and read them quickly. All numbers are little-endian, and aligned to bytes only.
 */
#ifndef CTF_FORMAT_H
#define CTF_FORMAT_H

#define CTF_MAGIC           0xC1FC1FC1u
#define CTF_FIRST_LINE      "/* CTF 1.8 */\n" /* of the metadata: readers look for it */
#define CTF_METADATA        "metadata"
#define CTF_CHANNEL         "channel0_"  /* the stream of a CPU, with its number behind */
#define CTF_STATEDUMP       "statedump_" /* the stream of what is known of tasks, with 0 behind */
#define CTF_UUID_BYTES      16u
#define CTF_ID_EXTENDED     65535u /* the event's number and its whole time follow */
#define CTF_STATEDUMP_START 60000u /* numbers of events, above those of all types */
#define CTF_STATEDUMP_STATE 60001u
#define CTF_STATEDUMP_END   60002u
#define CTF_CHARS_MOST      16u /* characters of a text that is an array, as the name of a task in Linux's events is */

#endif
