/* app.c - a small controller with one bug, which its trace shows. Start reading here.
 *
 *   task      priority  runs                                       uses
 *   init      5         once: starts the devices, then ends
 *   sensor    10        at each sample of the converter, 4.1 ms    store
 *   control   20        every 10 ms, deadline 10 ms                store, bus
 *   comms     30        at each frame of the radio                 store
 *   logger    40        every 60 ms: a page of flash               store, bus
 *
 * A smaller priority is more important. store protects the telemetry, bus the bus to actuator and flash.
 *
 *   interrupt           NVIC priority
 *   radio     IRQ 10    0x20, more urgent than the kernel's mask: the receiver holds only one frame, so no section of
 *                       the kernel may delay the handler. It must not call the kernel; it pends radio_bh instead
 *   radio_bh  IRQ 31    0x80; wakes comms
 *   adc       IRQ 9     0x60; wakes sensor
 *
 * The bug is a priority inversion. Actuator and flash share one bus, and its mutex was created without priority
 * inheritance. Now and then the radio receives a burst of frames while logger writes a page and control waits for the
 * bus. comms, which does not use the bus, is more important than logger and keeps it from finishing the page, so
 * control gets the bus too late and misses its deadline.
 *
 * In QEMU, run the demo with -icount shift=6 (each instruction takes 64 ns): every run then gives the same trace.
 *
 *   -DDEMO_FIXED=1        repair the bug: the bus mutex inherits priorities, and no deadline is missed
 *   -DDEMO_EXPECT=1       also write expect.bin, see expect.h
 *   -DDEMO_ADC_US=n       sample every n us, so that the adc interrupt comes at other instructions
 *   -DDEMO_CLOCK_START=n  let the trace's clock start at n ticks, so that it wraps during the run */
#include "kernel.h"

#ifndef DEMO_FIXED
#define DEMO_FIXED 0
#endif

void irq_9_handler(void);
void irq_10_handler(void);
void irq_31_handler(void);
int main(void);

enum { PRIORITY_INIT = 5, PRIORITY_SENSOR = 10, PRIORITY_CONTROL = 20, PRIORITY_COMMS = 30, PRIORITY_LOGGER = 40 };
enum { URGENCY_RADIO = 0x20, URGENCY_ADC = 0x60, URGENCY_RADIO_BH = 0x80 };
enum { RADIO_BH_IRQ = 31 }; /* no device uses this line; software pends it */
/* Interrupts have the numbers of their exceptions in the trace, as IPSR tells them. */
enum { ADC = 16 + BOARD_TIMER1_IRQ, RADIO = 16 + BOARD_DUALTIMER_IRQ, RADIO_BH = 16 + RADIO_BH_IRQ };
enum { MUTEX_STORE = 1, MUTEX_BUS = 2 };

/* Milliseconds; the kernel ticks once per millisecond. */
enum { CONTROL_PERIOD = 10, LOGGER_PERIOD = 60, LOGGER_OFFSET = 5, RADIO_RESET = 30, SETPOINT_STEP = 250 };

enum {
    PAGES = 18,               /* flash pages that logger writes; after the last one the run ends */
    FRAME_US = 9000,          /* shortest time between two ordinary frames; the longest is twice as long */
    STATION_FIRST_US = 41000, /* from radio_start() to the first burst: a ground station asks for what it missed */
    STATION_US = 150000,      /* between two bursts; every second burst comes while logger holds the bus */
    BURST_FRAMES = 11,        /* frames that follow the first one of a burst */
    BURST_US = 1040,          /* between two frames of a burst */
    CONVERSION_US = 40,       /* work of the adc handler, which averages eight conversions */
    FRAME_CHECK_US = 20,      /* work of the radio_bh handler, which checks checksum and address */
};

/* Sampling period. It is no multiple of the kernel's tick, so that the interrupt falls at every phase of a tick. */
#ifndef DEMO_ADC_US
#define DEMO_ADC_US 4103
#endif

/* The events of this application, which need -DTLOG_TRACEEVENTS=1. The decoder takes their names and fields from the
 * ELF file. Signals are in millivolts; the output is the actuator's input, 0..4095. */
enum motor_state { HOLD, SPEED_UP, SLOW_DOWN };
TLOG_DEFINE_EVENT(adc_sample, (u8, channel), (i16, value, "mV"))
TLOG_DEFINE_EVENT(filtered, (u8, channel), (i16, value, "mV"))
TLOG_DEFINE_EVENT(control_output, (i16, setpoint, "mV"), (u16, output))
TLOG_DEFINE_EVENT(motor_state, (u8, motor), (enum8, state, HOLD, SPEED_UP, SLOW_DOWN))
TLOG_DEFINE_EVENT(frame, (u8, length), (u32, sequence))
TLOG_DEFINE_EVENT(flash_write, (u8, page), (hex32, address))
TLOG_DEFINE_SPAN(control_step)
#include "notes.h"

/* ---- devices ---- */

/* Registers of the first of the two timers in a CMSDK dual timer. */
struct dual_timer {
    volatile uint32_t load, value, control, intclr;
};
#define RADIO_TIMER ((struct dual_timer *)BOARD_DUALTIMER)
#define ADC_TIMER   BOARD_TIMER1

enum { TIMER_ENABLE = 1, TIMER_INTERRUPT = 8 };
enum { DUAL_ENABLE = 0x80, DUAL_PERIODIC = 0x40, DUAL_INTERRUPT = 0x20, DUAL_32_BITS = 2 };

static uint32_t ticks_of_us(uint32_t us)
{
    return us * (BOARD_CORE_HZ / 1000000u);
}

/* The word of an NVIC bit array (enable, disable, pend) that holds the bit of an interrupt. */
static volatile uint32_t *nvic_word(uint32_t offset, uint32_t irq)
{
    return (volatile uint32_t *)(0xE000E100u + offset + irq / 32u * 4u);
}

static void irq_enable(uint32_t irq, uint8_t urgency)
{
    volatile uint8_t *priorities = (volatile uint8_t *)0xE000E400u;
    priorities[irq] = urgency;
    *nvic_word(0, irq) = 1u << irq % 32u;
}

static void irq_disable(uint32_t irq)
{
    *nvic_word(0x80, irq) = 1u << irq % 32u;
}

static void irq_pend(uint32_t irq)
{
    *nvic_word(0x100, irq) = 1u << irq % 32u;
}

/* Enable the interrupts and start sampling. The radio's timer is started later, by comms. */
static void devices_start(void)
{
    irq_enable(BOARD_TIMER1_IRQ, URGENCY_ADC);
    irq_enable(BOARD_DUALTIMER_IRQ, URGENCY_RADIO);
    irq_enable(RADIO_BH_IRQ, URGENCY_RADIO_BH);
    ADC_TIMER->reload = ticks_of_us(DEMO_ADC_US) - 1u;
    ADC_TIMER->value = ADC_TIMER->reload;
    ADC_TIMER->ctrl = TIMER_ENABLE | TIMER_INTERRUPT;
}

static void radio_start(void)
{
    RADIO_TIMER->load = ticks_of_us(FRAME_US);
    RADIO_TIMER->control = DUAL_ENABLE | DUAL_PERIODIC | DUAL_INTERRUPT | DUAL_32_BITS;
}

static void devices_stop(void)
{
    irq_disable(BOARD_TIMER1_IRQ);
    irq_disable(BOARD_DUALTIMER_IRQ);
    irq_disable(RADIO_BH_IRQ);
}

/* ---- work ---- */

static uint32_t loops_per_ms;

/* In assembler, so that the compiler neither removes the loop nor changes how long it takes. */
static void spin(uint32_t loops)
{
    __asm volatile("1: subs %0, %0, #1\n\t"
                   "bne 1b"
                   : "+r"(loops)::"cc");
}

/* Measure how fast spin() is. Must run before any interrupt is enabled, which would lengthen the measurement. */
static void calibrate(void)
{
    const uint32_t loops = 20000u;
    uint32_t start = demo_clock();
    spin(loops);
    loops_per_ms = loops * (BOARD_CORE_HZ / 1000u) / (demo_clock() - start);
}

/* Keep the CPU busy for us microseconds. Interrupts and preemption of the caller add to that time. */
static void work_us(uint32_t us)
{
    spin(us * loops_per_ms / 1000u + 1u);
}

/* The next pseudo-random number, 0..65535, of a linear congruential generator: the same numbers in every run. Each
 * caller passes its own state. */
static uint32_t shuffle(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* ---- what tasks and handlers share ---- */

struct telemetry {
    uint32_t filtered, setpoint, output, frames;
};

static struct kernel_mutex store; /* protects telemetry */
static struct telemetry telemetry;

static struct kernel_mutex bus; /* protects the bus to actuator and flash */
static struct telemetry flash[PAGES];

static struct kernel_event sample_ready, frame_ready;
static volatile uint32_t sample;
static volatile uint32_t actuator; /* input of the controlled process, 0..4095 */
static volatile uint32_t frames_received;

/* ---- interrupts ---- */

/* adc: a sample is ready. The controlled process is simulated here: it follows the actuator slowly, with some noise. */
void irq_9_handler(void)
{
    static uint32_t process = 400u << 4, noise = 1;
    kernel_interrupt_enter(ADC);
    ADC_TIMER->intstatus = 1u;
    work_us(CONVERSION_US);
    process += actuator - (process >> 4);
    sample = (process >> 4) + (shuffle(&noise) & 15u);
    trace_adc_sample(0, (int16_t)sample);
    kernel_event_raise(&sample_ready);
    kernel_interrupt_exit(ADC);
}

/* Microseconds until the next frame. Frames come at irregular intervals, apart from the bursts of the ground station,
 * which begin every STATION_US. */
static uint32_t next_gap_us(void)
{
    static uint32_t gaps = 5, at = FRAME_US, station = STATION_FIRST_US, burst = 0;
    uint32_t gap = FRAME_US + shuffle(&gaps) % FRAME_US;
    if (burst > 0) {
        burst--;
        gap = BURST_US;
    } else if (at + gap + FRAME_US > station) {
        burst = BURST_FRAMES;
        gap = station - at;
        station += STATION_US;
    }
    at += gap;
    return gap;
}

/* radio: a frame has arrived. This handler is more urgent than the kernel's mask and so must not call the kernel, apart
 * from kernel_interrupt_enter() and kernel_interrupt_exit(), which only log. */
void irq_10_handler(void)
{
    kernel_interrupt_enter(RADIO);
    RADIO_TIMER->intclr = 1u;
    frames_received = frames_received + 1u;
    RADIO_TIMER->load = ticks_of_us(next_gap_us());
    irq_pend(RADIO_BH_IRQ);
    kernel_interrupt_exit(RADIO);
}

/* radio_bh, the radio's bottom half: runs as soon as no more urgent handler does, and may call the kernel. */
void irq_31_handler(void)
{
    kernel_interrupt_enter(RADIO_BH);
    work_us(FRAME_CHECK_US);
    kernel_event_raise(&frame_ready);
    kernel_interrupt_exit(RADIO_BH);
}

/* ---- tasks ---- */

static void init(void)
{
    devices_start();
    work_us(300);
}

static void sensor(void)
{
    for (;;) {
        kernel_event_wait(&sample_ready);
        kernel_begin_cycle();
        work_us(400);
        kernel_mutex_lock(&store);
        uint32_t filtered = (telemetry.filtered * 3u + sample) / 4u;
        telemetry.filtered = filtered;
        work_us(30);
        kernel_mutex_unlock(&store);
        trace_filtered(0, (int16_t)filtered);
        kernel_end_cycle();
    }
}

/* One step of a controller with a proportional and an integral part. Its output is 0..4095. */
static uint32_t control_law(uint32_t wanted, uint32_t is)
{
    static int32_t sum = 1600;
    int32_t error = (int32_t)wanted - (int32_t)is;
    sum += error;
    sum = sum < 0 ? 0 : sum > 16000 ? 16000 : sum;
    int32_t value = error / 2 + sum / 4;
    return value < 0 ? 0u : value > 4095 ? 4095u : (uint32_t)value;
}

/* Update setpoint and output in the telemetry, and return a copy of it. The setpoint steps every SETPOINT_STEP ms. */
static struct telemetry read_telemetry(void)
{
    kernel_mutex_lock(&store);
    telemetry.setpoint = kernel_now() / SETPOINT_STEP % 2u ? 2400u : 900u;
    telemetry.output = actuator;
    struct telemetry copy = telemetry;
    work_us(30);
    kernel_mutex_unlock(&store);
    return copy;
}

/* Waits for the bus: this is where control loses the time that makes it miss its deadline. */
static void drive_actuator(uint32_t value)
{
    kernel_mutex_lock(&bus);
    actuator = value;
    work_us(300);
    kernel_mutex_unlock(&bus);
}

/* Log what the motor is to do, when that changes. */
static void tell_motor_state(uint32_t wanted, uint32_t is)
{
    enum { NEAR = 200 };
    static enum motor_state last = HOLD;
    enum motor_state state = is + NEAR < wanted ? SPEED_UP : wanted + NEAR < is ? SLOW_DOWN : HOLD;
    if (state != last)
        trace_motor_state(0, state);
    last = state;
}

static void control(void)
{
    for (uint32_t release = CONTROL_PERIOD;; release += CONTROL_PERIOD) {
        kernel_delay_until(release);
        kernel_begin_cycle();
        TLOG_SPAN_BEGIN(control_step);
        struct telemetry is = read_telemetry();
        work_us(1000);
        uint32_t output = control_law(is.setpoint, is.filtered);
        tell_motor_state(is.setpoint, is.filtered);
        drive_actuator(output);
        TLOG_SPAN_END(control_step);
        trace_control_output((int16_t)is.setpoint, (uint16_t)output);
        kernel_end_cycle();
    }
}

static void answer_frame(uint32_t sequence)
{
    kernel_begin_cycle();
    work_us(550);
    trace_frame((uint8_t)(16u + sequence * 7u % 48u), sequence);
    kernel_mutex_lock(&store);
    telemetry.frames = sequence;
    work_us(250);
    kernel_mutex_unlock(&store);
    kernel_end_cycle();
}

/* Answer all frames that have been received, then wait for the next. A burst makes this a long piece of work. */
static void comms(void)
{
    kernel_sleep(RADIO_RESET);
    radio_start();
    for (uint32_t done = 0;;) {
        kernel_event_wait(&frame_ready);
        while (done != frames_received) {
            TLOG_COUNTER(queue_depth, (int32_t)(frames_received - done));
            answer_frame(++done);
        }
        TLOG_COUNTER(queue_depth, 0);
    }
}

/* Holds the bus for 4 ms of work: in a burst comms preempts it, and the bus stays locked much longer. */
static void write_page(uint32_t page, const struct telemetry *record)
{
    enum { WRITES = 4, WRITE_BYTES = 64 };
    kernel_mutex_lock(&bus);
    for (uint32_t i = 0; i < WRITES; i++) {
        trace_flash_write((uint8_t)page, (page * WRITES + i) * WRITE_BYTES);
        work_us(1000);
    }
    flash[page] = *record;
    kernel_mutex_unlock(&bus);
}

/* Write PAGES pages, one every LOGGER_PERIOD, then end the run. */
static void logger(void)
{
    for (uint32_t page = 0; page < PAGES; page++) {
        kernel_delay_until((page + 1u) * LOGGER_PERIOD + LOGGER_OFFSET);
        kernel_begin_cycle();
        kernel_mutex_lock(&store);
        struct telemetry record = telemetry;
        work_us(300);
        kernel_mutex_unlock(&store);
        work_us(2200);
        write_page(page, &record);
        kernel_end_cycle();
    }
    devices_stop();
    kernel_stop();
}

/* ---- start ---- */

enum { STACK_WORDS = 256, TASKS = 5 };

static uint32_t stacks[TASKS][STACK_WORDS] __attribute__((aligned(8)));
static struct kernel_task task[TASKS];

static void create_tasks(void)
{
    static const struct {
        const char *name;
        void (*entry)(void);
        uint32_t priority, deadline;
    } table[TASKS] = {
        {"sensor", sensor, PRIORITY_SENSOR, 0}, {"control", control, PRIORITY_CONTROL, CONTROL_PERIOD},
        {"comms", comms, PRIORITY_COMMS, 0},    {"logger", logger, PRIORITY_LOGGER, 0},
        {"init", init, PRIORITY_INIT, 0},
    };
    for (uint32_t i = 0; i < TASKS; i++) {
        struct kernel_task_config config = {
            table[i].name, table[i].entry, stacks[i], STACK_WORDS, table[i].priority, table[i].deadline,
        };
        kernel_task_create(&task[i], &config);
    }
}

/* tlog-decode shows these names in place of the numbers. */
static void name_things(void)
{
    tlog_name(TLOG_NAME_INTERRUPT, ADC, "adc");
    tlog_name(TLOG_NAME_INTERRUPT, RADIO, "radio");
    tlog_name(TLOG_NAME_INTERRUPT, RADIO_BH, "radio_bh");
}

int main(void)
{
#ifdef DEMO_CLOCK_START
    /* The timer counts down; demo_clock() inverts it. */
    BOARD_TIMER0->value = ~(uint32_t)(DEMO_CLOCK_START);
#endif
    tlog_start();
    calibrate();
    kernel_init();
    name_things();
    kernel_mutex_create(&store, MUTEX_STORE, "store", true);
    kernel_mutex_create(&bus, MUTEX_BUS, "bus", DEMO_FIXED);
    create_tasks();
    kernel_start();
    return expect_save();
}
