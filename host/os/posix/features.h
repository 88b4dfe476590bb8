/* features.h - what the files of this folder ask of the system's headers: POSIX.1-2008 with XSI, and files of any size.
 * Each includes it before all others.
 *
 * macOS hides a part of its POSIX as soon as one asks for POSIX: mkdtemp(), and the number of CPUs. And the times of
 * files have other names there. */
#ifndef OS_POSIX_FEATURES_H
#define OS_POSIX_FEATURES_H

#define _XOPEN_SOURCE     700
#define _FILE_OFFSET_BITS 64
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

#endif
