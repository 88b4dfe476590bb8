/* inspect.c - see inspect.h.
 *
 * Whether a function is called is read from the code: branches of Thumb and Arm code that lead to it, and words that
 * hold its address. A function that nothing calls may be missing, as linkers drop it.
 *
 * Source: Arm Architecture Reference Manual, ARMv7-M, A7.7.12 (B), A7.7.18 (BL); ARMv7-A, A8.8.25. */
#include "io/firmware/inspect.h"

#include "base/bytes.h"
#include "io/firmware/elf.h"
#include "os/os_file.h"

#include <string.h>

#define VTOR_LEAST 128u /* what VTOR's address is a multiple of at least */

static const struct firmware_kernel kernels[] = {
    {"FreeRTOS", "vTaskSwitchContext", "tlog_freertos_switch", "tlog_freertos_", "xTaskCreate",
     "make #include \"tlog_freertos.h\" the last line of FreeRTOSConfig.h"},
    {"ThreadX", "_tx_thread_schedule", "_tx_execution_thread_enter", "_tx_execution_", "_tx_thread_create",
     "compile the kernel, and its assembler files, with TX_ENABLE_EXECUTION_CHANGE_NOTIFY (port/rtos/README.md)"},
    {"RTX5", "osRtxThreadListPut", "EvrRtxThreadSwitched", "EvrRtx", "osThreadNew",
     "compile the kernel with OS_EVR_THREAD = 1 (port/rtos/README.md)"},
    {"Zephyr", "z_impl_k_thread_create", "tlog_zephyr_switched_in", "tlog_zephyr_", NULL,
     "set CONFIG_TLOG=y (port/rtos/README.md)"},
};

enum { KERNELS = sizeof kernels / sizeof kernels[0], CALLS_OF_TLOG = 3 };

/* The functions whose calls are counted: of each kernel mark, hook and create; then calls of tlog. */
enum { MARK, HOOK, CREATE, OF_KERNEL, TARGETS = KERNELS * OF_KERNEL + CALLS_OF_TLOG };

static const char *const calls_of_tlog[CALLS_OF_TLOG] = {"tlog_name", "tlog_priority", "xTaskCreateStatic"};

/* A function that is looked for. */
struct target {
    const char *name; /* or NULL */
    bool exists;
    uint32_t branches, words; /* to it from outside, which hold its address */
};

static const char *name_of_target(unsigned i)
{
    const struct firmware_kernel *kernel = &kernels[i / OF_KERNEL % KERNELS];
    if (i >= KERNELS * OF_KERNEL)
        return calls_of_tlog[i - KERNELS * OF_KERNEL];
    return i % OF_KERNEL == MARK ? kernel->mark : i % OF_KERNEL == HOOK ? kernel->hook : kernel->create;
}

static void find_targets(const struct trace_firmware *firmware, struct target *targets)
{
    for (unsigned t = 0; t < TARGETS; t++) {
        targets[t] = (struct target){.name = name_of_target(t)};
        for (size_t i = 0; i < firmware->nsymbols && targets[t].name != NULL && !targets[t].exists; i++)
            targets[t].exists = strcmp(firmware->symbols[i].name, targets[t].name) == 0;
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static uint64_t sign_extend(uint32_t value, unsigned bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1u);
    return ((uint64_t)value ^ sign) - sign;
}

/* Where the Thumb branch at an address leads to; 0: it is none. Bytes: four of them. */
static uint64_t thumb_branch(const unsigned char *bytes, uint64_t address)
{
    const uint32_t first = (uint32_t)(bytes[0] | bytes[1] << 8), second = (uint32_t)(bytes[2] | bytes[3] << 8);
    const uint32_t s = first >> 10 & 1u, i1 = ~((second >> 13) ^ s) & 1u, i2 = ~((second >> 11) ^ s) & 1u;
    if ((first & 0xF800u) == 0xE000u)
        return address + 4u + sign_extend((first & 0x7FFu) << 1, 12);
    if ((first & 0xF800u) != 0xF000u || (second & 0x9000u) != 0x9000u)
        return 0;
    return address + 4u
           + sign_extend(s << 24 | i1 << 23 | i2 << 22 | (first & 0x3FFu) << 12 | (second & 0x7FFu) << 1, 25);
}

/* The same for Arm code. */
static uint64_t arm_branch(uint32_t word, uint64_t address)
{
    return (word & 0x0E000000u) == 0x0A000000u ? address + 8u + sign_extend((word & 0xFFFFFFu) << 2, 26) : 0;
}

/* Count what stands at an address of code or data. A function may have several copies. Its calls of itself do not
 * count, and of the calls that name something those of tlog's own functions do not, as each of them serves many
 * names. */
static void count_at(struct target *targets, const struct trace_firmware *firmware, uint64_t at, uint64_t to,
                     bool is_branch)
{
    uint64_t offset;
    const struct trace_symbol *called = trace_symbol_at(firmware, to, &offset), *from;
    if (called == NULL || offset != 0)
        return;
    from = trace_symbol_at(firmware, at, &offset);
    for (unsigned t = 0; t < TARGETS; t++) {
        struct target *target = &targets[t];
        if (!target->exists || strcmp(called->name, target->name) != 0
            || (from != NULL && strcmp(from->name, target->name) == 0))
            continue;
        if (!is_branch)
            target->words++;
        else if (t < KERNELS * OF_KERNEL || from == NULL || strncmp(from->name, "tlog_", 5) != 0)
            target->branches++;
    }
}

static void count_calls(struct target *targets, const struct trace_firmware *firmware,
                        const struct elf_section *section)
{
    const unsigned char *bytes = section->bytes;
    const uint64_t address = section->address, n = section->n;
    const bool is_code = (section->flags & ELF_CODE) != 0;
    for (size_t i = 0; i + 4u <= n; i += 2u) {
        const uint64_t at = address + i;
        const uint64_t thumb = is_code ? thumb_branch(bytes + i, at) : 0;
        const uint32_t word = at % 4u == 0 ? get_le32(bytes + i) : 0;
        const uint64_t arm = is_code && at % 4u == 0 ? arm_branch(word, at) : 0;
        if (thumb != 0)
            count_at(targets, firmware, at, thumb, true);
        if (arm != 0)
            count_at(targets, firmware, at, arm, true);
        if ((word & 1u) != 0)
            count_at(targets, firmware, at, word & ~1u, false);
    }
}

static uint32_t calls(const struct target *target)
{
    return target->branches + target->words;
}

static bool has_prefix(const struct trace_firmware *firmware, const char *prefix)
{
    size_t i = 0;
    while (i < firmware->nsymbols && strncmp(firmware->symbols[i].name, prefix, strlen(prefix)) != 0)
        i++;
    return i < firmware->nsymbols;
}

/* A hook that is missing while others are there was put into its callers by the compiler. */
static void take_calls(const struct trace_firmware *firmware, const struct target *targets,
                       struct firmware_facts *facts)
{
    for (unsigned i = 0; i < KERNELS; i++) {
        const struct target *of = &targets[i * OF_KERNEL];
        const bool is_called = calls(&of[HOOK]) > 0 || (!of[HOOK].exists && has_prefix(firmware, kernels[i].prefix));
        if (!of[MARK].exists)
            continue;
        if (!is_called)
            facts->silent = &kernels[i];
        else
            facts->facts += 3u * of[CREATE].branches + (i == 0 ? 3u * targets[TARGETS - 1u].branches : 0u);
    }
    facts->facts += 2u * targets[TARGETS - 3u].branches + targets[TARGETS - 2u].branches;
}

/* ---- sections and symbols ---------------------------------------------------------------------------------------- */

/* Look for a symbol of any kind in the table of symbols; 0: there is none. */
static uint64_t value_of(struct elf_file *elf, const char *wanted)
{
    struct elf_symbols symbols;
    if (!elf_file_symbols(elf, &symbols))
        return 0;
    for (size_t i = 1; i < symbols.n && i <= ELF_SYMBOLS_MAX; i++) {
        const struct elf_symbol symbol = elf_file_next_symbol(&symbols);
        if (symbol.name < symbols.names->n && strcmp((char *)symbols.names->bytes + symbol.name, wanted) == 0)
            return symbol.value;
    }
    return 0;
}

static void look_at(struct firmware_file *file, struct elf_section *section, struct target *targets,
                    struct firmware_facts *facts)
{
    facts->has_section |= strcmp(section->name, "tlog_chunks") == 0;
    if (elf_is_loaded(section) && elf_file_load(&file->elf, section))
        count_calls(targets, &file->firmware, section);
}

/* ---- vector tables ----------------------------------------------------------------------------------------------- */

/* Note a table if VTOR cannot take its address: it wants a multiple of the size, rounded up to a power of two. */
static void look_at_table(struct firmware_facts *facts, uint64_t address, uint64_t size)
{
    uint32_t alignment = VTOR_LEAST;
    while (alignment < size && alignment < 4u * ELF_VECTORS_MOST)
        alignment *= 2u;
    if (address % alignment == 0)
        return;
    facts->vectors = address;
    facts->alignment = alignment;
}

static void look_at_tables(struct firmware_file *file, struct firmware_facts *facts)
{
    static const char *const in_ram[] = {"ram_vector_table", "__ram_vector_table", "g_pfnRamVectors", "__VECTOR_RAM"};
    if (file->nvectors > 0)
        look_at_table(facts, file->vectors, 4u * file->nvectors);
    for (size_t i = 0; i < file->firmware.nsymbols; i++) {
        const struct trace_symbol *symbol = &file->firmware.symbols[i];
        for (size_t k = 0; k < sizeof in_ram / sizeof in_ram[0]; k++) {
            if (strcmp(symbol->name, in_ram[k]) == 0)
                look_at_table(facts, symbol->address, symbol->size);
        }
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void firmware_inspect(struct firmware_file *file, struct firmware_facts *facts)
{
    struct target targets[TARGETS];
    *facts = (struct firmware_facts){.is_cortex_m = file->nvectors > 0};
    if (file->saved != NULL)
        return;
    find_targets(&file->firmware, targets);
    for (size_t i = 0; i < file->elf.nsections; i++)
        look_at(file, &file->elf.sections[i], targets, facts);
    facts->has_id = file->firmware.build_id != NULL && value_of(&file->elf, "tlog_build_id") != 0;
    take_calls(&file->firmware, targets, facts);
    look_at_tables(file, facts);
}
