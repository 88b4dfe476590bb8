/* suggest.h - what the user probably meant by a word that is none of those there are, or too short. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/* The closest of n words; of equally close ones the first. NULL: none is close, which means that it takes at most two
 * changes, and fewer than half as many as the word has characters, to get from one to the other. A change is a
 * character more, less, or another one, or two that are swapped. */
const char *cli_closest(const char *word, const char *const *words, size_t n);

/* Tell the user that "--..." is none of n long options, or the beginning of several of them. */
void cli_refuse_option(const char *text, const char *const *options, size_t n);

#endif
