// more.cc - events from templates, lambdas, members and namespaces of C++.
#include "events.h"

namespace deep {
TLOG_DEFINE_EVENT(in_namespace, (u8, a))
TLOG_DEFINE_SPAN(inner)

template <class Type> struct logger {
    Type value;
    void log() const
    {
        TLOG_SPAN_SCOPE(inner);
        trace_in_namespace(static_cast<uint8_t>(value));
        trace_adc_sample(5, static_cast<int16_t>(value));
        TLOG_COUNTER(in_template, static_cast<int32_t>(value));
    }
};
} // namespace deep

template <class Type> static inline void log_twice(Type value)
{
    auto log = [](Type a) { trace_adc_sample(6, static_cast<int16_t>(a)); };
    log(value);
    log(value + 1);
    TLOG_COUNTER(queue_depth, value);
}

void log_cxx(void)
{
    deep::logger<int>{1}.log();
    deep::logger<long>{2}.log();
    log_twice(10);
    log_twice(short(20));
}
