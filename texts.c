/* texts.c */
#include "tlog.h"

int main(void)
{
    TLOG_PRINTK("temp %d of %s", 42, "motor");
    TLOG_ERROR("no answer from %u", 7);
    return 0;
}
