/* walk.c - firmware of tests/system/shark/shark.sh: logs each event of the manual's tables (table.h) once, in order. At
 * compile time it compares the codes with those of tlog.h. */
#include "tlog.h"

#define ROW(name, code, par1, par2) _Static_assert(FTrace_EVT_##name == (code), #name);
#define FILTER(name, code)          _Static_assert(FTrace_filter_##name == (code), #name);
#include "table.h"
#undef ROW
#undef FILTER
_Static_assert(FTrace_EVT_next_chunk == 0xFF && FTrace_family_mask == 0x0F, "commands and masks");

int main(void)
{
    uint32_t row = 0;
#define ROW(name, code, par1, par2)                                                                                    \
    row++;                                                                                                             \
    TRACER_LOGEVENT(FTrace_EVT_##name, 0x1000u + row, 0x20000u + row);
#define FILTER(name, code)                                                                                             \
    row++;                                                                                                             \
    FTrace_set_filter(FTrace_filter_##name, (int)(0x1000u + row));                                                     \
    FTrace_set_filter(FTrace_filter_##name, 0);
#include "table.h"
    return 0;
}
