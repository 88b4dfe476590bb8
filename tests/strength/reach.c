/* reach.c - a QEMU plugin that records which instructions a sweep could interrupt: it sees every instruction executed.
 *
 * usage: qemu -plugin
 *     reach.so,levels=LEVELS,out=FILE,begin=HEX,arm=HEX,disarm=HEX,enter1=HEX,leave1=HEX,...[,mask=HEX]...
 *     [,unmask=HEX]... with mask and unmask after begin
 *
 * The program makes the same calls as the sweep, with interrupts up to level LEVELS - 1 only. What a context executes
 * between test_irq_armed() and test_irq_disarm() can be interrupted by the next level. LEVELS = 1: instructions of the
 * thread. 2: instructions of a handler, together with where it interrupted the thread. 3: instructions of a handler,
 * together with where it interrupted another handler and where that one interrupted the thread. Each call that the
 * thread makes is counted separately. What is executed with interrupts masked is not reachable and must not be hit.
 * begin is the address of test_code; addresses below it are ignored. Rows of hit maps (hits.h) are written to FILE at
 * the end. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hits_set.h"

/* ---- what is used of QEMU's plugin interface, version 1, for which no header is installed ------------------------ */

extern int qemu_plugin_version;
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*call)(uint64_t id, void *block));
void qemu_plugin_register_vcpu_insn_exec_cb(void *instruction, void (*call)(unsigned cpu, void *data), int flags,
                                            void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*call)(uint64_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const void *block);
void *qemu_plugin_tb_get_insn(const void *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const void *instruction);

int qemu_plugin_version = 1;

/* ---- arguments --------------------------------------------------------------------------------------------------- */

enum { MAX_LEVELS = 3, PLACES = HITS_WORDS * 32 };

static uint32_t begin, arm, disarm, enter[MAX_LEVELS + 1], leave[MAX_LEVELS + 1];
static bool masks[PLACES], unmasks[PLACES]; /* index: the instruction's address - test_code, in 2 bytes */
static int levels;
static const char *out;

static bool is_code(uint32_t pc)
{
    return pc - begin < PLACES * 2u;
}

static void note(bool *places, uint32_t pc)
{
    if (is_code(pc))
        places[(pc - begin) / 2u] = true;
}

static bool argument(const char *text)
{
    char name[16];
    uint32_t value;
    if (strncmp(text, "out=", 4) == 0) {
        out = strdup(text + 4);
        return true;
    }
    if (sscanf(text, "%15[a-z0-9]=%" SCNx32, name, &value) != 2)
        return false;
    const char digit = name[5];
    if (strcmp(name, "levels") == 0 && value - 1u < MAX_LEVELS)
        levels = (int)value;
    else if (strcmp(name, "begin") == 0)
        begin = value;
    else if (strcmp(name, "arm") == 0)
        arm = value;
    else if (strcmp(name, "disarm") == 0)
        disarm = value;
    else if (strncmp(name, "enter", 5) == 0 && digit >= '1' && digit <= '3')
        enter[digit - '0'] = value;
    else if (strncmp(name, "leave", 5) == 0 && digit >= '1' && digit <= '3')
        leave[digit - '0'] = value;
    else if (strcmp(name, "mask") == 0)
        note(masks, value);
    else if (strcmp(name, "unmask") == 0)
        note(unmasks, value);
    else
        return false;
    return true;
}

/* ---- what is executed -------------------------------------------------------------------------------------------- */

static struct hits_set reachable;

/* The contexts that run or are interrupted; each is interrupted by the next. */
static struct context {
    bool is_armed, is_masked;
    bool is_back; /* its interrupt has just returned: it continues with the next instruction */
} contexts[MAX_LEVELS + 1];
static int level;

/* What the innermost context has executed. Its row's prefix is known when all outer contexts have continued. */
static struct hits_row row;
static bool is_waiting;

/* The address of the call that the thread makes: the first code executed after test_irq_armed(). */
static uint32_t call;
static bool is_call_next;

static void go_on(uint32_t pc)
{
    contexts[level].is_back = false;
    is_waiting = is_waiting && is_code(pc) && contexts[level].is_armed; /* false if it is leaving test_irq_disarm() */
    row.prefix[level] = pc;
    row.prefix[HITS_CALL] = call;
    if (is_waiting && level == 0)
        hits_set_add(&reachable, &row);
}

static void execute_code(uint32_t pc)
{
    struct context *context = &contexts[level];
    uint32_t at = (pc - begin) / 2u;
    if (level == levels - 1 && context->is_armed && !context->is_masked)
        row.bits[at / 32u] |= 1u << at % 32u;
    if (masks[at])
        context->is_masked = true;
    if (unmasks[at])
        context->is_masked = false;
}

/* With LEVELS = 1 each call has a row of its own. */
static void end_call(void)
{
    row.prefix[HITS_CALL] = call;
    if (levels == 1 && call != 0)
        hits_set_add(&reachable, &row);
    if (levels == 1)
        row = (struct hits_row){0};
}

static void begin_call(void)
{
    contexts[level].is_armed = true;
    if (level > 0)
        return;
    end_call();
    is_call_next = true;
}

static void take(void)
{
    if (level >= levels - 1) {
        fprintf(stderr, "reach: interrupts deeper than %d\n", levels - 1);
        _Exit(2);
    }
    contexts[++level] = (struct context){0};
    if (level == levels - 1)
        row = (struct hits_row){0};
}

static void come_back(void)
{
    is_waiting = is_waiting || level == levels - 1;
    contexts[--level].is_back = true;
}

static bool enters(uint32_t pc)
{
    return level < levels && pc == enter[level + 1];
}

static void execute(unsigned cpu, void *data)
{
    const uint32_t pc = (uint32_t)(uintptr_t)data;
    (void)cpu;
    if (level == 0 && is_call_next && is_code(pc)) {
        call = pc;
        is_call_next = false;
    }
    if (contexts[level].is_back)
        go_on(pc);
    if (pc == arm)
        begin_call();
    else if (pc == disarm)
        contexts[level].is_armed = false;
    else if (enters(pc))
        take();
    else if (level > 0 && pc == leave[level])
        come_back();
    else if (is_code(pc))
        execute_code(pc);
}

/* ---- QEMU's calls ------------------------------------------------------------------------------------------------ */

static bool is_looked_at(uint32_t pc)
{
    bool is = is_code(pc) || pc == arm || pc == disarm;
    for (int i = 1; i <= MAX_LEVELS; i++)
        is |= pc == enter[i] || pc == leave[i];
    return is;
}

static void translate(uint64_t id, void *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        void *instruction = qemu_plugin_tb_get_insn(block, i);
        uint32_t pc = (uint32_t)qemu_plugin_insn_vaddr(instruction);
        if (is_looked_at(pc))
            qemu_plugin_register_vcpu_insn_exec_cb(instruction, execute, 0, (void *)(uintptr_t)pc);
    }
}

static void end(uint64_t id, void *data)
{
    (void)id, (void)data;
    end_call();
    if (!hits_set_write(&reachable, out))
        _Exit(2);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++)
        if (!argument(argv[i])) {
            fprintf(stderr, "reach: %s?\n", argv[i]);
            return -1;
        }
    if (levels == 0 || out == NULL) {
        fprintf(stderr, "reach: levels=, out=?\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
