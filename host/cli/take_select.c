/* take_select.c - see take_select.h. */
#include "cli/take_select.h"

/* An option that is given again adds patterns; the last --time counts. */
static enum cli_action take(const struct given *given, enum select_kind kind)
{
    struct decode_selection *selection = &given->command->selection;
    const char *why = decode_select_parse(selection, kind, given->text);
    if (why != NULL)
        return cli_usage_error("--%s=%s: %s", given->option->name, given->text, why);
    given->request->selection = selection;
    return CLI_DECODE;
}

enum cli_action cli_take_time(const struct given *given)
{
    return take(given, SELECT_TIME);
}

enum cli_action cli_take_around(const struct given *given)
{
    return take(given, SELECT_AROUND);
}

enum cli_action cli_take_task(const struct given *given)
{
    return take(given, SELECT_TASK);
}

enum cli_action cli_take_cpu(const struct given *given)
{
    return take(given, SELECT_CPU);
}

enum cli_action cli_take_event(const struct given *given)
{
    return take(given, SELECT_EVENT);
}

enum cli_action cli_take_irq(const struct given *given)
{
    return take(given, SELECT_IRQ);
}
