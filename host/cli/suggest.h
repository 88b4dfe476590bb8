/* suggest.h - what the user probably meant by a word that is none of those there are. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* The closest of n words; of equally close ones the first. NULL: none is close, which means that it takes at most two
 * changes, and fewer than half as many as the word has characters, to get from one to the other. A change is a
 * character more, less, or another one, or two that are swapped. */
const char *cli_closest(const char *word, const char *const *words, size_t n);

#endif
