/* test_crc32.c - CRC-32 against zlib at every length, and the wrong byte it finds. */
#include "base/crc32.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <zlib.h>

enum { BYTES = 600 };

static unsigned char data[BYTES];

static int fill(void **state)
{
    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 131u + (i >> 3) * 7u);
    return 0;
}

static void it_is_that_of_zlib(void **state)
{
    (void)state;
    assert_int_equal(crc32_of((const unsigned char *)"123456789", 9),
                     0xCBF43926u); /* the check value of the standard */
    for (size_t at = 0; at < 16; at++) {
        for (size_t size = 0; at + size <= BYTES; size++)
            assert_int_equal(crc32_of(data + at, size), crc32_z(0, data + at, size));
    }
}

/* Each byte, wrong in one bit or in all: the data and, behind them, their CRC. */
static void the_wrong_byte_is_found(void **state)
{
    static const unsigned char masks[] = {0x01, 0x80, 0xFF, 0x5A};
    const uint32_t size = 508, right = crc32_of(data, size);
    (void)state;
    for (uint32_t at = 0; at < size + 4; at++) {
        for (size_t i = 0; i < sizeof masks; i++) {
            struct crc32_error found;
            uint32_t stored = right;
            if (at < size)
                data[at] ^= masks[i];
            else
                stored ^= (uint32_t)masks[i] << 8 * (at - size);
            found = crc32_locate(crc32_of(data, size) ^ stored, size);
            if (at < size)
                data[at] ^= masks[i];
            assert_int_equal(found.at, at);
            assert_int_equal(found.bits, masks[i]);
        }
    }
}

/* Two bytes that lie near each other are no single one. */
static void two_wrong_bytes_are_nowhere(void **state)
{
    const uint32_t size = 508, right = crc32_of(data, size);
    (void)state;
    for (uint32_t at = 0; at + 2 < size; at++) {
        uint32_t wrong;
        data[at] ^= 0x11;
        data[at + 2] ^= 0x22;
        wrong = crc32_of(data, size);
        data[at] ^= 0x11;
        data[at + 2] ^= 0x22;
        assert_int_equal(crc32_locate(wrong ^ right, size).at, CRC32_NOWHERE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(it_is_that_of_zlib, fill),
        cmocka_unit_test_setup(the_wrong_byte_is_found, fill),
        cmocka_unit_test_setup(two_wrong_bytes_are_nowhere, fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
