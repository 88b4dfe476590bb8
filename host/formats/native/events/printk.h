/* printk.h - makes the text of a printf(): its format string stayed on the host, its arguments came from a 32-bit
 * target.
 *
 * Vocabulary
 *   arguments    bytes, packed as C passes them to a function like printf() on 32-bit ARM: int, long and pointers take
 *                a word of 4 bytes, long long and double two words, the low one first; a string is its characters with
 *                the NUL, padded to whole words
 *   conversion   a part of a format string from a '%' to its letter
 */
#ifndef NATIVE_PRINTK_H
#define NATIVE_PRINTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTK_WIDTH_MAX 4096 /* widths and precisions above are taken for this */

#define PRINTK_CONTRADICTS " <the format takes others>" /* for printk_render_raw() */

/* Write to out what printf() would print: as much of it as size bytes have room for, with a NUL unless size is 0.
 * nargs: bytes of arguments. big_endian: of their words. *length: of the whole text without its NUL, which may be more
 * than there is room for.
 *
 * False: these are not arguments of that format string, and the text is not to be used. There are too few, a string has
 * no NUL, or more are left than the word of 0 that fills an event's last slot.
 *
 * C's conversions d i u x X o c s p f F e E g G a A n % with all flags, widths, precisions and lengths, but no wide
 * characters. Any other conversion is shown as <%...?>; the rest of the format string then goes on with the next
 * arguments, and any number of them may be left. %p is 0x... as newlib prints it; %n takes its word and prints nothing,
 * and so does a %c of 0. */
bool printk_render(char *out, size_t size, size_t *length, const char *format, const unsigned char *args, size_t nargs,
                   bool big_endian);

/* Write the arguments as words, for an address without a format string or with one that contradicts them, and a remark
 * behind them: "printk format 0x1234 args 0x1 0x2". out and size as above; returns the length of the whole text. */
size_t printk_render_raw(char *out, size_t size, uint64_t address, const char *remark, const unsigned char *args,
                         size_t nargs, bool big_endian);

/* Whether libtraceevent prints a ftrace:bprint event with this format string exactly as printk_render() does, apart
 * from a newline at the end, in a little-endian file whose long has 8 bytes. The event's buffer must then have an int
 * in 4 bytes, long and long long in 8 (extended as the conversion says), each at a multiple of 4, and strings with
 * their NUL at the next byte. Any other format string may spoil the rest of the output, depending on the version of
 * libtraceevent: then ftrace:print with the finished text takes its place. */
bool printk_kernel_can(const char *format);

/* Write the buffer of such an event: the arguments packed anew, a multiple of 4 bytes. False if printk_render() is
 * false, or size is too small; else *used bytes of out are filled. */
bool printk_pack(unsigned char *out, size_t size, size_t *used, const char *format, const unsigned char *args,
                 size_t nargs, bool big_endian);

#endif
