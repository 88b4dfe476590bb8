/* test_os.c - the face of the operating system: files, directories, what is unfinished, threads. */
#include "base/heap.h"
#include "os/os_file.h"
#include "os/os_signal.h"
#include "os/os_thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64];
static int here;

static int set_up(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/test-os-XXXXXX");
    if (mkdtemp(directory) == NULL)
        return -1;
    here = os_open_directory(directory);
    return here < 0 ? -1 : 0;
}

/* Nothing may be left but what the test removes. */
static int tear_down(void **state)
{
    (void)state;
    os_close(here);
    return rmdir(directory);
}

static char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* Make a file of these bytes. */
static void make(const char *name, const char *bytes)
{
    int file = os_create_in(here, name);
    assert_true(file >= 0);
    assert_int_equal(os_write(file, bytes, strlen(bytes)), 0);
    assert_true(os_close(file));
}

static size_t count(void)
{
    char **names = os_list(here, ".");
    size_t n = 0;
    assert_non_null(names);
    while (names[n] != NULL)
        n++;
    os_list_free(names);
    return n;
}

static void names_are_listed_in_order(void **state)
{
    char name[2] = "", **names;
    (void)state;
    for (int i = 0; i < 20; i++) {
        name[0] = (char)('a' + i * 7 % 20);
        make(name, "");
    }
    names = os_list(here, ".");
    for (int i = 0; i < 20; i++) {
        assert_int_equal(names[i][0], 'a' + i);
        assert_true(os_remove_in(here, names[i], OS_FILE));
    }
    assert_null(names[20]);
    os_list_free(names);
    assert_null(os_list(here, "none"));
    assert_int_equal(errno, ENOENT);
}

static void reading_tells_the_end_and_errors(void **state)
{
    struct os_status status;
    char bytes[16];
    int error, file;
    (void)state;
    make("file", "0123456789");
    file = os_open_file(here, "file", &status);
    assert_int_equal(status.size, 10);
    assert_int_equal(os_read_at(file, 4, bytes, sizeof bytes, &error), 6);
    assert_int_equal(error, 0);
    assert_memory_equal(bytes, "456789", 6);
    assert_int_equal(os_write_at(file, bytes, 1, 0), EBADF); /* opened to read */
    assert_true(os_close(file));
    assert_int_equal(os_read_at(file, 0, bytes, sizeof bytes, &error), 0);
    assert_int_equal(error, EBADF);
    assert_int_equal(os_open_file(OS_HERE, directory, &status), -1);
    assert_int_equal(errno, 0);
    assert_true(os_remove_in(here, "file", OS_FILE));
}

static void links_are_followed_to_where_nothing_is(void **state)
{
    struct os_status status;
    char *real, *whole;
    (void)state;
    assert_int_equal(symlink("target", path_of("link")), 0);
    real = os_real_path(path_of("link"));
    assert_string_equal(real, path_of("target"));
    heap_free(real);
    assert_false(os_status_in(here, "link", true, &status));
    assert_true(os_status_in(here, "link", false, &status));
    assert_int_equal(status.kind, OS_LINK);
    assert_true(os_remove_in(here, "link", OS_LINK));
    assert_int_equal(symlink("link", path_of("link")), 0);
    assert_null(os_real_path(path_of("link")));
    assert_true(os_remove_in(here, "link", OS_LINK));
    whole = os_whole_path("x");
    assert_int_equal(whole[0], '/');
    heap_free(whole);
}

/* Make an unfinished directory with a directory and two files, and a file. */
static char *make_unfinished(int *of, char **other)
{
    char *name = os_unfinished(path_of("out"), OS_DIRECTORY, NULL, of);
    int file;
    assert_non_null(name);
    assert_true(os_make_in(*of, "below"));
    assert_true(os_close(os_create_in(*of, "below/a")));
    assert_true(os_close(os_create_in(*of, "b")));
    *other = os_unfinished(path_of("other"), OS_FILE, NULL, &file);
    assert_true(os_close(file));
    return name;
}

static void unfinished_things_end_one_by_one(void **state)
{
    char *other, *name;
    int of;
    (void)state;
    name = make_unfinished(&of, &other);
    assert_int_equal(count(), 2);
    os_unfinished_end(name, true);
    assert_true(os_close(of));
    assert_int_equal(count(), 1);
    os_signals_hold();
    assert_true(os_rename(other, path_of("kept")));
    os_unfinished_end(other, false);
    os_signals_release();
    assert_int_equal(count(), 1);
    assert_true(os_remove_in(here, "kept", OS_FILE));
}

/* In a child; signal: it ends by that. */
static int status_of_child(int signal)
{
    int status, of;
    char *other;
    pid_t child = fork();
    if (child == 0) {
        os_catch_ending(os_unfinished_remove_all);
        make_unfinished(&of, &other);
        os_signals_hold();
        raise(signal);
        if (count() != 2 || mkdir(path_of("held"), 0700) != 0)
            _exit(1);
        os_signals_release();
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void signals_wait_and_remove_what_is_unfinished(void **state)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int status = status_of_child(signals[i]);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_true(os_remove_directory(path_of("held"))); /* the child came so far */
        assert_int_equal(count(), 0);
    }
}

static struct os_lock *lock;
static unsigned turns;

static void take_turns(void *ctx)
{
    unsigned mine = *(const unsigned *)ctx;
    sigset_t held;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &held), 0);
    assert_true(sigismember(&held, SIGTERM));
    for (unsigned i = 0; i < 100; i++) {
        os_lock(lock);
        while (turns % 2u != mine)
            os_wait(lock);
        turns++;
        os_ring(lock);
        os_unlock(lock);
    }
}

static void threads_wait_for_each_other(void **state)
{
    static const unsigned first = 0, second = 1;
    struct os_thread *a, *b;
    (void)state;
    lock = os_lock_new();
    assert_true(os_cpus() >= 1);
    a = os_thread_start(take_turns, (void *)(uintptr_t)&first);
    b = os_thread_start(take_turns, (void *)(uintptr_t)&second);
    assert_non_null(a);
    assert_non_null(b);
    os_thread_join(a);
    os_thread_join(b);
    assert_int_equal(turns, 200);
    os_lock_free(lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_listed_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reading_tells_the_end_and_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_are_followed_to_where_nothing_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unfinished_things_end_one_by_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signals_wait_and_remove_what_is_unfinished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_wait_for_each_other, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
