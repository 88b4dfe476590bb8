/* test_pack_faults.c - damaged regions: damage costs the group that it is in, and is noticed. The compressor is part of
 * this file, so that single steps of it can be called with wrong values.
 */
#define _GNU_SOURCE
#include "pack_harness.h"

#include "base/bytes.h"
#include "lib/tier.h"
#include "src/tlog_pack.c"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A wrong bit in a group loses the group, in the head nothing. */
static void test_flips(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;
    (void)unused;
    for (size_t bit = 0; bit < 8u * packed.size; bit += tier_step(5)) {
        int group = group_of(packed, bit / 8u), result;
        packed.bytes[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        result = unpack_region(chunk, packed, &loss);
        packed.bytes[bit / 8u] ^= (unsigned char)(1u << bit % 8u);
        assert_int_equal(result, group >= 0);
        assert_true(group < 0 || loss.lost[group]);
    }
    free(packed.bytes);
    free(chunk);
}

/* A region that was cut has all groups ahead of the cut. */
static void test_cuts(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;
    (void)unused;
    for (size_t cut = 0; cut < packed.size; cut++) {
        int result = unpack_region(chunk, (struct packed){packed.bytes, cut}, &loss);
        if (cut < TLOG_PACK_HEAD_BYTES)
            assert_int_equal(result, NATIVE_REGION_NONE);
        else
            assert_int_equal(result, (int)all_groups(chunk) - group_of(packed, cut));
    }
    free(packed.bytes);
    free(chunk);
}

/* Any bytes behind the head are overwritten with zeros, other bytes, or another part of the region. Only groups
 * there are lost. */
static void test_bursts(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk), damaged = {malloc(packed.size), packed.size};
    static struct loss loss;
    (void)unused;
    assert_non_null(damaged.bytes);
    for (unsigned trial = 0; trial < 20000; trial += tier_step(7)) {
        size_t from = TLOG_PACK_HEAD_BYTES + noise() % (packed.size - TLOG_PACK_HEAD_BYTES);
        size_t size = 1u + noise() % (packed.size - from), other = noise() % (packed.size - size + 1u);
        if (trial % 2u)
            size = size < 64u ? size : 1u + size % 64u;
        memcpy(damaged.bytes, packed.bytes, packed.size);
        if (trial % 4u < 2u)
            memcpy(damaged.bytes + from, packed.bytes + other, size);
        else
            memset(damaged.bytes + from, (int)(noise() % 3u * 0x7F), size);
        assert_true(unpack_region(chunk, damaged, &loss) >= 0);
        for (int i = 0; i < (int)all_groups(chunk); i++)
            assert_true(!loss.lost[i] || (i >= group_of(packed, from) && i <= group_of(packed, from + size - 1u)));
    }
    free(damaged.bytes);
    free(packed.bytes);
    free(chunk);
}

/* A word is missing, or there is one too many: the groups behind it are found all the same. */
static void test_shifts(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;
    unsigned char *bytes = malloc(packed.size);
    (void)unused;
    assert_non_null(bytes);
    for (size_t at = TLOG_PACK_HEAD_BYTES; at < packed.size - 4u; at += 4) {
        int last = (int)all_groups(chunk) - 1;
        memcpy(bytes, packed.bytes, at);
        memcpy(bytes + at, packed.bytes + at + 4, packed.size - at - 4u);
        assert_int_equal(unpack_region(chunk, (struct packed){bytes, packed.size - 4u}, &loss), 1);
        assert_true(loss.lost[group_of(packed, at)]);
        memcpy(bytes + at + 4, packed.bytes + at, packed.size - at - 4u); /* one more; the last group is cut */
        assert_true(unpack_region(chunk, (struct packed){bytes, packed.size}, &loss) <= 2);
        assert_true(loss.lost[last]);
    }
    free(bytes);
    free(packed.bytes);
    free(chunk);
}

/* Two wrong bytes in the head cannot be mended. */
static void test_broken_head(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;
    (void)unused;
    for (size_t a = 0; a < TLOG_PACK_HEAD_BYTES; a++) {
        for (size_t b = 0; b < a; b++) {
            packed.bytes[a] ^= 0x11;
            packed.bytes[b] ^= 0x11;
            assert_true(unpack_region(chunk, packed, &loss) < 0);
            packed.bytes[a] ^= 0x11;
            packed.bytes[b] ^= 0x11;
        }
    }
    assert_int_equal(unpack_region(chunk, packed, &loss), 0);
    free(packed.bytes);
    free(chunk);
}

/* Heads with right CRCs and wrong numbers. */
static void test_lying_head(void **unused)
{
    static const struct {
        size_t at;
        uint32_t value;
    } lies[] = {{4, 3},   {8, 172},          {8, 1u << 31},     {8, 0xFFFFFFFFu}, {20, 0},
                {20, 76}, {20, 65535},       {20, 0xFFFFFFFFu}, {24, 65535},      {24, 0xFFFFFFFFu},
                {28, 0},  {28, 0xFFFFFFFFu}, {12, 0x04800003u}, {8, 1241}};
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    static struct loss loss;
    unsigned char head[TLOG_PACK_HEAD_BYTES];
    struct tlog_chunk lying = *chunk;
    int result;
    (void)unused;
    assert_in_range(packed.size, 1148, 1348);
    memcpy(head, packed.bytes, sizeof head);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        put_le32(packed.bytes + lies[i].at, lies[i].value);
        memcpy((unsigned char *)&lying + 8, packed.bytes + 12, sizeof lying - 8u);
        set_check(&lying);
        put_le32(packed.bytes + 64, lying.check);
        put_le32(packed.bytes + 164, (uint32_t)crc32(0, packed.bytes, 164));
        result = unpack_region(chunk, packed, &loss);
        assert_true(result == NATIVE_REGION_NONE || result == NATIVE_REGION_BROKEN);
        memcpy(packed.bytes, head, sizeof head);
    }
    put_le32(packed.bytes + 64, 0x12345678u);
    put_le32(packed.bytes + 164, (uint32_t)crc32(0, packed.bytes, 164));
    assert_int_equal(unpack_region(chunk, packed, &loss), NATIVE_REGION_BROKEN);
    free(packed.bytes);
    free(chunk);
}

/* Memory that is too small for the image is refused. */
static void test_small_image(void **unused)
{
    struct tlog_chunk *chunk = small_chunk();
    struct packed packed = pack(chunk);
    unsigned char image[4096];
    (void)unused;
    for (size_t size = 0; size < chunk->buf_size; size += 13)
        assert_int_equal(native_region_unpack(packed.bytes, packed.size, image, size), NATIVE_REGION_ROOM);
    assert_int_equal(native_region_unpack(packed.bytes, packed.size, image, sizeof image), 0);
    free(packed.bytes);
    free(chunk);
}

/* Groups with right CRCs and any bits. Most of them have too few or too many bits, and are lost; the sanitizer would
 * notice if a bit led to memory that is not the group's. */
static void test_any_payload(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(32, 0);
    unsigned char bytes[TLOG_PACK_HEAD_BYTES + TLOG_PACK_GROUP_BYTES + GROUP_BYTES], *image = malloc(chunk->buf_size);
    struct packed packed;
    unsigned lost = 0;
    (void)unused;
    assert_non_null(image);
    seal(chunk);
    packed = pack(chunk);
    memcpy(bytes, packed.bytes, TLOG_PACK_HEAD_BYTES);
    for (unsigned trial = 0; trial < 200000; trial += tier_step(7)) {
        uint32_t words = 1u + noise() % 127u, mask = noise() | (trial % 2u ? noise() : 0);
        size_t size = TLOG_PACK_HEAD_BYTES + TLOG_PACK_GROUP_BYTES + 4u * words;
        unsigned char *group = bytes + TLOG_PACK_HEAD_BYTES, *exact;
        uLong crc = crc32(0, bytes + 12, 152);
        int result;
        put_le32(bytes + 8, (uint32_t)size);
        put_le32(bytes + 164, (uint32_t)crc32(0, bytes, 164));
        put_le32(group, words | 0x100u);
        for (uint32_t i = 0; i < words; i++)
            put_le32(group + 4u + 4u * i, noise() & mask);
        put_le32(group + 4u + 4u * words, (uint32_t)crc32(crc32(crc, group + 4, 4u * words), group, 4));
        exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, bytes, size);
        result = native_region_unpack(exact, size, image, chunk->buf_size);
        free(exact);
        assert_true(result == 0 || result == 1);
        lost += (unsigned)result;
    }
    assert_true(lost > 150000 / tier_step(7));
    free(packed.bytes);
    free(image);
    free(chunk);
}

/* Make a region of four slots: three with new codes, then one that is like slot `index`, then the bits `last`. more
 * > 0: a word too many follows; more < 0: the last word is missing. Returns whether the group is lost. */
static bool is_lost(uint32_t index, int more, uint32_t last)
{
    static uint32_t region[64];
    static struct tlog_pack work;
    struct tlog_chunk *chunk = new_chunk(4, 0);
    unsigned char *bytes = (unsigned char *)region, *image = malloc(chunk->buf_size);
    int result;
    assert_non_null(image);
    assert_true(tlog_pack(chunk, region, sizeof region, &work) > 0);
    work.first = 43;
    work.at = 43;
    work.limit = 64;
    work.crc = work.seed;
    work.bits = work.fill = 0;
    for (uint32_t code = 0; code < 3; code++)
        put_bits(&work, 1u | code << 2 | 1u << 12, 1 + 5 + 1 + 1 + 8); /* par1 and par2 as expected, a tick later */
    put_bits(&work, index << 1, 1 + 2 + 1 + 1 + 8);
    put_bits(&work, last << 2, 3);
    if (more > 0)
        put_bits(&work, 0, 32);
    if (more < 0)
        work.at--;
    work.crc = crc_words(work.seed, region + 43, work.at - 43u);
    work.number = 0;
    work.heads[0] = TLOG_TAG_ODD;
    end_group(&work);
    finish(&work);
    result = native_region_unpack(bytes, get_le32(bytes + 8), image, chunk->buf_size);
    assert_in_range(result, 0, 1);
    for (unsigned i = 0; i < 4 && result > 0; i++)
        assert_memory_equal(image + TLOG_HEADER_BYTES + TLOG_SLOT_BYTES * i, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    free(image);
    free(chunk);
    return result > 0;
}

/* Bits that no compressor writes are not taken for slots, even if they could be. */
static void test_strict(void **unused)
{
    (void)unused;
    assert_false(is_lost(0, 0, 0));
    assert_false(is_lost(2, 0, 0));
    assert_true(is_lost(3, 0, 0));  /* a slot that is like itself */
    assert_true(is_lost(2, 0, 1));  /* bits behind the last slot */
    assert_true(is_lost(2, 1, 0));  /* a word behind it */
    assert_true(is_lost(2, -1, 0)); /* a word less than the slots need */
}

/* A chunk without slots is refused, although its check values are right. */
static void test_no_slots(void **unused)
{
    struct tlog_chunk *chunk = new_chunk(1, 1);
    uint32_t region[64];
    static struct tlog_pack work;
    struct native_region told;
    (void)unused;
    chunk->slots = 0;
    chunk->buf_size -= TLOG_SLOT_BYTES;
    set_check(chunk);
    assert_true(tlog_pack(chunk, region, sizeof region, &work) > 0);
    assert_int_equal(native_region_read_head((unsigned char *)region, sizeof region, &told), NATIVE_REGION_BROKEN);
    free(chunk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flips),       cmocka_unit_test(test_cuts),        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_shifts),      cmocka_unit_test(test_broken_head), cmocka_unit_test(test_lying_head),
        cmocka_unit_test(test_small_image), cmocka_unit_test(test_any_payload), cmocka_unit_test(test_strict),
        cmocka_unit_test(test_no_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
