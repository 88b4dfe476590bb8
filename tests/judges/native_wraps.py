"""native_wraps.py - wraps of the clock that the firmware has not seen, section 1.3 of target/FORMAT.md, written from it
alone: where only low words tell the time, and where a coarse clock tells it, too."""
from native_image import M32, WRAP

LOW = 6                                                 # slots behind that show a wrap, if they tell no wraps
NEAR = 8                                                # slots at the beginning of a lap


def begins(cell):
    """Whether a slot tells a time: a record, or the first slot of a traceevent."""
    return cell.is_record() or cell.part < 2


def lap_of(cell):
    return cell.lap, cell.image.number


def tell(cells, coarse):
    """[cell, stamp as the firmware counts wraps, whether it tells wraps] of the slots of a ring, in order."""
    told = [[c, coarse_stamp(c) if coarse(c) else c.stamp() if c.is_time() else None, coarse(c) or c.is_time()]
            for c in cells if begins(c)]
    after = [None] * (len(told) + 1)                            # the next one that tells wraps
    for i in range(len(told) - 1, -1, -1):
        after[i] = i if told[i][2] else after[i + 1]
    base = None                                                 # the one before that tells them
    for i, entry in enumerate(told):
        lap, low, before = lap_of(entry[0]), entry[0].clock, told[i - 1] if i else None
        if entry[2]:
            base = entry
        if entry[1] is not None:
            continue
        behind = after[i]
        if behind is not None and lap_of(told[behind][0]) != lap \
                and not any(coarse(e[0]) and compares(e[0].image) for e in told[behind:behind + 2]):
            behind = None                               # of another lap only a COARSE slot at its beginning counts
        inside = before is not None and lap_of(before[0]) == lap
        if inside or behind is None:
            last = before[1] if before else 0
            follows, count = last + (low - last & M32), base[1] if base and lap_of(base[0]) == lap else last
            near = behind is not None and lap_of(told[behind][0]) == lap and told[behind][1] - count < WRAP
            near = near and follows <= told[behind][1] or not inside
            entry[1] = follows if near else count & ~M32 | low
        else:                                                   # ahead of the lap's first stamp: counted back from it
            time = told[behind][1]
            for e in reversed(told[i:behind]):
                back = time - e[0].clock & M32
                e[1] = time = time - back if time >= back else e[0].clock
    return told


def coarse_stamp(cell):
    return cell.words[1] << 32 | cell.clock


def last_told(lap):
    """The index of the last slot of a lap that tells its wraps; None: there is none. All COARSE slots in it do."""
    return next((i for i in range(len(lap) - 1, -1, -1) if lap[i].is_time() or is_coarse(lap[i])), None)


# ---- the coarse clock ------------------------------------------------------------------------------------------------

def compares(image):
    """Whether the rates of the two clocks are known, and such that the coarse one tells wraps of the other."""
    return image.freq and image.coarse and 4 <= image.freq // image.coarse <= 1 << 29


def passed(a, b):
    """Ticks from one COARSE slot to another."""
    image, ticks = b.image, b.clock - a.clock & M32
    about = (b.words[0] - a.words[0] & M32) * image.freq // image.coarse
    back = (a.words[0] - b.words[0] & M32) * image.freq // image.coarse
    about = (0 if back < WRAP // 2 else about) + WRAP // 2
    return ticks if about < ticks else (about - ticks) // WRAP * WRAP + ticks


def missed(a, b):
    """Wraps from one COARSE slot to another that the firmware has not counted."""
    return (passed(a, b) - coarse_stamp(b) + coarse_stamp(a)) // WRAP


def believed(coarse):
    """Those of the COARSE slots that are believed."""
    agree, found, lack = [missed(a, b) == 0 for a, b in zip(coarse, coarse[1:])], [], 0
    for k, c in enumerate(coarse):
        more = missed(found[-1], c) if found else 0
        if c.image.sealed or True in agree[max(k - 1, 0):k + 1] or lack > 0 and more == -lack:
            lack = max(lack + more, 0)
            found.append(c)
    return found


def lacking(coarse):
    """How many wraps each of them lacks."""
    lack = [0]
    for a, b in zip(coarse, coarse[1:]):
        lack.append(lack[-1] + missed(a, b))
    return [wraps - min(lack) for wraps in lack]


def may_be_watched(ahead, behind):
    """Whether the firmware may have looked at the clock in each half wrap between two times."""
    return not (ahead | behind) >> 31 & 1 and behind >> 32 == (ahead >> 32) + 1


def is_watched(told, start, end):
    """Whether it has, from one COARSE slot to the next, between which there is only a TIME slot, if anything."""
    beside = lap_of(told[start][0]) == lap_of(told[end][0])
    alone = end == start + 1 or end == start + 2 and told[start + 1][0].is_control(1)
    return beside and alone and may_be_watched(told[start][1], told[end][1])


def was_idle(told, last, jump, end, watches):
    """Whether it was idle there, and not earlier."""
    looks = watches or told[end][0].s > NEAR and end + 1 < len(told)
    return may_be_watched(told[last][1], told[jump][1]) and looks


def begins_lap(told, i, end):
    """Whether a slot begins a lap together with a COARSE slot: BUFFER or TIME."""
    cell = told[i][0]
    return lap_of(cell) == lap_of(told[end][0]) and cell.clock == told[end][0].clock and cell.kind == 1 \
        and cell.event in (1, 2)


def interval(told, lack, start, end, before, after, watches):
    """Fill the wraps that slots behind `start` up to the COARSE slot `end` lack: `before` there, `after` here."""
    jump = next((i for i in range(end, start + 1, -1) if told[i][1] - told[i - 1][1] >= WRAP), end)
    while jump == end or told[jump][0].is_control(1):               # the slots that begin a lap count as one
        if told[end][0].s > NEAR or jump <= start + 1 or not begins_lap(told, jump - 1, end):
            break
        jump -= 1
    last = max(jump - 1, 0)
    left = told[jump][1] + after * WRAP - told[last][1] - before * WRAP
    place, n, rest, stepped = jump, max(left, 0) // WRAP, left % WRAP, False
    if before == after and was_idle(told, last, jump, end, watches):
        rest = WRAP
    first = last
    while first > max(start, 0) and told[first - 1][1] >> 31 == told[last][1] >> 31:
        first -= 1
    for i in range(start + 1, jump):
        lack[i] = before
    for i in range(first + 1, jump) if n > 0 else ():
        idle = told[i][1] - told[i - 1][1]
        if idle < 0 or not stepped and idle > rest:
            if idle < 0 and stepped and n > 1:
                before, n = before + 1, n - 1
                lack[place:i] = [before] * (i - place)
            place, rest, stepped = i, idle, idle < 0
    if place < jump:
        lack[place:jump] = [before + n] * (jump - place)
    lack[jump:end + 1] = [after] * (end + 1 - jump)


# ---- both ------------------------------------------------------------------------------------------------------------

def step(told, lack, start, wraps):
    """Behind the last COARSE slot, `start`, only steps back tell."""
    for i in range(start + 1, len(told)):
        need = 2 if told[i][2] else LOW
        ahead = sorted(told[k][1] + lack[k] * WRAP for k in range(max(i - 5, 0), i))
        latest = (ahead[-2] if len(ahead) > 1 else 0) if told[i][2] else ahead[0] if len(ahead) == 5 else 0
        behind = [entry[1] + wraps * WRAP for entry in told[i:i + need]]
        if len(behind) > 1 and all(0 < latest - time < WRAP // 2 for time in behind):
            wraps += 1
        lack[i] = wraps


def is_coarse(cell):
    return cell.is_control(0x103)


def silence(cells):
    """What COARSE slots are believed, {id: cell}: the others become silent. If the two clocks cannot be compared all
    are believed, but none tells of wraps that were not seen."""
    known = [c for c in cells if is_coarse(c) and compares(c.image)]
    unknown = [c for c in cells if is_coarse(c) and c.image.coarse and not compares(c.image)]
    numbers = {id(cell): cell for cell in believed(known) + unknown}
    for cell in cells:
        if is_coarse(cell) and id(cell) not in numbers:
            cell.state = "silent"
    return numbers


def settle(cells):
    """Give a time to all slots of a ring that tells no wraps by records, or has a coarse clock."""
    numbers = silence(cells)
    told = tell([c for c in cells if c.state == "event"], lambda cell: id(cell) in numbers)
    ends = [i for i, entry in enumerate(told) if id(entry[0]) in numbers and compares(entry[0].image)]
    coarse = [told[i][0] for i in ends]
    watches = any(is_watched(told, a, b) for a, b in zip(ends, ends[1:]))
    lack, start, wraps = [0] * len(told), -1, 0
    for end, after in zip(ends, lacking(coarse)):
        interval(told, lack, start, end, wraps, after, watches)
        start, wraps = end, after
    step(told, lack, start, wraps)
    for (cell, stamp, _), n, before in zip(told, lack, [0] + lack):
        cell.time, cell.wrap = stamp + n * WRAP, n > before
