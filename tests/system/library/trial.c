/* trial.c - does with the library what programs may do. Inputs come at once, by a function, and in pieces of every
 * size, and must give the same; reading fails at each call; decoders are freed at each step; calls come in the wrong
 * order; two threads decode at the same time.
 * usage: trial pieces|failing|freed|threads {FORMAT FILE ELF}...     ("-": no format, no ELF file)
 *        trial misuse DUMP
 * The sanitizers judge memory and threads; files that are left open are counted here.
 */
#include "tlog_decode.h"

#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a decoder gave out ------------------------------------------------------------------------------------- */

struct text {
    char *at;
    size_t n, room;
};

/* Add to a text. Its NUL is always there. */
static void add(struct text *text, const char *bytes, size_t n)
{
    if (text->n + n + 1u > text->room) {
        text->room = 2u * (text->n + n) + 4096u;
        text->at = realloc(text->at, text->room);
        if (text->at == NULL)
            exit(2);
    }
    memcpy(text->at + text->n, bytes, n);
    text->n += n;
    text->at[text->n] = '\0';
}

__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add(text, line, strlen(line));
}

/* Add a text in which @ stands for the input's name, which depends on how its bytes came. */
static void print_unnamed(struct text *text, const char *from, const char *name)
{
    for (const char *at; (at = strstr(from, name)) != NULL; from = at + strlen(name)) {
        add(text, from, (size_t)(at - from));
        add(text, "@", 1);
    }
    add(text, from, strlen(from));
}

static void print_event(struct text *text, const struct tlog_events *events, const struct tlog_event *event)
{
    const struct tlog_type *type = events->types[event->type];
    print(text, "%u %" PRIu64 "+%u %s:%s %" PRIu32 " %x %u %u", events->cpu, event->time, event->rest, type->system,
          type->name, event->task, event->flags, event->group, event->context);
    for (unsigned i = 0; i < event->size; i++)
        print(text, "%s%02x", i == 0 ? " " : "", event->data[i]);
    for (unsigned i = 0; i < type->nfields; i++) {
        size_t length = 0;
        const char *string = tlog_event_string(event, &type->fields[i], &length);
        print(text, " %s=%" PRIu64 "%.*s", type->fields[i].name, tlog_event_number(event, &type->fields[i]),
              (int)length, string != NULL ? string : "");
    }
    add(text, "\n", 1);
}

/* ---- one decoder ------------------------------------------------------------------------------------------------- */

struct input {
    const char *format, *path, *elf;
    unsigned char *data;
    size_t size;
};

/* How an input's bytes come to the decoder. */
enum way { BY_PATH, BY_FUNCTION, IN_PIECES, IN_RANDOM_PIECES };

/* A run of a decoder. */
struct run {
    const struct input *input;
    enum way way;
    size_t piece; /* its size; or the seed of the sizes */
    bool by_cpu;
    unsigned calls, fail_at; /* of the function that reads: it fails at that call, */
    bool fail_on, half;      /* and at all behind it; or it reads the half */
    unsigned stop;           /* free the decoder after so many steps; 0 = at the end */
    struct text out;
};

static const char *name_of(const struct run *run)
{
    return run->way == BY_PATH || run->way == BY_FUNCTION ? run->input->path : "the bytes";
}

static void tell(void *ctx, const struct tlog_message *message)
{
    struct run *run = ctx;
    print(&run->out, "told %d %s: ", (int)message->told, message->input != NULL ? "@" : "-");
    if (message->input != NULL && strcmp(message->input, name_of(run)) != 0)
        print(&run->out, "of %s: ", message->input);
    print_unnamed(&run->out, message->text, name_of(run));
    print(&run->out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", message->offset, message->length,
          message->events, message->number);
}

static size_t read_bytes(void *ctx, uint64_t offset, void *to, size_t n)
{
    struct run *run = ctx;
    run->calls++;
    if (offset > run->input->size || n > run->input->size - offset) {
        printf("%s: asked for bytes beyond the end\n", run->input->path);
        exit(1);
    }
    if (run->calls == run->fail_at || (run->fail_on && run->fail_at != 0 && run->calls > run->fail_at))
        n = run->half ? n / 2u : 0;
    memcpy(to, run->input->data + offset, n);
    return n;
}

/* Whether the decoder is to be freed now. */
static bool stops(struct run *run)
{
    return run->stop != 0 && --run->stop == 0;
}

/* Give the decoder the input. 0, or -1 as the library has it; 1: stopped. */
static int feed(struct run *run, struct tlog_decoder *decoder)
{
    const struct input *input = run->input;
    const struct tlog_bytes bytes = {input->path, input->size, read_bytes, run};
    uint32_t random = (uint32_t)run->piece * 2654435761u + 1u;
    if (run->way == BY_PATH)
        return tlog_decoder_open(decoder, input->path);
    if (run->way == BY_FUNCTION)
        return tlog_decoder_open_bytes(decoder, &bytes);
    for (size_t at = 0, n; at < input->size; at += n) {
        random = random * 1664525u + 1013904223u;
        n = run->way == IN_PIECES ? run->piece : random >> 8u >> (random & 15u);
        n = n < input->size - at ? n : input->size - at;
        if (tlog_decoder_push(decoder, input->data + at, n) != 0)
            return -1;
        if (stops(run))
            return 1;
    }
    return tlog_decoder_finish(decoder);
}

/* Read all events, of all CPUs or of one after the other. Returns the last result; TLOG_MORE: stopped. */
static enum tlog_result read_all(struct run *run, struct tlog_decoder *decoder)
{
    struct tlog_events events = {.n = 0};
    struct tlog_info info;
    enum tlog_result result = TLOG_END;
    tlog_decoder_info(decoder, &info, sizeof info);
    for (unsigned cpu = 0; cpu < (run->by_cpu ? info.cpus : 1u); cpu++) {
        while (
            (result = run->by_cpu ? tlog_decoder_read_cpu(decoder, cpu, &events) : tlog_decoder_read(decoder, &events))
            == TLOG_EVENTS) {
            for (size_t i = 0; i < events.n; i++)
                print_event(&run->out, &events, &events.event[i]);
            if (stops(run))
                return TLOG_MORE;
        }
    }
    return result;
}

static void print_end(struct run *run, const struct tlog_decoder *decoder)
{
    const struct tlog_error *error = tlog_decoder_error(decoder);
    struct tlog_info info;
    char name[TLOG_SHOWN_BYTES];
    tlog_decoder_info(decoder, &info, sizeof info);
    print(&run->out, "error %d %" PRIu64 " ", error->has_offset, error->offset);
    print_unnamed(&run->out, error->text, name_of(run));
    print(&run->out, "\n%s %s %u %d", info.format != NULL ? info.format : "-", info.target != NULL ? info.target : "-",
          info.cpus, info.other_firmware);
    for (const uint64_t *number = &info.clock_hz; number <= &info.last; number++)
        print(&run->out, " %" PRIu64, *number);
    add(&run->out, "\n", 1);
    for (int kind = TLOG_KIND_UNSIGNED; kind <= TLOG_KIND_WORDS; kind++) {
        for (uint64_t number = 0; number < 70000u; number += number < 100u ? 1u : 997u) {
            if (tlog_decoder_name(decoder, (enum tlog_kind)kind, number, name))
                print(&run->out, "%d %" PRIu64 " %s\n", kind, number, name);
        }
    }
}

/* Decode. What came is in run->out. Returns whether there was no error. */
static bool decode(struct run *run)
{
    const struct tlog_options options = {
        .from = run->input->format, .elf = run->input->elf, .by_cpu = run->by_cpu, .sink = {.tell = tell, .ctx = run}};
    struct tlog_decoder *decoder = tlog_decoder_new(&options, sizeof options);
    enum tlog_result result = TLOG_MORE;
    int fed = stops(run) ? 1 : feed(run, decoder);
    bool good;
    if (fed == 0 && !stops(run))
        result = read_all(run, decoder);
    if (fed < 0 || result != TLOG_MORE)
        print_end(run, decoder);
    good = tlog_decoder_error(decoder)->text[0] == '\0';
    if (good != (fed >= 0 && result != TLOG_FAILED)) {
        printf("%s: what calls return, and the error, contradict each other\n", run->input->path);
        exit(1);
    }
    tlog_decoder_free(decoder);
    return good;
}

static bool is_same(const struct run *a, const struct run *b)
{
    return a->out.n == b->out.n && memcmp(a->out.at, b->out.at, a->out.n) == 0;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Write what came of an input into a file beside it. */
static void write_beside(const struct run *run, const char *suffix)
{
    char path[1024];
    const struct text *text = &run->out;
    FILE *file;
    snprintf(path, sizeof path, "%s.%s", run->input->path, suffix);
    file = fopen(path, "w");
    if (file != NULL && fwrite(text->at, 1, text->n, file) == text->n)
        fclose(file);
}

/* Fail unless a run gives what the first one gave. */
static void check_same(struct run *first, struct run *run)
{
    decode(run);
    if (!is_same(first, run)) {
        write_beside(first, "expected");
        write_beside(run, "got");
        printf("%s, way %d of %zu%s: differs, see the files .expected and .got there\n", run->input->path,
               (int)run->way, run->piece, run->by_cpu ? ", by CPU" : "");
        exit(1);
    }
    free(run->out.at);
}

static void try_pieces(const struct input *input)
{
    const size_t sizes[] = {1, 2, 3, 7, 64, 4096, input->size};
    for (int by_cpu = 0; by_cpu < 2; by_cpu++) {
        struct run first = {.input = input, .by_cpu = by_cpu != 0};
        decode(&first);
        check_same(&first, &(struct run){.input = input, .by_cpu = by_cpu != 0, .way = BY_FUNCTION});
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_same(&first,
                       &(struct run){.input = input, .by_cpu = by_cpu != 0, .way = IN_PIECES, .piece = sizes[i]});
        for (size_t seed = 1; seed <= 5; seed++)
            check_same(&first,
                       &(struct run){.input = input, .by_cpu = by_cpu != 0, .way = IN_RANDOM_PIECES, .piece = seed});
        if (by_cpu == 0)
            printf("%s: %zu bytes give %zu of text, in pieces of any size\n", input->path, input->size, first.out.n);
        free(first.out.at);
    }
}

/* ---- a function that fails --------------------------------------------------------------------------------------- */

/* With the function failing at a call, the decoder fails and names the input, or, if it could do without these bytes,
 * gives what it gives otherwise. Returns whether it failed; *called: whether there was such a call. */
static bool try_failure(struct run *good, struct run *run, bool *called)
{
    bool failed = !decode(run);
    *called = run->calls >= run->fail_at;
    if ((!failed && !is_same(good, run)) || (failed && strstr(run->out.at, "\nerror") == NULL && *run->out.at != 'e')
        || (failed && strchr(strstr(run->out.at, "error "), '@') == NULL)) {
        printf("%s: reading fails at call %u%s%s: %.300s\n", run->input->path, run->fail_at,
               run->fail_on ? " and on" : "", run->half ? ", which reads half" : "",
               failed ? strstr(run->out.at, "error ") : "no error, but another result");
        exit(1);
    }
    free(run->out.at);
    return failed;
}

static void try_failing(const struct input *input)
{
    struct run good = {.input = input, .way = BY_FUNCTION};
    unsigned failed = 0, tried = 0, step;
    decode(&good);
    step = good.calls / 150u + 1u;
    for (unsigned how = 0; how < 4; how++) {
        bool called = true;
        for (unsigned at = 1; called; at += at < 50u ? 1u : step) {
            struct run run = {
                .input = input, .way = BY_FUNCTION, .fail_at = at, .fail_on = (how & 1u) != 0, .half = how >= 2u};
            failed += try_failure(&good, &run, &called);
            tried++;
        }
    }
    printf("%s: %u calls that read, %u failures tried, %u told\n", input->path, good.calls, tried, failed);
    if (failed < tried / 2u)
        exit(1);
    free(good.out.at);
}

/* ---- freed in the middle ----------------------------------------------------------------------------------------- */

static void try_freed(const struct input *input)
{
    unsigned steps = 0;
    for (enum way way = BY_PATH; way <= IN_PIECES; way++) {
        for (unsigned stop = 1, left = 0; left == 0; stop += stop < 12u ? 1u : stop / 3u, steps++) {
            struct run run = {.input = input, .way = way, .piece = input->size / 5u + 1u, .stop = stop};
            decode(&run);
            left = run.stop;
            free(run.out.at);
        }
    }
    printf("%s: freed after each of %u steps\n", input->path, steps);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static void *thread(void *run)
{
    decode(run);
    return NULL;
}

/* Decode both inputs at the same time, and compare with what came of each alone. */
static void try_threads(const struct input *a, const struct input *b)
{
    for (enum way way = BY_PATH; way <= IN_RANDOM_PIECES; way++) {
        struct run run[2] = {{.input = a, .way = way, .piece = 64}, {.input = b, .way = way, .piece = 64}};
        pthread_t threads[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, thread, &run[i]);
        for (int i = 0; i < 2; i++) {
            struct run alone = {.input = run[i].input, .way = way, .piece = 64};
            decode(&alone); /* while the other thread may go on */
            pthread_join(threads[i], NULL);
            if (!is_same(&alone, &run[i])) {
                printf("%s and %s: a thread got other events than one that was alone\n", a->path, b->path);
                exit(1);
            }
            free(alone.out.at);
            free(run[i].out.at);
        }
    }
}

/* ---- misuse ------------------------------------------------------------------------------------------------------ */

static void check(bool right, const char *what)
{
    if (!right) {
        printf("misuse: %s\n", what);
        exit(1);
    }
}

/* Fail unless a decoder has that error; free it. */
static void check_error(struct tlog_decoder *decoder, const char *expected)
{
    struct tlog_events events;
    const char *text = tlog_decoder_error(decoder)->text;
    if (strcmp(text, expected) != 0) {
        printf("misuse: \"%s\" expected, got \"%s\"\n", expected, text);
        exit(1);
    }
    if (*expected != '\0') {
        check(tlog_decoder_open(decoder, "/dev/null") == -1 && tlog_decoder_push(decoder, "", 0) == -1
                  && tlog_decoder_finish(decoder) == -1 && tlog_decoder_read(decoder, &events) == TLOG_FAILED
                  && tlog_decoder_read_cpu(decoder, 0, &events) == TLOG_FAILED,
              "a decoder that has failed goes on");
        check(strcmp(tlog_decoder_error(decoder)->text, expected) == 0, "the first error does not stay");
    }
    tlog_decoder_free(decoder);
}

static struct tlog_decoder *with(const struct tlog_options *options)
{
    return tlog_decoder_new(options, sizeof *options);
}

/* A decoder that could not be made, for want of memory. */
static void misuse_null(void)
{
    struct tlog_info info = {.cpus = 7};
    char name[TLOG_SHOWN_BYTES];
    check(tlog_decoder_open_bytes(NULL, &(struct tlog_bytes){.size = 0}) == -1, "open_bytes of NULL");
    check(!tlog_decoder_name(NULL, TLOG_KIND_TASK, 1, name), "name of NULL");
    tlog_decoder_info(NULL, &info, sizeof info);
    check(info.cpus == 0 && info.format == NULL, "info of NULL");
    check_error(NULL, "no memory");
}

static void misuse_order(const char *dump)
{
    char error[600];
    struct tlog_events events = {.n = 7};
    struct tlog_decoder *decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_read(decoder, &events) == TLOG_MORE && events.n == 0, "read before open");
    check(tlog_decoder_read_cpu(decoder, 0, &events) == TLOG_MORE, "read_cpu before open");
    check(tlog_decoder_next(decoder, &events) == NULL, "next before open");
    check(tlog_decoder_open(decoder, dump) == 0 && tlog_decoder_open(decoder, dump) == -1, "open twice");
    snprintf(error, sizeof error, "%s: the decoder has an input already", dump);
    check_error(decoder, error);

    decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_open(decoder, dump) == 0 && tlog_decoder_push(decoder, "x", 1) == -1, "push after open");
    check_error(decoder, "the bytes: the decoder has an input already");

    decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_push(decoder, "x", 1) == 0 && tlog_decoder_open(decoder, dump) == -1, "open after push");
    check_error(decoder, error);

    decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_push(decoder, "x", 1) == 0 && tlog_decoder_read(decoder, &events) == TLOG_MORE, "read, pushed");
    check(tlog_decoder_finish(decoder) == -1, "finish of what is no dump");
    check_error(decoder, "no tlog, trace.dat, shark, kev, lttng dump found in the bytes (1 bytes)");

    decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_finish(decoder) == -1, "finish without a push");
    check_error(decoder, "no tlog, trace.dat, shark, kev, lttng dump found in the bytes (0 bytes)");
}

static void misuse_by_cpu(const char *dump)
{
    char error[600];
    struct tlog_events events;
    struct tlog_decoder *decoder = with(&(struct tlog_options){.by_cpu = true});
    snprintf(error, sizeof error, "%s: options.by_cpu tells how events are read", dump);
    check(tlog_decoder_open(decoder, dump) == 0, "open");
    check(tlog_decoder_read_cpu(decoder, 99, &events) == TLOG_END, "a CPU that is none");
    check(tlog_decoder_read(decoder, &events) == TLOG_FAILED, "read with by_cpu");
    check_error(decoder, error);
    decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_open(decoder, dump) == 0, "open");
    check(tlog_decoder_read_cpu(decoder, 0, &events) == TLOG_FAILED, "read_cpu without by_cpu");
    check_error(decoder, error);
}

static void misuse_options(const char *dump)
{
    struct {
        struct tlog_options now;
        uint64_t later[8];
    } newer = {{.from = "native"}, {1, 2, 3, 4, 5, 6, 7, 8}};
    struct {
        struct tlog_info now;
        uint64_t later[8];
    } told = {.later = {1, 2, 3}};
    struct tlog_options options = {.filter = "nonsense (", .from = "native"};
    struct tlog_decoder *decoder;
    check_error(with(&(struct tlog_options){.from = "nonsense"}), "options.from: there is no format nonsense");
    check_error(with(&(struct tlog_options){.filter = "pid ="}), "options.filter: column 5: more than an expression");
    check_error(tlog_decoder_new(&options, offsetof(struct tlog_options, filter)), "");
    decoder = tlog_decoder_new(&newer.now, sizeof newer);
    check(tlog_decoder_open(decoder, dump) == 0, "options of a newer version");
    tlog_decoder_info(decoder, &told.now, sizeof told);
    check(strcmp(told.now.format, "native") == 0 && told.now.cpus > 0, "info of a newer version");
    check(told.later[0] == 0 && told.later[2] == 0, "members of a newer version's info are not 0");
    memset(&told, 1, sizeof told);
    tlog_decoder_info(decoder, &told.now, offsetof(struct tlog_info, cpus));
    check(told.now.cpus == 0x01010101u && told.now.target == NULL, "info of an older version");
    check_error(decoder, "");
    check_error(tlog_decoder_new(&options, 0), "");
    tlog_decoder_free(NULL);
}

/* Names of files that mean something else to the tool are names of files. */
static void misuse_names(void)
{
    struct tlog_decoder *decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_open(decoder, "-") == -1, "-");
    check_error(decoder, "-: No such file or directory");
    decoder = tlog_decoder_new(NULL, 0);
    check(tlog_decoder_open(decoder, "udp:0") == -1, "udp:0");
    check_error(decoder, "udp:0: No such file or directory");
    decoder = with(&(struct tlog_options){.elf = "/dev/null/none"});
    check(tlog_decoder_open(decoder, "/dev/null") == -1, "no ELF file");
    check_error(decoder, "/dev/null/none: Not a directory");
}

/* A program that shows its user commas still filters with points. trial.sh makes the locale. */
static void misuse_locale(void)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        printf("misuse: there is no locale with a comma: not tried\n");
        return;
    }
    check(strtod("0,5", NULL) > 0.4, "the locale has no comma");
    check_error(with(&(struct tlog_options){.filter = "pid > 2700.5 && pid < 1e9"}), "");
    check_error(with(&(struct tlog_options){.filter = "pid > 2700,5"}),
                "options.filter: column 11: more than an expression");
    setlocale(LC_ALL, "C");
}

/* ---- ------------------------------------------------------------------------------------------------------------ */

static unsigned open_files(void)
{
    unsigned n = 0;
    for (int file = 0; file < 1000; file++)
        n += fcntl(file, F_GETFD) != -1;
    return n;
}

static struct input get_input(char **argument)
{
    struct input input = {.path = argument[1]};
    FILE *file = fopen(input.path, "rb");
    input.format = strcmp(argument[0], "-") != 0 ? argument[0] : NULL;
    input.elf = strcmp(argument[2], "-") != 0 ? argument[2] : NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        exit(2);
    input.size = (size_t)ftell(file);
    input.data = malloc(input.size);
    rewind(file);
    if (input.data == NULL || fread(input.data, 1, input.size, file) != input.size)
        exit(2);
    fclose(file);
    return input;
}

static void try_all(const char *mode, const struct input *input, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(mode, "pieces") == 0)
            try_pieces(&input[i]);
        else if (strcmp(mode, "failing") == 0)
            try_failing(&input[i]);
        else if (strcmp(mode, "freed") == 0)
            try_freed(&input[i]);
        else if (strcmp(mode, "threads") == 0) {
            try_threads(&input[i], &input[i]);
            try_threads(&input[i], &input[(i + 1u) % n]);
        } else
            exit(2);
    }
}

int main(int argc, char **argv)
{
    struct input input[32];
    unsigned n = 0, files;
    if (argc < 3)
        return 2;
    files = open_files();
    if (strcmp(argv[1], "misuse") == 0) {
        misuse_null();
        misuse_order(argv[2]);
        misuse_by_cpu(argv[2]);
        misuse_options(argv[2]);
        misuse_names();
        misuse_locale();
    } else {
        for (; n < 32u && argc > 4 + 3 * (int)n; n++)
            input[n] = get_input(&argv[2 + 3 * n]);
        try_all(argv[1], input, n);
        while (n > 0)
            free(input[--n].data);
    }
    if (open_files() != files) {
        printf("%s: %u files are open, %u were\n", argv[1], open_files(), files);
        return 1;
    }
    printf("%s: as it should be\n", argv[1]);
}
