"""extra_script.py - PlatformIO runs this before it builds tlog as a library: it says what is compiled.

That is the runtime, and the hooks of a kernel if the project's platformio.ini asks for them:

    custom_tlog_rtos = freertos

or threadx, rtx5. The headers of the hooks are then found from everywhere, because the kernel includes them, too.
The library is no archive, because RTX5 has weak functions in the place of its hooks: an archive would not replace
them."""
import os

Import("env")  # noqa: F821  from SCons, as DefaultEnvironment

KERNELS = ("freertos", "threadx", "rtx5")


def add_kernel(kernel):
    """Compile a kernel's hooks, and let the project, the framework and all libraries find what they include."""
    if kernel not in KERNELS:
        raise ValueError("custom_tlog_rtos = %s: it is one of %s" % (kernel, ", ".join(KERNELS)))
    folders = [os.path.realpath(path) for path in ("target", "port", "port/rtos", "port/rtos/" + kernel)]
    env.Append(SRC_FILTER=["+<port/rtos/%s/*.c>" % kernel])  # noqa: F821
    env.Append(CPPPATH=folders)  # noqa: F821
    DefaultEnvironment().Append(CPPPATH=folders)  # noqa: F821
    for library in env.GetLibBuilders():  # noqa: F821
        library.env.Append(CPPPATH=folders)


env.Replace(SRC_FILTER=["+<target/src/*.c>", "+<port/port_v6m.c>", "+<port/port_v7m.c>",  # noqa: F821
                        "+<port/irq_v7m.c>"])
if env.GetProjectOption("custom_tlog_rtos", ""):  # noqa: F821
    add_kernel(env.GetProjectOption("custom_tlog_rtos"))  # noqa: F821
