/* tlog_shark.h - the primitives of S.Ha.R.K.'s New Tracer, by the names and signatures of its manual.
 *
 * Thin over tlog.h and tlog_chunk.h, which say what each does and from where it may be called. Those that return int
 * return 0, or a number where one is asked for, and -1 when they did nothing. Sizes are in bytes, 16 for an event. */
#include "tlog.h" /* which includes this where it belongs */

#ifndef TLOG_SHARK_H
#define TLOG_SHARK_H

#include "tlog_chunk.h"

TLOG_BEGIN_C

typedef uint8_t FTrace_flags;
typedef struct tlog_chunk *FTrace_Chunk_Ptr;

#define FTRACE_CHUNK_FLAG_CYC   0x00
#define FTRACE_CHUNK_FLAG_FREE  TLOG_CHUNK_FREE
#define FTRACE_CHUNK_FLAG_FULL  TLOG_CHUNK_FULL
#define FTRACE_CHUNK_FLAG_JTN   TLOG_CHUNK_JTN
#define FTRACE_CHUNK_FLAG_STOP  TLOG_CHUNK_STOP
#define FTRACE_CHUNK_FLAG_BUSY  TLOG_CHUNK_BUSY
#define FTRACE_CHUNK_FLAG_NODEL TLOG_CHUNK_NODEL
#define FTRACE_CHUNK_FLAG_COMPR TLOG_CHUNK_COMPR

#if TLOG_ENABLE

/* Go on, and stop, recording. There is always a current chunk, so they return 0. */
int FTrace_enable(void);
int FTrace_disable(void);

/* Suppress (1) or record (0) a family, a FTrace_filter_* constant, and record that as an event of that code with par1 =
 * status. Other ids are ignored. */
void FTrace_set_filter(uint8_t family, int status);

TLOG_NEEDS_ARENA int FTrace_chunk_create(int normal_size, int emergency_size, FTrace_flags flags);
TLOG_NEEDS_ARENA int FTrace_chunk_delete(int number);
TLOG_NEEDS_ARENA int FTrace_set_chunk_flags(int number, FTrace_flags flags);
TLOG_NEEDS_ARENA int FTrace_get_chunk_flags(int number, FTrace_flags *flags);
TLOG_NEEDS_ARENA int FTrace_actual_chunk_select(int number);
TLOG_NEEDS_ARENA int FTrace_chunk_link(int chunk_A, int chunk_B);
TLOG_NEEDS_ARENA int FTrace_get_first_chunk(FTrace_flags flags);
TLOG_NEEDS_ARENA FTrace_Chunk_Ptr *FTrace_get_chunk_table(void);
TLOG_NEEDS_ARENA int FTrace_compress_chunk(int number, FTrace_flags new_flags);
TLOG_NEEDS_ARENA int FTrace_send_chunk(int number, int osd_flags, FTrace_flags new_flags);

/* Let chunks be sent to files on the host: "0" and fname, "1" and fname, in the order of sending, each a S.Ha.R.K. trace
 * file, written when the program ends. Sending a 65th is an error. A file gets what is in the chunk at the
 * end: it must be neither deleted nor filled again after it was sent. At most 255 bytes of fname are kept; the other
 * parameters say nothing. Given by port/out_disk.c. */
TLOG_NEEDS_ARENA int FTrace_init_disk_writer(char *fname, int flag, char *l_ip, char *t_ip);

/* Have a chunk written when the program ends; it must not be deleted before. There is place for 64, those sent included.
 * The events of further ones are counted, as many as the chunk has at the call: the last file has a blackout_start and a
 * blackout_end record at the time of the chunk's last event, with par2 = ticks since its first one, and = number of events;
 * of more than 16 chunks those of the others are added to the sixteenth's. */
TLOG_NEEDS_ARENA void FTrace_disk_writer(FTrace_Chunk_Ptr c);

/* Let chunks be sent by UDP from one address to another. With flag 1 the network is brought up; otherwise it is, by a
 * call before. Given by port/out_shark_udp.c. */
TLOG_NEEDS_ARENA int FTrace_OSD_init_udp(int flag, char *l_ip, char *t_ip);

#endif

TLOG_END_C

#endif
