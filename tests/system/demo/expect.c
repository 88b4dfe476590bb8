/* expect.c - keeps the notes of logged events and writes them to expect.bin. expect.h describes the file. */
#include "expect.h"

#if DEMO_EXPECT

#include "out_semihost.h"

enum { MAGIC = 0x54505845, VERSION = 1, NOTE_WORDS = sizeof(struct expect_note) / 4, NOTES = 32768 };

static struct {
    uint32_t magic, version, note_words, count, missed, hz;
    struct expect_note note[NOTES];
} notes;

static uint32_t taken; /* calls of expect_add(); may exceed NOTES */

/* The index is taken in one atomic step, so an interrupt that comes in between gets another one. */
void expect_add(const struct expect_note *note)
{
    uint32_t i = __atomic_fetch_add(&taken, 1u, __ATOMIC_RELAXED);
    if (i < NOTES)
        notes.note[i] = *note;
}

int expect_save(void)
{
    notes.magic = MAGIC;
    notes.version = VERSION;
    notes.note_words = NOTE_WORDS;
    notes.count = taken < NOTES ? taken : NOTES;
    notes.missed = taken - notes.count;
    notes.hz = TLOG_CLOCK_HZ;
    uint32_t length = (uint32_t)(sizeof notes - sizeof notes.note) + notes.count * (uint32_t)sizeof notes.note[0];
    return semihost_write_file("expect.bin", &notes, length);
}

#else

int expect_save(void)
{
    return 0;
}

#endif
