/* printk.h - printf formats that stayed on the host, and arguments that came from a 32-bit target: put together here.
 *
 * Vocabulary
 *   arguments   bytes, packed as C passes them to a function like printf() on 32-bit ARM: int, long and pointers take
 *               a word, long long and double two, low word first; a string is its characters with the NUL, padded to a
 *               word
 *   conversion  what a format has from a '%' to its letter
 */
#ifndef MODEL_PRINTK_H
#define MODEL_PRINTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINTK_WIDTH_MAX 4096 /* widths and precisions above count as this */

#define PRINTK_CONTRADICTS " <the format takes others>" /* for printk_render_raw() */

/* Write what printf(format, arguments) prints to out, as much as size has room for, and a NUL unless size is 0. nargs
 * are bytes; words are big-endian if so said. *length is that of the whole text without its NUL.
 *
 * False: these are not arguments of that format, and the text is none. Too few are there, or a string has no NUL; or more
 * are left than the word of 0 that fills an event's last slot.
 *
 * C's conversions d i u x X o c s p f F e E g G a A n % with all flags, widths, precisions and lengths, but not wide
 * characters. Any other conversion shows as <%...?>; the rest of the format then goes on with the arguments as they come,
 * and any number may be left. %p is 0x... as newlib prints it; %n takes its word and prints nothing, and so does a %c of
 * 0. */
bool printk_render(char *out, size_t size, size_t *length, const char *format, const unsigned char *args, size_t nargs,
                   bool big_endian);

/* The words alone, when there is no format for the address or it contradicts them, and a remark behind them:
 * "printk format 0x1234 args 0x1 0x2". Returns the length as above. */
size_t printk_render_raw(char *out, size_t size, uint64_t address, const char *remark, const unsigned char *args,
                         size_t nargs, bool big_endian);

/* Whether a ftrace:bprint event with this format is printed by libtraceevent exactly as printk_render() does, a newline
 * at the end aside, in a little-endian file whose long has 8 bytes. The event's buffer must then have: int as 4 bytes,
 * long and long long as 8 (extended as the conversion says), each at a multiple of 4; strings with their NUL at the
 * next byte. A format for which it is not so may, depending on the version, spoil the rest of the output; ftrace:print
 * with the rendered text is the way then. */
bool printk_kernel_can(const char *format);

/* The buffer of such an event: the arguments packed anew, a multiple of 4 bytes. False if printk_render() is, or size is
 * too small; else *used bytes of out are filled. */
bool printk_pack(unsigned char *out, size_t size, size_t *used, const char *format, const unsigned char *args,
                 size_t nargs, bool big_endian);

#endif
