/* missing.h - what wasi-libc lacks of POSIX, for the files of host/os/posix/: the compiler includes it before them. */
#ifndef OS_WASI_MISSING_H
#define OS_WASI_MISSING_H

int mkstemp(char *pattern);
char *mkdtemp(char *pattern);
char *realpath(const char *path, char *resolved);

/* There are no permissions. */
unsigned umask(unsigned mask);
int fchmod(int file, unsigned permissions);

#endif
