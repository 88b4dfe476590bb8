/* SPDX-License-Identifier: MIT */
/* out_shark_udp.c - S.Ha.R.K.'s network sender: sends chunks as datagrams, see out_udp.h. */
#include "out_udp.h"
#include "tlog.h"

#include <stddef.h>

#if TLOG_ENABLE && TLOG_ARENA

static int send_chunk(const struct tlog_chunk *chunk)
{
    int result = tlog_udp_put_slots(tlog_chunk_slots(chunk), chunk->slots);
    result = result != 0 ? result : tlog_udp_put_slots(tlog_chunk_emergency_slots(chunk), chunk->emergency);
    return result != 0 ? result : tlog_udp_flush();
}

int FTrace_OSD_init_udp(int flag, char *l_ip, char *t_ip)
{
    if (flag == 1 && (l_ip == NULL || t_ip == NULL || tlog_udp_open(l_ip, t_ip) != 0))
        return -1;
    tlog_chunk_set_sender(send_chunk);
    return 0;
}

#endif
