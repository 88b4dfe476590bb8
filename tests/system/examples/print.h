/* print.h - prints lines of a word and two numbers, by a function put(char) of the file that includes this. */
#ifndef SYSTEM_EXAMPLES_PRINT_H
#define SYSTEM_EXAMPLES_PRINT_H

#include <stdint.h>

static void put(char byte);

static inline void put_text(const char *text)
{
    for (; *text != '\0'; text++)
        put(*text);
}

static inline void put_number(uint32_t number)
{
    if (number >= 10u)
        put_number(number / 10u);
    put((char)('0' + number % 10u));
}

static inline void put_line(const char *word, uint32_t first, int32_t second)
{
    put_text(word);
    put(' ');
    put_number(first);
    put(' ');
    if (second < 0)
        put('-');
    put_number(second < 0 ? 0u - (uint32_t)second : (uint32_t)second);
    put('\n');
}

/* The n-th of the values that a sensor measures. */
static inline int16_t measured(uint32_t n)
{
    return (int16_t)(n * 37u % 1000u) - 500;
}

#endif
