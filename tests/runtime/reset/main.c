/* main.c - a reset at every instruction: of the first start, of logging, of the switch from chunk to chunk, of naming,
 * and of the start after that reset. Firmware for mps2-an385 that resets itself some thousand times.
 *
 * Every boot does one step and ends in a reset. `state` says which step; like tlog's chunks it lies where neither the
 * start-up code nor a reset of QEMU writes. A sweep puts memory into a certain state (only noise, or one, two or three
 * older runs), starts the run that is to be cut off, and lets a timer reset the board after a delay. The delay grows
 * tick by tick until the run ends before it. After each reset the memory is read as FORMAT.md says, and compared with
 * what it was and with the calls that had returned; then one more run begins, and memory is checked again. With pairs
 * that second run is cut off at every tick, too, and a third one begins. Memory is all that a reset leaves of the first
 * run, so this is done once for each different content of memory.
 *
 * Numbers of runs wrap in the middle of all this. Every address where the timer's interrupt came is marked in a map of
 * the code, which becomes the file hits.bin. */
#include "board.h"
#include "out_semihost.h"
#include "reset.h"
#include "tlog.h"

enum { BANKS = TLOG_RUNS, SNAPS = BANKS + 1, FIRST_DELAY = 4, EVENTS = 11, SHORT = 3 };
enum { EVENT_CHUNK = TLOG_CHUNK_BYTES(TLOG_SLOTS, TLOG_EMERGENCY_SLOTS), EVENT_BANK = TLOG_CHUNKS * EVENT_CHUNK };
enum { CODE_BYTES = 0x8000, WORDS = 2048, RUNS_KNOWN = 2, NOTES = 2000, NEVER = 10000000 };
enum { LEAP = 13, SLOW = 30, NEAR = 48 };

extern uint32_t __start_tlog_chunks[], __stop_tlog_chunks[];
extern uint32_t __stack_top[];
void reset_at(uint32_t *frame);
void reset_handler(void);

enum phase { SETUP, SWEEP, PAIR };

/* A walk through all delays, tick by tick or in leaps. */
struct walk {
    uint32_t delay;
    uint32_t slow; /* ticks still to be tried one by one */
    uint32_t leap; /* ticks that were left out before this delay */
    uint32_t pc, pc_before;
    bool is_new, is_new_pc; /* what was new at this delay: memory's content; the instruction */
};

struct image {
    uint32_t seq; /* number of its last run */
    struct reset_run run[RUNS_KNOWN];
    uint32_t word[WORDS];
};

/* All of the test's own memory. QEMU's loader sets the first words. */
static struct state {
    uint32_t mode;  /* RESET_MODE_... */
    uint32_t kinds; /* number of kinds of reset that are tried */
    uint32_t magic;
    uint32_t kind; /* RESET_KIND_... of the running sweep */
    enum phase phase;
    uint32_t scenario;
    struct walk walk[2]; /* of the reset; with pairs, of the reset of the run after it */
    bool is_armed;
    uint32_t resets, images, pairs;
    struct image now;    /* what is known of the current run; word: memory when it began */
    struct image cut[2]; /* memory at the last reset of a walk */
    struct image snap[SNAPS];
    uint32_t hit[RESET_KINDS][CODE_BYTES / 2 / 32];
    uint32_t
        at; /* index into `note`: delays at which something was new, which the sweeps of the other kinds of reset use */
    uint32_t noted[SNAPS];
    uint32_t note[SNAPS][NOTES];
} *const state = (struct state *)RESET_STATE_ADDRESS;

enum { MAGIC = 0x52455345 };

/* ---- words of memory --------------------------------------------------------------------------------------------- */

static uint32_t words(void)
{
    return (uint32_t)(__stop_tlog_chunks - __start_tlog_chunks);
}

static void copy(uint32_t *to, const uint32_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ((volatile uint32_t *)to)[i] = from[i];
}

enum { MODEL_WORDS = __builtin_offsetof(struct image, word) / 4 };

static void save(struct image *image)
{
    copy(&image->seq, &state->now.seq, MODEL_WORDS);
    copy(image->word, __start_tlog_chunks, words());
}

static void restore(const struct image *image)
{
    copy(&state->now.seq, &image->seq, MODEL_WORDS);
    copy(__start_tlog_chunks, image->word, words());
}

static bool same(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    while (n > 0 && a[n - 1u] == b[n - 1u])
        n--;
    return n == 0;
}

/* The current walk. */
static struct walk *current_walk(void)
{
    return &state->walk[state->phase == PAIR];
}

/* ---- failing ----------------------------------------------------------------------------------------------------- */

static void print_number(const char *name, uint32_t number)
{
    char text[12], *at = text + sizeof(text) - 1;
    *at = 0;
    do
        *--at = (char)('0' + number % 10u);
    while ((number /= 10u) != 0);
    semihost_print(name);
    semihost_print(at);
}

void reset_fail(const char *what, uint32_t number)
{
    semihost_print("failed: ");
    semihost_print(what);
    print_number(" ", number);
    print_number(", scenario ", state->scenario);
    print_number(", phase ", state->phase);
    print_number(", delay ", state->walk[0].delay);
    print_number(", second ", state->walk[1].delay);
    print_number(", seq ", state->now.seq);
    print_number(", address ", current_walk()->pc);
    print_number(", begun ", state->now.run[state->now.seq % RUNS_KNOWN].begun);
    print_number(", returned ", state->now.run[state->now.seq % RUNS_KNOWN].returned);
    semihost_print("\n");
    semihost_write_file("failed.bin", __start_tlog_chunks, words() * 4u);
    semihost_exit(1);
}

/* Starts like a reset, in less time. */
static _Noreturn void start_again(void)
{
    __asm volatile("msr msp, %0\n\tbx %1" ::"r"(__stack_top), "r"(reset_handler));
    for (;;)
        ;
}

/* ---- the three resets -------------------------------------------------------------------------------------------- */

static _Noreturn void reset(uint32_t kind)
{
    volatile uint32_t *watchdog = (volatile uint32_t *)0x40008000u;
    state->resets++;
    __asm volatile("dsb" ::: "memory");
    if (kind == RESET_KIND_REQUEST) {
        *(volatile uint32_t *)0xE000ED0Cu = 0x05FA0004u; /* AIRCR.SYSRESETREQ */
    } else if (kind == RESET_KIND_WATCHDOG) {
        watchdog[0xC00 / 4] = 0x1ACCE551u;
        watchdog[0] = 50;
        watchdog[2] = 3;
    } else {
        semihost_print("R"); /* the test script resets the machine */
    }
    for (;;)
        ;
}

void nmi_handler(void);
void nmi_handler(void)
{
    for (;;) /* the watchdog's second expiry is the reset */
        ;
}

/* ---- the run that is cut off ------------------------------------------------------------------------------------- */

static void arm(uint32_t delay)
{
    *(volatile uint32_t *)0xE000E100u = 1u << BOARD_TIMER1_IRQ;
    state->is_armed = true;
    __asm volatile("" ::: "memory");
    BOARD_TIMER1->reload = 0xFFFFFFFFu;
    BOARD_TIMER1->value = delay;
    BOARD_TIMER1->ctrl = 9;
}

static void disarm(void)
{
    BOARD_TIMER1->ctrl = 0;
    BOARD_TIMER1->intstatus = 1;
    *(volatile uint32_t *)0xE000E280u = 1u << BOARD_TIMER1_IRQ;
    __asm volatile("dsb\n\tisb" ::: "memory"); /* an interrupt that was pending comes now or never */
    state->is_armed = false;
}

/* Cuts the run off. A reset leaves nothing but memory. If memory is what it was at the previous reset, and the
 * instruction is not new either, the run ends without a reset, and memory is only checked. */
__attribute__((used)) void reset_at(uint32_t *frame)
{
    uint32_t pc = frame[6], bit = 1u << pc / 2u % 32u;
    BOARD_TIMER1->ctrl = 0;
    BOARD_TIMER1->intstatus = 1;
    if (pc >= CODE_BYTES)
        reset_fail("an address outside the code", pc);
    struct walk *walk = current_walk();
    walk->pc_before = walk->pc;
    walk->pc = pc;
    walk->is_new_pc = state->phase == SWEEP && (state->hit[state->kind][pc / 64u] & bit) == 0;
    walk->is_new = !same(state->cut[walk - state->walk].word, __start_tlog_chunks, words());
    state->hit[state->kind][pc / 64u] |= bit;
    if (walk->is_new || walk->is_new_pc || state->kind != RESET_KIND_REQUEST)
        reset(state->kind);
    frame[6] = (uint32_t)(uintptr_t)start_again & ~1u;
    frame[7] = 0x01000000u;
}

void irq_9_handler(void);
__attribute__((naked)) void irq_9_handler(void)
{
    __asm volatile("mov r0, sp\n\tb reset_at");
}

static void log_one(volatile struct reset_run *run, uint32_t n)
{
    uint32_t what = state->now.seq << 8 | n;
    run->begun = n + 1u;
    TRACER_LOGEVENT(FTrace_EVT_user_event_0, reset_hash(what), what);
    run->returned = n + 1u;
}

/* One run: from the first event, which starts the ring, through all its chunks and into the next lap, with a name in
 * between. */
static void run(uint32_t delay, uint32_t events)
{
    save(&state->now);
    state->now.seq++;
    volatile struct reset_run *entry = &state->now.run[state->now.seq % RUNS_KNOWN];
    entry->begun = entry->returned = entry->named = 0;
    if (delay)
        arm(delay);
    for (uint32_t n = 0; n < events; n++) {
        log_one(entry, n);
        if (n == 1) {
            tlog_name(TLOG_NAME_TASK, state->now.seq & 0xFFFFu, "task");
            entry->named = 1;
        }
    }
    if (delay)
        disarm();
}

static void check(void)
{
    const struct reset_layout events = {0, EVENT_BANK, EVENT_CHUNK, TLOG_CHUNKS, TLOG_SLOTS, TLOG_ROLE_EVENTS};
    const struct reset_layout names = {BANKS * EVENT_BANK,
                                       TLOG_CHUNK_BYTES(TLOG_NAME_SLOTS, 0u),
                                       TLOG_CHUNK_BYTES(TLOG_NAME_SLOTS, 0u),
                                       1,
                                       TLOG_NAME_SLOTS,
                                       TLOG_ROLE_NAMES};
    const struct reset_run *entry = &state->now.run[state->now.seq % RUNS_KNOWN];
    reset_check(&events, state->now.word, entry, state->now.seq);
    reset_check(&names, state->now.word, entry, state->now.seq);
}

/* ---- the next step ----------------------------------------------------------------------------------------------- */

static bool is_one_loop(uint32_t pc, uint32_t other)
{
    const uintptr_t begin[] = {(uintptr_t)tlog_ring_crc, (uintptr_t)tlog_ring_find, (uintptr_t)tlog_ring_bank};
    bool is_one = pc - other + NEAR <= 2u * NEAR;
    for (uint32_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
        is_one = is_one && (pc >= (begin[i] & ~1u)) == (other >= (begin[i] & ~1u));
    return is_one;
}

/* Where code runs in a loop that writes nothing, such as the CRC, the delay grows in leaps. If a leap ended outside
 * that loop, or after memory had changed, it is taken back, and its ticks are tried one by one. */
static void next_delay(struct walk *walk)
{
    bool is_new = walk->is_new || walk->is_new_pc;
    if (state->kind != RESET_KIND_REQUEST) {
        walk->delay = ++state->at < state->noted[state->scenario] ? state->note[state->scenario][state->at] : NEVER;
        return;
    }
    if (walk->leap && (is_new || !is_one_loop(walk->pc, walk->pc_before))) {
        walk->delay -= walk->leap;
        walk->slow = walk->leap + SLOW;
    } else if (is_new) {
        walk->slow = SLOW;
    }
    walk->leap = walk->slow == 0 ? LEAP : 0;
    walk->slow -= walk->slow > 0;
    walk->delay += walk->leap ? walk->leap : 1u;
}

static void start_walk(uint32_t number, uint32_t delay)
{
    struct walk *walk = &state->walk[number];
    walk->delay = delay;
    walk->slow = SLOW;
    walk->leap = 0;
    state->cut[number].word[0] = ~__start_tlog_chunks[0]; /* so that the first content counts as new */
}

static void start_scenario(uint32_t scenario)
{
    state->scenario = scenario;
    state->phase = SWEEP;
    state->at = 0;
    start_walk(0, state->kind == RESET_KIND_REQUEST ? FIRST_DELAY : state->note[scenario][0]);
}

static _Noreturn void end(void)
{
    print_number("", state->resets);
    print_number(" resets, ", state->images);
    print_number(" contents of memory, ", state->pairs);
    semihost_print(" pairs\n");
    semihost_write_file("hits.bin", state->hit, sizeof(state->hit));
    semihost_exit(0);
}

/* Makes three older runs. The number of the first is set so that the numbers of the others wrap. */
static void set_up(void)
{
    uint32_t made = state->scenario;
    check();
    if (made == 1)
        reset_renumber(__start_tlog_chunks, words(), 0xFFFFFFFEu);
    save(&state->snap[made]);
    if (made < BANKS) {
        state->scenario++;
        run(0, EVENTS);
        reset(RESET_KIND_REQUEST);
    }
    start_scenario(state->mode == RESET_MODE_PAIRS ? RESET_PAIR_FIRST : 0);
}

static _Noreturn void sweep(void)
{
    restore(&state->snap[state->scenario]);
    run(state->mode == RESET_MODE_DRY ? 0 : state->walk[0].delay, EVENTS);
    check();
    if (state->scenario == BANKS && ++state->kind >= state->kinds)
        end();
    start_scenario((state->scenario + 1u) % SNAPS);
    start_again();
}

static void note_delay(void)
{
    uint32_t *n = &state->noted[state->scenario];
    if (*n == NOTES)
        reset_fail("no room for delays", NOTES);
    state->note[state->scenario][(*n)++] = state->walk[0].delay;
}

/* After a reset that has cut off the run. */
static void recover(void)
{
    struct walk *walk = &state->walk[0];
    bool is_first = walk->is_new || walk->is_new_pc;
    check();
    state->images += walk->is_new;
    if (state->kind == RESET_KIND_REQUEST && is_first)
        note_delay();
    if (is_first || state->kind != RESET_KIND_REQUEST) {
        save(&state->cut[0]);
        if (walk->is_new && state->mode == RESET_MODE_PAIRS && state->images % RESET_PAIR_EACH == 0) {
            state->phase = PAIR;
            start_walk(1, FIRST_DELAY);
            return;
        }
        run(0, SHORT);
        check();
    }
    next_delay(walk);
    start_again();
}

/* Makes the run after a reset, which is cut off as well. */
static _Noreturn void pair(void)
{
    restore(&state->cut[0]);
    run(state->walk[1].delay, SHORT);
    check();
    state->phase = SWEEP;
    next_delay(&state->walk[0]);
    start_again();
}

static _Noreturn void recover_again(void)
{
    struct walk *walk = &state->walk[1];
    check();
    state->pairs += walk->is_new;
    if (walk->is_new) {
        save(&state->cut[1]);
        run(0, SHORT);
        check();
    }
    next_delay(walk);
    start_again();
}

static void initialize(void)
{
    uint32_t mode = state->mode, kinds = state->kinds;
    for (uint32_t i = 0; i < sizeof(*state) / 4u; i++)
        ((volatile uint32_t *)state)[i] = 0;
    state->mode = mode;
    state->kinds = kinds;
    reset_fill(__start_tlog_chunks, words(), 1);
    state->magic = MAGIC;
    save(&state->now);
}

int main(void)
{
    if (words() > WORDS)
        reset_fail("words of chunks", words());
    if (state->mode == RESET_MODE_NOISE)
        reset_noise();
    if (state->magic != MAGIC)
        initialize();
    bool was_cut = state->is_armed;
    state->is_armed = false;
    if (state->phase == SETUP)
        set_up();
    else if (state->phase == SWEEP && was_cut)
        recover();
    else if (state->phase == PAIR && was_cut)
        recover_again();
    if (state->phase == PAIR)
        pair();
    sweep();
}
