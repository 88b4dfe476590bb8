/* colour.c - see colour.h. NO_COLOR, of the environment, counts unless the option asks for colours. */
#include "cli/colour.h"

#include "model/message.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum when { AUTO, ALWAYS, NEVER };

static enum when when = AUTO;

bool cli_has_colour(int fd)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    struct stat status;
    if (when == NEVER || fstat(fd, &status) != 0 || S_ISREG(status.st_mode))
        return false;
    if (when == ALWAYS)
        return true;
    return (no == NULL || no[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0 && isatty(fd);
}

void cli_colour_messages(void)
{
    message_colour(cli_has_colour(STDERR_FILENO));
}

enum cli_action cli_take_color(const struct given *given)
{
    static const char *const words[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never", NULL};
    int word = find_word(words, given->text);
    if (word < 0)
        return refuse(given);
    when = (enum when)word;
    cli_colour_messages();
    return CLI_DECODE;
}
