/* page.c - see page.h. Files get the last part of their names; if that is taken, a folder of their own. */
#include "tool/page.h"

#include "base/heap.h"
#include "io/firmware/events_file.h"
#include "io/firmware/firmware.h"
#include "io/input.h"
#include "io/temp_file.h"
#include "io/tree.h"
#include "os/os_file.h"

#include <errno.h>
#include <string.h>

/* What is being filled. */
struct filling {
    struct trace_page *page;
    struct trace *trace; /* for errors */
};

static int no_memory(struct filling *to)
{
    return trace_fail(to->trace, "no memory for the page's files");
}

/* A name for an input in the page. The caller frees it. NULL: no memory. */
static char *choose_name(const struct trace_page *page, const char *path)
{
    const char *base = os_base_name(path);
    const char *last = input_is_received(path) ? "received" : base[0] != '\0' ? base : "directory";
    struct growing_text name = {0};
    text_add(&name, "%s", last);
    for (size_t i = 0; i < page->inputs.n && !name.failed; i++) {
        if (strcmp(page->inputs.text[i], name.bytes) != 0)
            continue;
        name.n = 0;
        text_add(&name, "%zu/%s", page->inputs.n + 1u, last);
    }
    return name.bytes;
}

/* Add a file; its texts become the page's. below: NULL, or its path in a directory. */
static int add_file(struct filling *to, struct trace_page_file file)
{
    struct trace_page *page = to->page;
    struct trace_page_file *more = NULL;
    if (file.name != NULL)
        more = heap_grow(page->file, page->nfiles, &page->room, sizeof *more);
    if (more == NULL) {
        heap_free(file.name);
        heap_free(file.below);
        if (file.own)
            input_close(file.input);
        return no_memory(to);
    }
    page->file = more;
    more[page->nfiles++] = file;
    return 0;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* Add all files of an input that is a directory. */
static int add_directory(struct filling *to, struct input *in, const char *name)
{
    struct tree_list list = {0};
    int result = 0;
    if (!tree_list_read(&list, input_directory(in)))
        result = trace_fail(to->trace, "%s: %s", input_name(in), strerror(errno));
    for (size_t i = 0; i < list.n && result == 0; i++) {
        const char *below = tree_list_file(&list, i);
        struct growing_text path = {0};
        if (below == NULL)
            continue;
        text_add(&path, "%s/%s", name, below);
        result = add_file(to, (struct trace_page_file){path.bytes, in, text_copy(below), false});
    }
    tree_list_free(&list);
    return result;
}

/* Refuse a trace.dat of version 7 whose blocks are compressed: the decoder in the page has no libraries for that. Its
 * header has, from byte 18 on, the method's name. */
static int check_blocks(struct filling *to, const struct input *in)
{
    static const char magic[] = "\x17\x08\x44tracing7";
    enum { METHOD = 18, HEAD = 32 };
    char head[HEAD + 1] = "";
    if (input_peek(in, 0, head, HEAD) < HEAD || memcmp(head, magic, sizeof magic) != 0
        || strcmp(head + METHOD, "none") == 0)
        return 0;
    return trace_fail(to->trace,
                      "%s: its blocks are compressed by %s, which the page cannot unpack; tlog-decode %s "
                      "--compress=none -o plain.dat unpacks them",
                      input_name(in), head + METHOD, input_name(in));
}

static int add_input(struct filling *to, struct input *in)
{
    char *name = choose_name(to->page, input_name(in));
    if (input_directory(in) < 0 && check_blocks(to, in) != 0) {
        heap_free(name);
        return -1;
    }
    if (name == NULL || !text_list_add(&to->page->inputs, name))
        return no_memory(to);
    if (input_directory(in) >= 0)
        return add_directory(to, in, name);
    return add_file(to, (struct trace_page_file){text_copy(name), in, NULL, false});
}

/* What comes by UDP tells its format only while it comes. */
static int add_hint(struct filling *to, const struct input *in)
{
    const char *hint = input_reader_hint(in);
    struct growing_text option = {0};
    if (hint == NULL)
        return 0;
    text_add(&option, "--from=%s", hint);
    return text_list_add(&to->page->options, option.bytes) ? 0 : no_memory(to);
}

/* ---- the firmware ------------------------------------------------------------------------------------------------ */

/* Write what the firmware's file tells into a temporary one. Its descriptor, or -1 after trace_fail(). */
static int save_events(struct trace *trace, const char *path)
{
    struct firmware_file *firmware = firmware_open(trace, path);
    int fd = firmware != NULL ? temp_file_open(trace, path) : -1;
    if (fd >= 0 && events_file_write(trace, fd) != 0) {
        os_close(fd);
        fd = -1;
    }
    firmware_close(firmware);
    return fd;
}

static int add_firmware(struct filling *to, const char *path)
{
    struct trace *own = heap_calloc(1, sizeof *own);
    struct input *in = NULL;
    int fd;
    if (own == NULL)
        return no_memory(to);
    trace_init(own, path);
    own->quiet = true;
    fd = save_events(own, path);
    if (fd < 0)
        trace_fail(to->trace, "%s", own->error);
    else
        in = input_adopt(to->trace, "firmware.events", fd);
    trace_free(own);
    heap_free(own);
    if (in == NULL)
        return -1;
    if (!text_list_add(&to->page->firmware, text_copy("firmware.events"))) {
        input_close(in);
        return no_memory(to);
    }
    return add_file(to, (struct trace_page_file){text_copy("firmware.events"), in, NULL, true});
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* A merged trace has the names of one firmware only. */
int decode_page_fill(struct trace_page *page, struct tlog_decoder *decoders, unsigned n)
{
    struct filling to = {page, &decoders->source.trace};
    const char *firmware = NULL;
    for (unsigned i = 0; i < n; i++) {
        const struct decode_source *source = &decoders[i].source;
        for (struct input *in = source->input; in != NULL; in = input_next(in)) {
            if (add_input(&to, in) != 0)
                return -1;
        }
        if (add_hint(&to, source->input) != 0)
            return -1;
        firmware = firmware != NULL ? firmware : source->elf_path != NULL ? source->elf_path : source->found;
    }
    return firmware != NULL ? add_firmware(&to, firmware) : 0;
}

void decode_page_free(struct trace_page *page)
{
    text_list_free(&page->options);
    text_list_free(&page->boards);
    text_list_free(&page->inputs);
    text_list_free(&page->firmware);
    for (size_t i = 0; i < page->nfiles; i++) {
        heap_free(page->file[i].name);
        heap_free(page->file[i].below);
        if (page->file[i].own)
            input_close(page->file[i].input);
    }
    heap_free(page->file);
    *page = (struct trace_page){0};
}
