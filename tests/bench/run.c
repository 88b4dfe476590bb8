/* run.c - runs a command, appends "wall user sys maxrss" (seconds, KiB) to a file, ends with the command's status.
 *
 *     run FILE COMMAND [ARGUMENT]... */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static int give_up(const char *what)
{
    perror(what);
    return 125;
}

static int report(const char *path, double wall, const struct rusage *usage)
{
    FILE *out = fopen(path, "a");
    if (out == NULL)
        return -1;
    fprintf(out, "%.6f %.6f %.6f %ld\n", wall, seconds(usage->ru_utime), seconds(usage->ru_stime), usage->ru_maxrss);
    return fclose(out);
}

int main(int argc, char **argv)
{
    int status;
    struct rusage usage;
    if (argc < 3) {
        fputs("usage: run FILE COMMAND [ARGUMENT]...\n", stderr);
        return 125;
    }
    double start = now();
    pid_t child = fork();
    if (child < 0)
        return give_up("fork");
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (wait4(child, &status, 0, &usage) != child)
        return give_up("wait4");
    if (report(argv[1], now() - start, &usage) != 0)
        return give_up(argv[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
