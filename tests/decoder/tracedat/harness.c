/* harness.c - see harness.h. The lines that trace-cmd report must print are made here from the events, without any code
 * of the writer. */
#define _GNU_SOURCE

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- writes that fail -------------------------------------------------------------------------------------------- */

struct disk disk;
struct variant variant;
struct trace_options options;

static const struct variant plain = {.name = "default", .writer = &writer_tracedat};

static ssize_t faulty_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    unsigned number = __atomic_fetch_add(&disk.count, 1, __ATOMIC_SEQ_CST);
    bool hit = disk.fault != NO_FAULT && number == disk.at;
    if (hit && disk.fault != CUT) {
        errno = disk.fault == FAIL ? EIO : EINTR;
        return -1;
    }
    if ((uint64_t)offset >= disk.drop_from && (uint64_t)offset + size <= disk.drop_to)
        return (ssize_t)size;
    return syscall(SYS_pwrite64, fd, bytes, hit ? (size + 1) / 2 : size, offset);
}

/* The C library knows the call by two names. */
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    return faulty_pwrite(fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
    return faulty_pwrite(fd, bytes, size, offset);
}

/* The writer reserves room in the file before it writes. Here it cannot, so that holes stay holes. */
int fallocate(int fd, int mode, off_t offset, off_t size)
{
    (void)fd, (void)mode, (void)offset, (void)size;
    errno = EOPNOTSUPP;
    return -1;
}

int fallocate64(int fd, int mode, off64_t offset, off64_t size)
{
    return fallocate(fd, mode, offset, size);
}

/* ---- a trace and the lines it must become ------------------------------------------------------------------------ */

struct trace trace;
struct trace_batch batch;
unsigned batch_cpu;
void *writer;
int file;
char directory[] = "/tmp/test_tracedat_XXXXXX";
char path[64];
const char *judges; /* directory of the checkers */
struct line lines[MAX_LINES];
unsigned nlines;
uint64_t nevents, nlost, nmarks;

int set_up(void **state)
{
    (void)state;
    trace_init(&trace, "test");
    trace.ncpus = 1;
    trace.clock_hz = SECOND;
    trace.target = "a board";
    options = variant.options;
    batch.n = batch.used = 0;
    batch_cpu = 0;
    nlines = 0;
    nevents = nlost = nmarks = 0;
    memset(&disk, 0, sizeof disk);
    snprintf(path, sizeof path, "%s/t.dat", directory);
    file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    close(file);
    trace_free(&trace);
    return 0;
}

void begin(unsigned ncpus)
{
    trace.ncpus = ncpus;
    writer = variant.writer->open(&trace, &options, file);
    assert_non_null(writer);
}

void flush(void)
{
    if (batch.n > 0)
        assert_int_equal(variant.writer->write(writer, batch_cpu, &batch), 0);
    batch.n = batch.used = 0;
}

void finish(void)
{
    flush();
    assert_int_equal(variant.writer->close(writer, true), 0);
    assert_false(trace.failed);
}

void give(unsigned cpu, const struct tlog_event *event)
{
    void *room;
    if (cpu != batch_cpu || batch.n == TRACE_BATCH_EVENTS)
        flush();
    batch_cpu = cpu;
    room = trace_batch_room(&batch, event->size);
    if (room == NULL) {
        flush();
        room = trace_batch_room(&batch, event->size);
    }
    assert_non_null(room);
    if (event->size)
        memcpy(room, event->data, event->size);
    batch.event[batch.n] = *event;
    batch.event[batch.n++].data = room;
}

static struct line *new_line(unsigned cpu, uint64_t time)
{
    struct line *line = &lines[nlines];
    assert_true(nlines < MAX_LINES);
    line->time = time;
    line->cpu = cpu;
    line->number = nlines++;
    return line;
}

void expect(unsigned cpu, uint64_t time, uint32_t task, const char *name, const char *info)
{
    const char *known = task != 0 ? trace_name(&trace, TRACE_NAME_TASK, task) : "<idle>";
    char colon[64];
    struct line *line = new_line(cpu, time);
    snprintf(colon, sizeof colon, "%s:", name);
    snprintf(line->text, sizeof line->text, "%16s-%-5" PRIu32 " [%03u] %5" PRIu64 ".%09" PRIu64 ": %-21s %s\n",
             known != NULL ? known : "<...>", task, cpu, time / SECOND, time % SECOND, colon, info);
    nevents++;
}

void expect_loss(unsigned cpu, uint64_t time, uint64_t count)
{
    struct line *line = new_line(cpu, time);
    if (count)
        snprintf(line->text, sizeof line->text, "CPU:%u [%" PRIu64 " EVENTS DROPPED]\n", cpu, count);
    else
        snprintf(line->text, sizeof line->text, "CPU:%u [EVENTS DROPPED]\n", cpu);
    nlost += count;
    nmarks++;
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

const struct tlog_field pair_fields[2] = {{"par1", TLOG_KIND_UNSIGNED, 0, 4}, {"par2", TLOG_KIND_HEX, 4, 4}};
const struct tlog_type pair = {.system = "shark", .name = "pair", .size = 8, .nfields = 2, .fields = pair_fields};
const struct tlog_type lost = {.system = "tlog", .name = "lost", .means = TLOG_MEANS_LOSS, .size = 8};
const struct tlog_type damage = {.system = "tlog", .name = "damage", .means = TLOG_MEANS_DAMAGE, .size = 8};

void put_number(unsigned char *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

void add_pair_as(unsigned cpu, uint64_t time, uint64_t shown, uint32_t par1)
{
    unsigned char data[8];
    char info[64];
    put_number(data, par1, 4);
    put_number(data + 4, par1 * 3, 4);
    give(cpu, &(struct tlog_event){
                  .time = time, .data = data, .task = 1 + par1 % 5, .type = trace_type(&trace, &pair), .size = 8});
    snprintf(info, sizeof info, "par1=%" PRIu32 " par2=0x%" PRIx32, par1, par1 * 3);
    expect(cpu, shown, 1 + par1 % 5, "pair", info);
}

void add_pair(unsigned cpu, uint64_t time, uint32_t par1)
{
    add_pair_as(cpu, time, time, par1);
}

void add_loss(unsigned cpu, const struct tlog_type *type, uint64_t time, uint64_t count)
{
    unsigned char data[8];
    put_number(data, count, 8);
    give(cpu, &(struct tlog_event){.time = time, .data = data, .task = 9, .type = trace_type(&trace, type), .size = 8});
}

/* ---- events of all sorts ----------------------------------------------------------------------------------------- */

void add_kinds(unsigned cpu, uint64_t time)
{
    static const struct tlog_field fields[] = {
        {"u1", TLOG_KIND_UNSIGNED, 0, 1},  {"s1", TLOG_KIND_SIGNED, 1, 1},      {"u2", TLOG_KIND_UNSIGNED, 2, 2},
        {"s2", TLOG_KIND_SIGNED, 4, 2},    {"h1", TLOG_KIND_HEX, 6, 1},         {"h2", TLOG_KIND_HEX, 8, 2},
        {"u4", TLOG_KIND_UNSIGNED, 12, 4}, {"s4", TLOG_KIND_SIGNED, 16, 4},     {"h4", TLOG_KIND_HEX, 20, 4},
        {"u8", TLOG_KIND_UNSIGNED, 24, 8}, {"s8", TLOG_KIND_SIGNED, 32, 8},     {"h8", TLOG_KIND_HEX, 40, 8},
        {"name", TLOG_KIND_CHARS, 48, 8},  {"longer", TLOG_KIND_CHARS, 56, 16},
    };
    static const struct tlog_type type = {
        .system = "all_kinds", .name = "Kinds_1", .size = 72, .nfields = 14, .fields = fields};
    static const uint64_t values[] = {0,
                                      1,
                                      0x7F,
                                      0x7FFF,
                                      0x7FFFFFFF,
                                      0x7FFFFFFFFFFFFFFF,
                                      0x0123456789ABCDEF,
                                      0x8080808080808080,
                                      UINT64_MAX,
                                      UINT64_MAX - 1};
    unsigned char data[72];
    char info[300];
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint64_t value = values[i];
        memset(data, 0, sizeof data);
        for (unsigned k = 0; k < 12; k++)
            put_number(data + fields[k].offset, value, fields[k].size);
        memcpy(data + 48, "1234567", 7);
        memcpy(data + 56, "fifteen letters", 15);
        give(cpu, &(struct tlog_event){
                      .time = time + i, .data = data, .task = 3, .type = trace_type(&trace, &type), .size = 72});
        snprintf(info, sizeof info,
                 "u1=%u s1=%d u2=%u s2=%d h1=0x%x h2=0x%x u4=%u s4=%d h4=0x%x u8=%" PRIu64 " s8=%" PRId64
                 " h8=0x%" PRIx64 " name=1234567 longer=fifteen letters",
                 (unsigned)(uint8_t)value, (int)(int8_t)value, (unsigned)(uint16_t)value, (int)(int16_t)value,
                 (unsigned)(uint8_t)value, (unsigned)(uint16_t)value, (unsigned)value, (int)(int32_t)value,
                 (unsigned)value, value, (int64_t)value, value);
        expect(cpu, time + i, 3, "Kinds_1", info);
    }
}

static const struct tlog_field text_fields[] = {
    {"id", TLOG_KIND_UNSIGNED, 0, 4}, {"text", TLOG_KIND_STRING, 4, 4}, {"more", TLOG_KIND_STRING, 8, 4}};
const struct tlog_type text_type = {.system = "qnx", .name = "text", .size = 12, .nfields = 3, .fields = text_fields};

void add_texts(unsigned cpu, uint64_t time, unsigned id, unsigned first, unsigned second)
{
    unsigned char data[TRACE_PAYLOAD_MAX] = {0};
    char info[300];
    put_number(data, id, 4);
    put_number(data + 4, 12 | (first + 1) << 16, 4);
    put_number(data + 8, (12 + first + 1) | (second + 1) << 16, 4);
    memset(data + 12, 'a', first);
    memset(data + 12 + first + 1, 'Z', second);
    give(cpu, &(struct tlog_event){.time = time,
                                   .data = data,
                                   .task = 2,
                                   .type = trace_type(&trace, &text_type),
                                   .size = (uint16_t)(12 + first + 1 + second + 1)});
    snprintf(info, sizeof info, "id=%u text=%.*s more=%.*s", id, (int)first, (char *)data + 12, (int)second,
             (char *)data + 12 + first + 1);
    expect(cpu, time, 2, "text", info);
}

/* ---- judges ------------------------------------------------------------------------------------------------------ */

char *run(const char *format, ...)
{
    char command[1024], part[4096];
    char *text = NULL;
    size_t size = 0, n;
    va_list arguments;
    FILE *pipe, *memory = open_memstream(&text, &size);
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    pipe = popen(command, "r");
    assert_true(pipe != NULL && memory != NULL);
    while ((n = fread(part, 1, sizeof part, pipe)) > 0)
        fwrite(part, 1, n, memory);
    fclose(memory);
    n = (size_t)pclose(pipe);
    if (n != 0)
        fail_msg("%s: status %zu: %s", command, n, text);
    return text;
}

void run_prints(const char *expected, const char *format, ...)
{
    char command[1024];
    va_list arguments;
    char *text;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    text = run("%s", command);
    if (strcmp(text, expected) != 0)
        fail_msg("%s\nprints   %s\nand not  %s", command, text, expected);
    free(text);
}

/* For qsort(): the order of trace-cmd report. */
static int line_order(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    if (left->cpu != right->cpu)
        return left->cpu < right->cpu ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

void judge_lines(const char *name)
{
    char *text = run("trace-cmd report -t %s/%s 2>&1", directory, name);
    char *at = strchr(text, '\n'); /* cpus=N */
    assert_non_null(at);
    at++;
    for (unsigned i = 0; i < nlines; i++) {
        if (strncmp(at, lines[i].text, strlen(lines[i].text)) != 0)
            fail_msg("%s, line %u is   %.150s\nand not  %s", name, i, at, lines[i].text);
        at += strlen(lines[i].text);
    }
    assert_string_equal(at, "");
    free(text);
}

/* check_tracedat and check_kshark count events, losses and marks. */
static void judge_checkers(void)
{
    uint64_t first = 0, last = 0;
    char expected[256];
    for (unsigned i = 0; i < nlines; i++) {
        first = first != 0 ? first : lines[i].time;
        last = lines[i].time;
    }
    snprintf(expected, sizeof expected,
             "events %" PRIu64 " lost %" PRIu64 " cpus %u first %" PRIu64 " last %" PRIu64 " unknown 0 disordered 0\n",
             nevents, nlost, trace.ncpus, first, last);
    run_prints(expected, "%s/check_tracedat %s", judges, path);
    free(run("%s/check_kshark %s | grep -q '^entries %" PRIu64 " marks %" PRIu64 " '", judges, path, nevents, nmarks));
}

/* trace-cmd convert makes files of other versions that have the same events. */
static void judge_conversions(void)
{
    free(run("cd %s && trace-cmd convert -i t.dat -o z.dat --file-version 7 --compression zstd 2>&1", directory));
    judge_lines("z.dat");
    free(run("cd %s && trace-cmd convert -i t.dat -o 6.dat --file-version 6 2>&1", directory));
    judge_lines("6.dat");
    free(run("cd %s && trace-cmd convert -i 6.dat -o 7.dat --file-version 7 --compression none 2>&1", directory));
    judge_lines("7.dat");
}

/* trace-cmd split makes new pages. */
static void judge_split(void)
{
    free(run("cd %s && rm -f s.dat* && trace-cmd split -i t.dat -o s.dat 2>&1", directory));
    judge_lines("s.dat.1");
}

void judge_all_but_split(void)
{
    qsort(lines, nlines, sizeof lines[0], line_order);
    free(run("trace-cmd dump --all %s", path));
    run_prints("", "trace-cmd report --verbose=warning --check-events %s 2>&1 >%s/out", path, directory);
    judge_lines("t.dat");
    run_prints("", "trace-cmd report -t --ts-check %s 2>&1 >%s/out | grep . ; grep WARNING %s/out; true", path,
               directory, directory);
    judge_checkers();
    if (!variant.no_convert)
        judge_conversions();
}

void judge(void)
{
    judge_all_but_split();
    if (!variant.no_split)
        judge_split();
}

void read_file(void *to, size_t size, off_t offset)
{
    assert_int_equal(pread(file, to, size, offset), size);
}

uint64_t number_in_file(off_t offset, unsigned size)
{
    unsigned char bytes[8];
    uint64_t value = 0;
    read_file(bytes, size, offset);
    for (unsigned i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Name and version of the compression stand behind byte 18, then the place of the options. */
off_t prologue_size(char *version, size_t room)
{
    char bytes[64];
    size_t name;
    read_file(bytes, sizeof bytes, 18);
    bytes[sizeof bytes - 1u] = '\0';
    name = strlen(bytes) + 1u;
    assert_true(name < 8u && strlen(bytes + name) < room);
    strcpy(version, bytes + name);
    return (off_t)(18u + name + strlen(version) + 1u + 8u);
}

/* Pages of events in the file: the flyrecord section begins at 32, its size stands at 40, its content at 48. */
uint64_t pages_in_file(void)
{
    uint64_t end = 48 + number_in_file(40, 8);
    assert_int_equal(end % 4096, 0);
    return end / 4096 - 1;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

int use_default(void **state)
{
    variant = plain;
    return set_up(state);
}

static int use_variant(void **state)
{
    variant = *(const struct variant *)*state;
    return set_up(state);
}

struct CMUnitTest test(const char *name, CMUnitTestFunction function)
{
    return (struct CMUnitTest){
        .name = name, .test_func = function, .setup_func = use_default, .teardown_func = tear_down};
}

int run_variant(const struct variant *with, const struct named *list, unsigned n)
{
    struct variant copy = *with;
    struct CMUnitTest tests[VARIANT_TESTS];
    char names[VARIANT_TESTS][128];
    for (unsigned i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s", with->name, list[i].name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = list[i].function,
                                       .setup_func = use_variant,
                                       .teardown_func = tear_down,
                                       .initial_state = &copy};
    }
    return _cmocka_run_group_tests(with->name, tests, n, NULL, NULL);
}

void begin_tests(void)
{
    judges = getenv("BUILD") != NULL ? getenv("BUILD") : "build";
    if (mkdtemp(directory) == NULL)
        exit(1);
}

int end_tests(int failed)
{
    if (!failed)
        free(run("rm -r %s", directory));
    return failed;
}
