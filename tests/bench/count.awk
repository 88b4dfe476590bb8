# count.awk - instructions per call of emit(), from QEMU's log of executed instructions (-singlestep -d exec,nochain).
#
#   awk -v emit=ADDRESS -v from=ADDRESS -v to=ADDRESS -v slow=ADDRESS -v enter=ADDRESS -v leave=ADDRESS \
#       -f count.awk MASKS LOG
#
# A call begins where control goes from the caller [from, to) to emit and ends where it is back there; its count is less
# one, for the return of an empty wrapper. Consecutive equal addresses are one instruction: QEMU translates some loads
# of devices twice. Addresses are 8 hexadecimal digits, compared as text. MASKS: a line per instruction of the image
# that writes PRIMASK, BASEPRI or FAULTMASK: "ADDRESS on" (cpsid), "ADDRESS off" (cpsie), "ADDRESS turn" (msr: it
# depends). Masked are the instructions after such a one, up to and including the one that unmasks.
#
# Not counted are interrupts, from the first instruction of their handler, at the address enter, to the last one, at the
# address leave.
#
# Prints "name value" lines; "fast" are the calls that did not come by the address slow, the others are "slow"; "path"
# has the addresses that the first of the calls with the most frequent count executed, the return included.

function finish(count) {
    count = steps - 1
    calls++
    sum += count
    if (calls == 1 || count < least) least = count
    if (count > most) most = count
    if (went_slow) {
        slow_calls++
        slow_sum += count
        if (count > slow_most) slow_most = count
    } else {
        fast_sum += count
        if (count > fast_most) fast_most = count
    }
    masked_sum += masked
    if (!histogram[count]++) paths[count] = path()
}

# The addresses that the call has executed.
function path(    text, i) {
    for (i = 1; i <= steps; i++) text = text " " step[i]
    return text
}

function mask_state(kind) {
    if (window)
        masked++
    if (window && masked - window_start > longest) longest = masked - window_start
    if (kind == "on" || kind == "turn" && !window) {
        if (!window) window_start = masked
        window = 1
    } else if (kind == "off" || kind == "turn") {
        window = 0
    }
}

BEGIN { emit = emit ""; from = from ""; to = to ""; slow = slow ""; enter = enter ""; leave = leave "" }

FILENAME != ARGV[2] { masks[$1 ""] = $2; next }

/^Trace / {
    split($4, word, "/")
    pc = word[2] ""
    if (pc == last) next
    if (pc == enter) interrupted = 1
    if (interrupted) {
        interrupted = pc != leave
        interrupts += !interrupted && inside
        next
    }
    if (inside) {
        if (pc >= from && pc < to) {
            inside = 0
            finish()
        } else {
            step[++steps] = pc
        }
    } else if (pc == emit && last >= from && last < to) {
        inside = steps = 1
        step[1] = pc
        went_slow = masked = 0
    }
    if (inside) {
        if (pc == slow) went_slow = 1
        if (pc in masks) mask_state(masks[pc])
        else if (window) masked++
    }
    last = pc
}

END {
    if (inside || calls == 0) {
        print "count.awk: " (inside ? "the log ends within a call" : "no call in the log") > "/dev/stderr"
        exit 1
    }
    print "calls", calls
    printf "average %.2f\n", sum / calls
    print "least", least
    print "worst", most
    print "interrupts", interrupts + 0
    if (calls > slow_calls) {
        printf "fast_average %.2f\n", fast_sum / (calls - slow_calls)
        print "fast_worst", fast_most
    }
    print "slow_calls", slow_calls + 0
    if (slow_calls) {
        printf "slow_average %.2f\n", slow_sum / slow_calls
        print "slow_worst", slow_most
    }
    printf "masked_average %.2f\n", masked_sum / calls
    print "masked_longest", longest + 0
    usual = least
    for (count = least; count <= most; count++)
        if (count in histogram) {
            text = text " " count ":" histogram[count]
            if (histogram[count] > histogram[usual]) usual = count
        }
    print "histogram" text
    print "path" paths[usual]
}
