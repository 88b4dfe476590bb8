"""mutants_thumb.py - the mutants of one Thumb-2 instruction, as encodings (ARMv7-M Architecture Reference Manual,
chapter A5). For mutants.py.

mutations(code, following) yields lists of halfwords to put in the place of the instruction. `code` is the instruction's
halfwords, `following` those of the next instruction. Some may be invalid; the caller must disassemble them."""

NOP, NOP_W = 0xBF00, [0xF3AF, 0x8000]


def field(value, high, low):
    return value >> low & (1 << high - low + 1) - 1


def put(value, high, low, number):
    mask = (1 << high - low + 1) - 1
    return value & ~(mask << low) | (number & mask) << low


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


def vary(value, high, low, step=1):
    """The word with the number in a field increased and decreased by step, as far as the field has room."""
    number, top = field(value, high, low), (1 << high - low + 1) - 1
    return [put(value, high, low, n) for n in (number + step, number - step) if 0 <= n <= top]


def other(register, taken=(), count=8):
    """Another register: the next one that is not taken."""
    for step in range(1, count):
        if (register + step) % count not in taken:
            return (register + step) % count


def split(word):
    return [word >> 16, word & 0xFFFF]


# ---- 16 bits ---------------------------------------------------------------------------------------------------------

ALU = {0: (12, 14), 1: (12, 0), 2: (3,), 3: (2,), 4: (3,), 5: (6,), 6: (5,), 8: (10,), 9: (15,), 10: (8, 11), 11: (10,),
       12: (0, 1), 14: (0,), 15: (9,)}  # and eor lsl lsr asr adc sbc - tst neg cmp cmn orr - bic mvn


def narrow_branch(h):
    if field(h, 15, 12) == 13 and field(h, 11, 8) < 14:
        yield [h ^ 0x100]
        yield [0xE000 | signed(h & 0xFF, 8) & 0x7FF]
    elif h & 0xF500 == 0xB100:  # cbz, cbnz
        yield [h ^ 0x800]
        yield [0xE000 | field(h, 9, 9) << 5 | field(h, 7, 3)]
    elif field(h, 15, 8) == 0xBF and h & 15:  # it: the bits above the lowest set bit tell "then" from "else"
        last = (h & 15) & -(h & 15)
        yield [h ^ 0x10 ^ (0xF & ~(2 * last - 1))]


def narrow_arithmetic(h):
    if field(h, 15, 13) == 0 and field(h, 12, 11) < 3:  # shifts by a number
        yield from ([v] for v in vary(h, 10, 6))
        if field(h, 12, 11) < 2 and field(h, 10, 6):
            yield [h ^ 0x800]
    elif field(h, 15, 11) == 3:  # add, sub of a register or three bits
        yield [h ^ 0x200]
        if h & 0x400:
            yield from ([v] for v in vary(h, 8, 6))
        elif h & 0x200:
            yield [put(put(h, 8, 6, field(h, 5, 3)), 5, 3, field(h, 8, 6))]
    elif field(h, 15, 13) == 1:  # mov, cmp, add, sub of eight bits
        yield from ([v] for v in vary(h, 7, 0))
        if h & 0x1000:
            yield [h ^ 0x800]
    elif field(h, 15, 10) == 16:
        yield from ([put(h, 9, 6, n)] for n in ALU.get(field(h, 9, 6), ()))
    elif field(h, 15, 8) == 0x46 or field(h, 15, 8) == 0x45:  # mov, cmp of any registers
        yield [put(h, 6, 3, other(field(h, 6, 3), (13, 15), 16))]
    elif field(h, 15, 8) == 0xB2:  # sxth, sxtb, uxth, uxtb
        yield from ([v] for v in (h ^ 0x40, h ^ 0x80))
    elif field(h, 15, 12) == 10 or field(h, 15, 8) == 0xB0:
        yield from ([v] for v in vary(h, 7 if field(h, 15, 12) == 10 else 6, 0))


def narrow_memory(h):
    top = field(h, 15, 12)
    if top in (6, 7, 8):
        yield from ([v] for v in vary(h, 10, 6))
        if not h & 0x800:
            yield [put(h, 2, 0, other(h & 7))]
    elif top == 9 or field(h, 15, 11) == 9:
        yield from ([v] for v in vary(h, 7, 0))
        if top == 9 and not h & 0x800:
            yield [put(h, 10, 8, other(field(h, 10, 8)))]
    elif top == 5 and field(h, 11, 9) < 3:  # str of two registers
        yield [put(h, 2, 0, other(h & 7))]


# ---- 32 bits ---------------------------------------------------------------------------------------------------------

AND, BIC, ORR, ORN, EOR, ADD, ADC, SBC, SUB, RSB = 0, 1, 2, 3, 4, 8, 10, 11, 13, 14
WIDE = {AND: (ORR, BIC), BIC: (AND,), ORR: (AND, EOR), EOR: (ORR, AND), ADD: (SUB,), ADC: (SBC,), SBC: (ADC,),
        SUB: (ADD,), RSB: (SUB,)}
TESTS = {AND: (EOR, SUB), EOR: (AND, SUB), SUB: (AND, ADD), ADD: (SUB,)}  # tst, teq, cmp, cmn
MOVES = {ORR: (ORN,), ORN: (ORR,)}  # mov, mvn


def exchanges(w):
    """The instruction with the same operands and another operation."""
    is_test = field(w, 11, 8) == 15 and w >> 20 & 1
    table = TESTS if is_test else MOVES if field(w, 19, 16) == 15 else WIDE
    return [put(w, 24, 21, n) for n in table.get(field(w, 24, 21), ())]


def wide_branch(w):
    if w >> 27 == 0x1E and w & 0xD000 == 0x8000 and field(w, 25, 22) < 14:
        yield split(w ^ 1 << 22)
        sign, j1, j2 = w >> 26 & 1, w >> 13 & 1, w >> 11 & 1
        offset = signed(sign << 19 | j2 << 18 | j1 << 17 | field(w, 21, 16) << 11 | w & 0x7FF, 20)
        yield split(0xF000B800 | (offset >> 23 & 1) << 26 | field(offset, 20, 11) << 16 | offset & 0x7FF)


def expand(w):
    """The constant of a data-processing instruction; None if it is a repeated byte."""
    kind, low = (w >> 26 & 1) << 4 | field(w, 14, 12) << 1 | w >> 7 & 1, w & 0xFF
    if kind < 8:
        return low if kind < 2 else None
    return (low | 0x80) << 32 - kind


def contract(w, value):
    """The instruction with another constant, in a list; an empty list if no encoding has that constant."""
    for kind in range(32):
        for low in range(128):
            tried = put(put(put(w, 26, 26, kind >> 4), 14, 12, kind >> 1), 7, 0, (kind & 1) << 7 | low)
            if expand(tried) == value:
                return [tried]
    return []


def constants(w):
    """The instruction with other constants: a mask loses one bit or has its bit in another place; a number becomes one
    more and one less or, if that cannot be encoded, a number near it."""
    value = expand(w)
    if value is None:
        return vary(w, 7, 0)
    if field(w, 24, 21) > EOR or field(w, 19, 16) == 15 and field(w, 24, 21) in MOVES:
        exact = [v for n in (value + 1, value - 1) if n >= 0 for v in contract(w, n)]
        return exact if len(exact) == 2 or value < 256 else vary(w, 7, 0)
    if value & value - 1:
        masks = (value & value - 1, value ^ 1 << value.bit_length() - 1)
    else:
        masks = (value << 1 & 0xFFFFFFFF, value >> 1)
    return [v for mask in masks if mask for v in contract(w, mask)]


def wide_immediate(w):
    if w >> 27 != 0x1E or w & 0x8000:
        return
    if not w >> 25 & 1:
        yield from (split(v) for v in constants(w) + exchanges(w))
        return
    operation = field(w, 24, 20)
    if operation in (0, 10):  # addw, subw
        yield from (split(v) for v in vary(w, 7, 0))
        yield split(w ^ 0x00A00000)
    elif operation in (4, 12):  # movw, movt
        yield from (split(v) for v in vary(w, 7, 0))
    elif operation in (20, 22, 28):  # sbfx, bfi, ubfx: first bit, and number of bits or last bit
        yield from (split(v) for v in vary(w, 4, 0) + vary(w, 7, 6) + vary(w, 14, 12))


def wide_register(w):
    if w >> 25 == 0x75:
        amount = field(w, 14, 12) << 2 | field(w, 7, 6)
        yield from (split(v) for v in exchanges(w))
        if amount:
            yield from (split(put(put(w, 14, 12, n >> 2), 7, 6, n)) for n in (amount + 1, amount - 1) if 0 < n < 32)
            if field(w, 5, 4) < 2:
                yield split(w ^ 0x10)
        elif field(w, 24, 21) in (SUB, BIC) and field(w, 11, 8) != 15:
            yield split(put(put(w, 19, 16, w & 15), 3, 0, field(w, 19, 16)))
    elif w >> 23 == 0x1F4 and field(w, 22, 21) < 2:  # lsl, lsr by a register
        yield split(w ^ 1 << 21)


def wide_memory(w):
    if w >> 25 != 0x7C:
        return
    size, is_load = field(w, 22, 21), w >> 20 & 1
    if size == 3 or w >> 24 & 1 and not is_load:
        return
    step = 1 << size
    if field(w, 19, 16) == 15 or w >> 23 & 1:
        yield from (split(v) for v in vary(w, 11, 0, step))
    elif w >> 11 & 1:
        yield from (split(v) for v in vary(w, 7, 0, step))
    else:
        yield from (split(v) for v in vary(w, 5, 4))
    if not is_load:
        yield split(put(w, 15, 12, other(field(w, 15, 12), (), 13)))
    elif size > 0 and field(w, 15, 12) != 15:
        yield split(put(w, 22, 21, 3 - size))


def double(w):
    """ldrd, strd"""
    if field(w, 31, 25) == 0x74 and w >> 22 & 1 and (w >> 24 & 1 or w >> 21 & 1):
        yield from (split(v) for v in vary(w, 7, 0))
        first, second = field(w, 15, 12), field(w, 11, 8)
        yield split(put(put(w, 15, 12, second), 11, 8, first))
        if not w >> 20 & 1:
            yield split(put(w, 15, 12, other(first, (second,), 13)))
            yield split(put(w, 11, 8, other(second, (first,), 13)))


def multiple(w):
    """ldm, stm not of the stack: with and without write-back, on the other side of the base, with one register less"""
    if field(w, 31, 25) == 0x74 and not w >> 22 & 1 and field(w, 24, 23) in (1, 2) and field(w, 19, 16) != 13:
        yield split(w ^ 1 << 21)
        yield split(w ^ 3 << 23)
        yield split(w & w - 1)


def done(register, following):
    """A branch to put in the place of the cbz that tests the result of a store-exclusive, so that it always takes the
    way of success; None if no such cbz follows."""
    if len(following) == 1 and following[0] & 0xFD07 == 0xB100 | register:
        return [0xE000 | field(following[0], 9, 9) << 5 | field(following[0], 7, 3)]
    return None


def exclusive(w, following):
    base, register, offset = field(w, 19, 16), field(w, 15, 12), w & 0xFF
    if w >> 20 == 0xE85:
        yield from (split(v) for v in vary(w, 7, 0))
        yield split(0xF8D00000 | base << 16 | register << 12 | offset * 4)
    elif w >> 20 == 0xE84:
        result = field(w, 11, 8)
        yield from (split(v) for v in vary(w, 7, 0))
        yield split(put(w, 15, 12, other(register, (result,), 13)))
        plain = split(0xF8C00000 | base << 16 | register << 12 | offset * 4)
        if result < 8:  # nothing is stored, but the result says success
            yield [0x2000 | result << 8, NOP]
        if done(result, following):  # a plain store, and the result says success
            yield plain + done(result, following)
        elif result < 8 and register < 8 and base < 8 and offset < 32:
            yield [0x6000 | offset << 6 | base << 3 | register, 0x2000 | result << 8]
        else:
            yield plain


def mutations(code, following):
    if code in ([NOP], NOP_W, [0]):  # 0 is padding between functions
        return
    if len(code) == 1:
        yield [NOP]
        for kind in (narrow_branch, narrow_arithmetic, narrow_memory):
            yield from kind(code[0])
        return
    yield NOP_W
    word = code[0] << 16 | code[1]
    for kind in (wide_branch, wide_immediate, wide_register, wide_memory, double, multiple):
        yield from kind(word)
    yield from exclusive(word, following)
