"""symbols.py - checks what the decoder needs of others: lists the symbols that its objects want and none of them
defines. Outside host/os/ these may be of C11's library and of the libraries that the decoder names; the back in
host/os/posix/ may use what POSIX.1-2008 has besides, and host/os/none/ nothing but C11. It also checks that no file
outside host/os/ includes a header of the system.

usage: symbols.py BUILD

BUILD/host has the decoder's objects. The lists below are those of the standards, not of what the decoder happens to
use: C11 is Annex B of ISO/IEC 9899:2011, but for macros that are no symbols, <complex.h>, and the parts that machines
may lack (<threads.h>, the _s functions); POSIX is taken from the descriptions of its headers in IEEE 1003.1-2008, for
those that a back may include. What macOS lacks of both may not be wanted, either. What host/os/wasi/ and
host/os/windows/ want is checked where they are linked: with wasi-libc alone, and with what each Windows has."""
import os
import re
import subprocess
import sys

# ISO/IEC 9899:2011, Annex B: library summary, header by header. Macros that only hold values are no symbols.
C11 = {
    "ctype.h": "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit "
               "tolower toupper",
    "errno.h": "errno",
    "fenv.h": "feclearexcept fegetexceptflag feraiseexcept fesetexceptflag fetestexcept fegetround fesetround fegetenv "
              "feholdexcept fesetenv feupdateenv",
    "inttypes.h": "imaxabs imaxdiv strtoimax strtoumax wcstoimax wcstoumax",
    "locale.h": "setlocale localeconv",
    "math.h": "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log "
              "log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor "
              "nearbyint rint lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter "
              "nexttoward fdim fmax fmin fma",
    "setjmp.h": "setjmp longjmp",
    "signal.h": "signal raise",
    "stdio.h": "stderr stdin stdout remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf "
               "fscanf printf scanf snprintf sprintf sscanf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf "
               "fgetc fgets fputc fputs getc getchar putc putchar puts ungetc fread fwrite fgetpos fseek fsetpos ftell "
               "rewind clearerr feof ferror perror",
    "stdlib.h": "atof atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull rand srand aligned_alloc "
                "calloc free malloc realloc abort atexit at_quick_exit exit _Exit getenv quick_exit system bsearch "
                "qsort abs labs llabs div ldiv lldiv mblen mbtowc wctomb mbstowcs wcstombs",
    "string.h": "memcpy memmove strcpy strncpy strcat strncat memcmp strcmp strcoll strncmp strxfrm memchr strchr "
                "strcspn strpbrk strrchr strspn strstr strtok memset strerror strlen",
    "time.h": "clock difftime mktime time timespec_get asctime ctime gmtime localtime strftime",
    "wchar.h": "wcslen wcscmp wcscpy mbrtowc wcrtomb mbsinit",
}
# The floating-point functions of <math.h> also exist with f and l.
MATH = {name + end for name in C11["math.h"].split() for end in ("f", "l")}

# IEEE 1003.1-2008: functions in the system interfaces, of the headers that host/os/posix/ may include.
POSIX = {
    "arpa/inet.h": "htonl htons ntohl ntohs inet_addr inet_ntoa inet_ntop inet_pton",
    "dirent.h": "alphasort closedir dirfd fdopendir opendir readdir readdir_r rewinddir scandir seekdir telldir",
    "fcntl.h": "creat fcntl open openat posix_fadvise posix_fallocate",
    "netdb.h": "freeaddrinfo gai_strerror getaddrinfo getnameinfo",
    "netinet/in.h": "in6addr_any in6addr_loopback",
    "poll.h": "poll",
    "pthread.h": "pthread_atfork pthread_attr_destroy pthread_attr_init pthread_attr_setdetachstate "
                 "pthread_attr_setstacksize pthread_cancel pthread_cleanup_pop pthread_cleanup_push "
                 "pthread_cond_broadcast pthread_cond_destroy pthread_cond_init pthread_cond_signal "
                 "pthread_cond_timedwait pthread_cond_wait pthread_create pthread_detach pthread_equal pthread_exit "
                 "pthread_getspecific pthread_join pthread_key_create pthread_key_delete pthread_mutex_destroy "
                 "pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_once "
                 "pthread_self pthread_setspecific",
    "signal.h": "kill killpg pthread_kill pthread_sigmask sigaction sigaddset sigdelset sigemptyset sigfillset "
                "sigismember sigpending sigprocmask sigsuspend sigwait",
    "stdio.h": "ctermid dprintf fdopen fileno flockfile fmemopen fseeko ftello funlockfile getdelim getline "
               "open_memstream pclose popen renameat",
    "stdlib.h": "mkdtemp mkstemp posix_memalign realpath setenv unsetenv",
    "string.h": "stpcpy stpncpy strdup strerror_r strndup strnlen strsignal strtok_r",
    "sys/mman.h": "mmap mprotect msync munmap posix_madvise",
    "sys/socket.h": "accept bind connect getpeername getsockname getsockopt listen recv recvfrom recvmsg send sendmsg "
                    "sendto setsockopt shutdown socket socketpair",
    "sys/stat.h": "chmod fchmod fchmodat fstat fstatat futimens lstat mkdir mkdirat mkfifo stat umask utimensat",
    "sys/wait.h": "wait waitid waitpid",
    "spawn.h": "posix_spawn posix_spawnp posix_spawn_file_actions_addclose posix_spawn_file_actions_adddup2 "
               "posix_spawn_file_actions_addopen posix_spawn_file_actions_destroy posix_spawn_file_actions_init "
               "posix_spawnattr_destroy posix_spawnattr_init posix_spawnattr_setflags posix_spawnattr_setpgroup "
               "posix_spawnattr_setsigdefault posix_spawnattr_setsigmask",
    "time.h": "asctime_r clock_getres clock_gettime clock_nanosleep ctime_r gmtime_r localtime_r nanosleep strptime",
    "unistd.h": "environ _exit access alarm chdir chown close confstr dup dup2 execl execlp execv execve execvp "
                "faccessat fchdir fdatasync fork fsync ftruncate getcwd getpid getppid getuid isatty link linkat lseek "
                "pause pipe pread pwrite read readlink readlinkat rmdir sleep symlink symlinkat sysconf truncate "
                "ttyname_r unlink unlinkat write",
}
# What macOS lacks of these, or has since 10.13 or later only, by Apple's published headers: of xnu, Libc, libpthread
# and Libinfo as of 2025. Names are not all: what else is other there, and what the decoder does about it, is this:
# - _POSIX_ADVISORY_INFO is -1, so host/os/posix/file.c does without posix_fallocate() there.
# - struct stat has st_mtimespec and st_ctimespec instead of st_mtim and st_ctim, or, if POSIX is asked for without
#   _DARWIN_C_SOURCE, neither: host/os/posix/features.h. That also shows mkdtemp() and _SC_NPROCESSORS_ONLN again.
# - SEEK_DATA and SEEK_HOLE have other numbers, and SEEK_DATA passes by the data that the offset is in: not used there.
# - O_TMPFILE, O_PATH and SOCK_CLOEXEC are Linux's, and functions such as pipe2(), accept4() and epoll_wait(). Of these
#   musl's headers show the functions only to those who ask for more than POSIX (tests/system/macos.sh), but the numbers
#   to all. There is no /proc: os_program() looks elsewhere, too. O_CLOEXEC, openat() and what goes with it are there
#   since 10.10, clock_gettime() since 10.12.
# - poll() tells POLLNVAL of devices, such as terminals: os_is_hung_up() takes that for no news.
# - sem_init() is there, but fails: unnamed semaphores are not implemented.
MACOS_LACKS = set(
    "posix_fadvise posix_fallocate clock_nanosleep fdatasync pthread_condattr_setclock pthread_mutex_timedlock "
    "pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_getcpuclockid sem_init sem_destroy sem_timedwait "
    "sigtimedwait sigwaitinfo sigqueue timer_create timer_settime timer_gettime timer_delete mq_open mq_send "
    "mq_receive fexecve mkfifoat mknodat fmemopen open_memstream utimensat futimens aligned_alloc timespec_get".split())
MACOS_GUARDED = {"posix_fallocate"}  # by _POSIX_ADVISORY_INFO, an option of POSIX
LINUX_WORDS = r"\b(O_TMPFILE|O_PATH|O_DIRECT|O_NOATIME|SOCK_CLOEXEC|SOCK_NONBLOCK)\b"
# The libraries that the decoder names (host/module.mk), each by what all its names begin with, or are.
LIBRARIES = {
    "zlib": r"(adler32|crc32)(_z|_combine)?|zlibVersion|(un)?compress2?|compressBound|(de|in)flate\w*",
    "zstd": r"ZSTD_\w+",
    "libarchive": r"archive_\w+",
    "libdw": r"dwarf_\w+",
    "getopt": r"getopt_long|opt(arg|ind|opt)|opterr",  # every C library has it: glibc, MinGW-w64, wasi-libc, macOS
}
# What compilers call without being asked: arithmetic of 128 bits, the table of offsets, the CPU's abilities.
COMPILER = r"__(u?divti3|u?modti3|u?divmodti4|floatun?ti[xdst]f|fix\w+ti|multi3|popcount\w+|ctz\w+)" \
           r"|_GLOBAL_OFFSET_TABLE_|__cpu_model|__cpu_indicator_init|__stack_chk_fail|__tls_get_addr"
# glibc's own names of C11's: errno, the functions of <ctype.h>, and C99's sscanf(); the 64 of files of any size.
GLIBC = {"__errno_location": "errno", "__ctype_b_loc": "isalnum", "__ctype_tolower_loc": "tolower",
         "__ctype_toupper_loc": "toupper", "__isoc99_sscanf": "sscanf", "__sysv_signal": "signal",
         "_setjmp": "setjmp"}
SYSTEM_HEADERS = set(POSIX) - set(C11) | {
    "aio.h", "dlfcn.h", "fmtmsg.h", "fnmatch.h", "ftw.h", "glob.h", "grp.h", "iconv.h", "langinfo.h",
    "libgen.h", "net/if.h", "pwd.h", "regex.h", "sched.h", "search.h", "semaphore.h", "strings.h", "sys/ioctl.h",
    "sys/time.h", "sys/types.h", "sys/uio.h", "sys/un.h", "syslog.h", "termios.h", "threads.h", "windows.h",
    "winsock2.h", "ws2tcpip.h", "io.h", "process.h"}


def names(lists):
    return {name for text in lists.values() for name in text.split()}


def allowed(where):
    """The names that an object may want which no object defines."""
    if where.startswith("host/os/posix/"):
        return (names(C11) | MATH | names(POSIX)) - MACOS_LACKS | MACOS_GUARDED
    return (names(C11) | MATH) - MACOS_LACKS


def is_library(name):
    return any(re.fullmatch(pattern, name) for pattern in [COMPILER, *LIBRARIES.values()])


def sources():
    return [os.path.join(path, name) for path, _, files in os.walk("host") for name in files if name.endswith(".c")]


def symbols(build):
    """Yields (object, symbol) for what is wanted, and the set of what is defined."""
    objects = [path for path in (os.path.join(build, source[:-1] + "o") for source in sources())
               if os.path.exists(path)]
    wanted, defined = [], set()
    for line in subprocess.check_output(["nm", "-g", "-A", *sorted(objects)], text=True).splitlines():
        where, _, rest = line.rpartition(":")
        part = rest.split()
        if part[-2] in "Uw":
            wanted.append((os.path.relpath(where, build), part[-1]))
        else:
            defined.add(part[-1])
    return wanted, defined


def plain(name):
    """The standard's name of a symbol."""
    return GLIBC.get(name, re.sub(r"64$", "", name) if name.endswith("64") else name)


def includes():
    for path, _, files in os.walk("host"):
        for name in (name for name in files if name.endswith((".c", ".h"))):
            file = os.path.join(path, name)
            for number, line in enumerate(open(file, encoding="utf-8"), 1):
                match = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
                if match and match.group(1) in SYSTEM_HEADERS \
                        and not file.startswith(("host/os/posix/", "host/os/wasi/", "host/os/windows/")):
                    yield ("%s:%d: <%s> is the system's, which only host/os/ knows"
                           % (file, number, match.group(1)))


def linux_words():
    for name in sorted(os.listdir("host/os/posix")):
        for number, line in enumerate(open("host/os/posix/" + name, encoding="utf-8"), 1):
            match = re.search(LINUX_WORDS, line)
            if match and not line.lstrip().startswith("#include"):
                yield "host/os/posix/%s:%d: %s is Linux's, not POSIX.1-2008's" % (name, number, match.group())


def main():
    wanted, defined = symbols(sys.argv[1])
    failures = sorted({"%s wants %s, which %s" % (where, name, "macOS lacks" if plain(name) in MACOS_LACKS else
                        "is neither C11's nor of a library that the decoder names")
                       for where, name in wanted if name not in defined and plain(name) not in allowed(where)
                       and not is_library(name)}) + sorted(includes()) + list(linux_words())
    outer = {name for where, name in wanted if name not in defined and not where.startswith("host/os/")}
    if len(outer) < 30:
        failures.append("%s: only %d symbols outside host/os/: are these the decoder's objects?"
                        % (sys.argv[1], len(outer)))
    print("\n".join(failures) if failures else "%d symbols of others outside host/os/, %d in all"
          % (len(outer), len({name for _, name in wanted if name not in defined})))
    sys.exit(1 if failures else 0)


main()
