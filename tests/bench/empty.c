/* empty.c - the harness of size.sh: nothing but a call of emit(). Linked once with an empty wrapper and once with one
 * that logs; the difference of the images is what tlog costs. */
#include "emit.h"

int main(void)
{
    emit(1, 2);
    return 0;
}
