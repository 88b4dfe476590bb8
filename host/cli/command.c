/* command.c - see command.h. What all steps need. */
#include "cli/command.h"

#include "tool/message.h"
#include "os/os_file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum cli_action cli_usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_error_list(format, arguments);
    va_end(arguments);
    return CLI_USAGE_ERROR;
}

/* inputs[i].elf stays: --elf may come before its input. */
enum cli_action cli_add_input(struct cli_command *command, const char *path, const char *guest)
{
    struct decode_request *request = &command->request;
    struct decode_input *input = &request->inputs[request->ninputs];
    if (request->ninputs == DECODE_INPUTS_MAX)
        return cli_usage_error("%s: more than %u inputs", path, DECODE_INPUTS_MAX);
    input->path = path;
    input->guest = guest;
    request->ninputs++;
    return CLI_DECODE;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

static enum cli_colour wanted = CLI_COLOUR_AUTO;

/* NO_COLOR, of the environment, counts unless the option asks for colours. */
bool cli_has_colour(int fd)
{
    const char *no = getenv("NO_COLOR");
    struct os_status status;
    if (wanted == CLI_COLOUR_NEVER || !os_status_of(fd, &status) || status.kind == OS_FILE)
        return false;
    if (wanted == CLI_COLOUR_ALWAYS)
        return true;
    return (no == NULL || no[0] == '\0') && os_takes_escapes(fd);
}

void cli_set_colour(enum cli_colour colour)
{
    wanted = colour;
    message_colour(cli_has_colour(OS_STDERR));
}
