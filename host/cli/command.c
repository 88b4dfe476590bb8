/* command.c - see command.h. */
#include "cli/command.h"

#include "model/message.h"

#include <stdarg.h>

enum cli_action cli_usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_error_list(format, arguments);
    va_end(arguments);
    return CLI_USAGE_ERROR;
}

/* The ELF file of that input may be known before the input is. */
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
