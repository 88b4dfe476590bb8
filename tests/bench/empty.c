/* empty.c - the harness of size.sh: it only calls emit(). It is linked once with an empty wrapper and once with one
 * that logs; the difference of the images is the size of tlog. */
#include "emit.h"
#ifdef BENCH_START
#include "tlog.h"
#endif

int main(void)
{
#ifdef BENCH_START
    tlog_start();
#endif
    emit(1, 2);
    return 0;
}
