/* claim.pml - how writers go past a slot whose owner does not come back: the slot is claimed, noted, and skipped.
 *
 * ring.pml shows that a step of the ring is right though an interrupt comes between any two of its loads and stores: the
 * store-exclusive of a step fails then. So here such a step is one: the conditions looked at inside the window, and the
 * store. Writers are threads that take turns as they like between any two steps; interrupts that nest are among that.
 * ring.pml also shows that the slots of a lap are in the order of their stamps. So here an event bears its lap only, and
 * a reader, who looks after every store, must find exactly those events that were published in time.
 *
 * A context that is killed is one that makes no more steps: the last checks are made as soon as all threads but KILLS
 * have ended, wherever those others stand.
 *
 * CPUS=2: thread 1 is moved to another CPU at any moment. A window of his is four steps then, between which the writers
 * of the ring's own CPU go on; a writer on that CPU is still alone in his window, but for the moved one.
 *
 * TELLS: so often it is told that no context is in the middle of a call, at any moment when that is so: those that are
 * then are killed there, and run no more. A thread that is stopped for any time and goes on is none of these.
 *
 * Parameters: THREADS, LOGS (events of each), LOGS_1 (of thread 1), CHUNKS, SLOTS, NOTES (of a chunk), PARTS (most slots
 * of an event), PARTS_1 (slots of an event of thread 1), REFUSES (so many events are dropped though there may be room),
 * KILLS, DEAD (1: the first slot, 2: the last one, too, has an owner who was killed long ago, and a note if there are
 * enough), STOP (the last chunk stops), LAPS_APART (laps that a note can tell apart, 0: all), UNLISTED (there are fewer
 * notes than stuck owners: slots are passed that no note tells of).
 * BUG_...: one mistake each, which must be found. */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef LOGS
#define LOGS 3
#endif
#ifndef LOGS_1
#define LOGS_1 LOGS
#endif
#ifndef CHUNKS
#define CHUNKS 1
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef NOTES
#define NOTES SLOTS
#endif
#ifndef PARTS
#define PARTS 1
#endif
#ifndef PARTS_1
#define PARTS_1 0 /* any number up to PARTS */
#endif
#ifndef REFUSES
#define REFUSES 0
#endif
#ifndef KILLS
#define KILLS 0
#endif
#ifndef STOP
#define STOP 0
#endif
#ifndef LAPS_APART
#define LAPS_APART 0
#endif
#ifndef UNLISTED
#define UNLISTED 0
#endif
#ifndef DEAD
#define DEAD 0
#endif
#ifndef CPUS
#define CPUS 1
#endif
#ifndef TELLS
#define TELLS 0
#endif

#define ODD   1
#define EVEN  2
#define BOTH  3
#define CELLS (CHUNKS * SLOTS)
#define WORDS (CHUNKS * NOTES)

/* What a slot's head says beside the tag: the slots of the event that begins there, or this. */
#define EMPTY 0
#define MORE  9 /* a slot 2..n of a combine event */

/* What a writer logs. */
#define USER 0
#define PAD  1
#define OWN  2 /* the record of a loss */

/* The steps. */
#define NONE    0
#define RESERVE 1
#define TURN    2
#define COUNT   3
#define HOME    4
#define PARK    5
#define OPEN    6
#define CLAIM   7
#define NOTE    8
#define SKIP    9
#define CLEAN   10 /* the head of a slot whose owner came back */
#define CLEAR   11 /* its note */
#define FAIL    12
#define FREE    13 /* the head of a slot whose owner never comes */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

byte index[CHUNKS] = SLOTS; /* cursor: SLOTS = full */
byte ctag[CHUNKS] = EVEN;
byte lap[CHUNKS];
byte home;
byte tag[CELLS] = EVEN;
byte head[CELLS];  /* EMPTY, slots, or MORE */
byte nslot[WORDS]; /* notes: index of the slot from 1 on, 0 = no note */
byte nlap[WORDS];
byte extra, dropped, reported;
#if TELLS
byte tlap[CHUNKS], tindex[CHUNKS]; /* where the chunk stood when it was told; lap 0: never */
#endif

/* ---- what the target does not know ------------------------------------------------------------------------------- */

bool owned[CELLS]; /* the slot has an owner who has not published */
byte in_lap[CELLS]; /* lap in which the event of the head was reserved; the target knows it of claimed slots: the lap
                       of the claim */
#if TELLS
byte who[CELLS];            /* that owner */
bool in_call[THREADS + 1];  /* by thread */
bool dead[THREADS + 1];
byte deaths;
#endif
bool late[CELLS];  /* its slot was claimed before it was published */
byte attempted;
byte begun;        /* of them, neither reserved nor dropped yet */
byte due;          /* slots that are no events and not yet added to extra */
byte told, telling; /* losses that records told of; that were taken to be told of */
byte refused, ended;

#define tag_of(n)     ((n) % 2 == 1 -> ODD : EVEN)
#define cell(c, i)    ((c) * SLOTS + (i))
#define word(c, w)    ((c) * NOTES + (w))
#if LAPS_APART
#define short(k)      ((k) % LAPS_APART)
#else
#define short(k)      (k)
#endif
#define lap_now(c)    (lap[c] + (ctag[c] != BOTH && ctag[c] != tag_of(lap[c]) -> 1 : 0))

/* ---- the reader -------------------------------------------------------------------------------------------------- */

hidden byte i, c2, w, x, exp, l, q; /* of the inlines below, between whose steps nobody comes */
hidden byte total;
hidden byte skipped, seen[SLOTS + 2];

#ifdef BUG_READER_IGNORES_K
#define SKIPS(c, w, i, l) true
#else
#define SKIPS(c, w, i, l) (nlap[word(c, w)] == short(l) || (nlap[word(c, w)] == short(l - 1) && i >= index[c]))
#endif

/* Events of a chunk: in front of the cursor those of this lap, behind it those of the one before, but for those of slots
 * that a note tells to skip. */
inline look()
{
    d_step {
        total = 0;
        for (c2 : 0 .. CHUNKS - 1) {
            l = lap_now(c2);
            total = total + (l > 0 -> (l - 1) * SLOTS + index[c2] : 0);
            for (i : 0 .. SLOTS - 1) {
                x = cell(c2, i);
                exp = (i < index[c2] -> l : (l > 0 -> l - 1 : 0));
                skipped = false;
                for (w : 0 .. NOTES - 1) {
                    if
                    :: l > 0 && nslot[word(c2, w)] == i + 1 && SKIPS(c2, w, i, l) -> skipped = true
                    :: else
                    fi
                }
                seen[i] = exp > 0 && tag[x] == tag_of(exp) && head[x] != EMPTY && !skipped;
                assert(!seen[i] || in_lap[x] == exp || UNLISTED);              /* in order, none twice */
                assert(seen[i] || head[x] == EMPTY || in_lap[x] != exp || late[x]); /* none missing */
                skipped = false
            }
            for (i : 0 .. SLOTS - 1) { /* an event that is seen is seen whole */
                x = cell(c2, i);
                if
                :: seen[i] && head[x] > 1 && head[x] != MORE && !(UNLISTED && late[x]) ->
                   assert(seen[i + 1] && head[x + 1] == MORE && in_lap[x + 1] == in_lap[x]);
                   assert(head[x] == 2 || (seen[i + 2] && head[x + 2] == MORE && in_lap[x + 2] == in_lap[x]))
                :: else
                fi
            }
        }
        /* Events are the slots passed, but for those that are none, and the dropped ones. */
        assert(attempted - begun == total - extra - due + dropped);
        assert(told + telling == reported && reported <= dropped);
        i = 0; w = 0; x = 0; exp = 0; l = 0; c2 = 0; total = 0
    }
}

/* ---- several CPUs ------------------------------------------------------------------------------------------------ */

#if CPUS == 2
/* The words that can be watched. */
#define HOME_W    1
#define CUR_W(c)  (2 + (c))
#define LAP_W(c)  (2 + CHUNKS + (c))
#define HEAD_W(s) (2 + 2 * CHUNKS + (s))
#define NOTE_W(w) (2 + 2 * CHUNKS + CELLS + (w))
bool moved;              /* thread 1 runs on another CPU */
byte inside;             /* the writer on the ring's CPU that is inside a window; 0: none */
byte watched[THREADS + 1]; /* by thread; 0: nothing, or it was stored to */
#define GAP              skip }; atomic { skip
#define away             (_pid == 1 && moved)
#define ENTER(word)      watched[_pid] = word; inside = (away -> inside : _pid)
#define CAN_ENTER        (away || inside == 0)
#define LEAVE            watched[_pid] = 0; inside = (inside == _pid -> 0 : inside)
#define VALID            (watched[_pid] != 0)
#define STORED(word)     for (q : 1 .. THREADS) { watched[q] = (watched[q] == word -> 0 : watched[q]) }; q = 0
#ifdef BUG_NO_CPU_CHECK
#define MUST_DROP        false
#else
#define MUST_DROP        away
#endif
#else
#define GAP              skip
#define away             false
#define ENTER(word)      skip
#define CAN_ENTER        true
#define LEAVE            skip
#define VALID            true
#define STORED(word)     skip
#define MUST_DROP        false
hidden byte a, b, m, h, mine, room, act, act2; /* in a step only */
#endif

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

#ifdef BUG_NO_PARK
#define BEFORE_CLAIM(b) true
#else
#define BEFORE_CLAIM(b) (b) == BOTH
#endif
#ifdef BUG_NO_RENEWAL
#define IS_RENEWED(k, m) ((k) == short(m) || (k) == short(m - 1))
#else
#define IS_RENEWED(k, m) ((k) == short(m))
#endif
#ifdef BUG_OPEN_NOTED
#define IS_BACK(h, m) ((h) == tag_of(m))
#else
#define IS_BACK(h, m) true
#endif
#if LAPS_APART && !defined(BUG_NOT_CLEARED)
#define CLEARS true
#else
#define CLEARS false
#endif
#ifdef BUG_STALE_BELIEVED
#define IS_CURRENT(k, m) true
#else
#define IS_CURRENT(k, m) ((k) == short(m) || (k) == short(m - 1))
#endif

/* ---- the step that a chunk is in need of ------------------------------------------------------------------------- */

/* A note that no reader needs any more. */
#define is_stale(w) (nslot[w] == 0 || (nlap[w] != short(m) && (nlap[w] != short(m - 1) || nslot[w] <= a)))

/* mine: the note of slot a, or NOTES; room: where it can be written, or NOTES: its own, a free or a stale one; else that
 * of the slot claimed first, if that is still claimed and was so before slot a: its owner will hardly come back. */
inline find_note()
{
    mine = NOTES; room = NOTES;
    for (w : 0 .. NOTES - 1) {
        x = word(c, w);
        if
        :: nslot[x] == a + 1 -> mine = w
        :: nslot[x] != a + 1 && room == NOTES && is_stale(x) -> room = w
        :: else
        fi
    }
    room = (mine != NOTES -> mine : room);
#ifndef BUG_NO_YIELD
    if
    :: room == NOTES && h == BOTH ->
       l = in_lap[cell(c, a)];
       for (w : 0 .. NOTES - 1) {
           x = cell(c, nslot[word(c, w)] - 1);
           if
           :: tag[x] == BOTH && in_lap[x] < l -> room = w; l = in_lap[x]
           :: else
           fi
       }
       l = 0
    :: else
    fi;
#endif
    w = 0; x = 0
}

inline load_cursor()
{
    a = index[c]; b = ctag[c]; m = lap[c]
}

inline load_head()
{
    h = (a < SLOTS -> tag[cell(c, a)] : BOTH)
}

/* Whether n slots are free at the cursor. */
inline look_for_room()
{
    act = (b != BOTH && a + size <= SLOTS && (h & b) == 0 -> RESERVE : NONE);
    for (x : 1 .. PARTS - 1) {
        act = (x < size && a + x < SLOTS && (tag[cell(c, a + x)] & b) != 0 -> NONE : act)
    }
    x = 0
}

/* Whether slot a was reserved in lap l before it was told that no context was in the middle of a call. */
#if TELLS
#ifdef BUG_TOLD_A_LAP_EARLY
#define IS_ABANDONED(l) (tlap[c] > 0 && ((l) - 1 < tlap[c] || ((l) - 1 == tlap[c] && a < tindex[c])))
#elif defined(BUG_TOLD_SLOT_TOO)
#define IS_ABANDONED(l) (tlap[c] > 0 && ((l) < tlap[c] || ((l) == tlap[c] && a <= tindex[c])))
#else
#define IS_ABANDONED(l) (tlap[c] > 0 && ((l) < tlap[c] || ((l) == tlap[c] && a < tindex[c])))
#endif
#else
#define IS_ABANDONED(l) false
#endif

/* The next step of a writer who finds no room, for a parked chunk. */
inline decide_parked()
{
    find_note();
    if
    :: MUST_DROP -> act = FAIL
    :: !(MUST_DROP) && h == BOTH && IS_ABANDONED(in_lap[cell(c, a)] - 1) -> act = FREE
    :: !(MUST_DROP) && h == tag_of(m) && !(mine != NOTES && IS_CURRENT(nlap[word(c, mine)], m)) && IS_ABANDONED(m - 1) ->
       act = FREE
    :: else ->
       if
       :: h == BOTH && mine != NOTES && IS_RENEWED(nlap[word(c, mine)], m) -> act = SKIP
       :: h == BOTH && !(mine != NOTES && IS_RENEWED(nlap[word(c, mine)], m)) -> act = (room != NOTES -> NOTE : SKIP)
       :: h != BOTH && mine != NOTES && IS_CURRENT(nlap[word(c, mine)], m) && IS_BACK(h, m) ->
#ifdef BUG_NOTE_FIRST
          act = CLEAR
#else
          act = (head[cell(c, a)] == EMPTY && h == tag_of(m - 1) -> CLEAR : CLEAN)
#endif
       :: else -> act = (h == tag_of(m) -> CLAIM : OPEN)
       fi;
       act = (act == SKIP && budget == 0 -> FAIL : act)
    fi
}

inline decide()
{
    look_for_room();
    if
    :: act == RESERVE
    :: else ->
       if
       :: home != c -> act = NONE
       :: home == c && b != BOTH && b != tag_of(m) -> act = COUNT; to = c
       :: home == c && (b == BOTH || b == tag_of(m)) && a == SLOTS ->
          to = (c + 1) % CHUNKS;
          if
          :: STOP && c == CHUNKS - 1 -> act = FAIL
          :: ctag[to] != BOTH && ctag[to] != tag_of(lap[to]) -> act = COUNT
          :: else -> act = (index[to] == SLOTS -> TURN : HOME)
          fi
       :: home == c && BEFORE_CLAIM(b) && a < SLOTS && (b == BOTH || (h & b) != 0) -> decide_parked()
       :: home == c && !(BEFORE_CLAIM(b)) && b == tag_of(m) && a < SLOTS && (h & b) != 0 -> act = PARK
       :: else -> /* an event of several slots does not fit here */
          act = (b != BOTH && a < SLOTS && (h & b) == 0 && budget > 0 -> RESERVE : FAIL);
          pads = (act == RESERVE)
       fi
    fi
}

inline watch_it()
{
    if
    :: act == COUNT -> ENTER(LAP_W(to))
    :: act == TURN -> ENTER(CUR_W(to))
    :: act == HOME -> ENTER(HOME_W)
    :: act == CLAIM || act == CLEAN || act == FREE -> ENTER(HEAD_W(cell(c, a)))
    :: act == NOTE -> ENTER(NOTE_W(word(c, room)))
    :: act == CLEAR -> ENTER(NOTE_W(word(c, mine)))
    :: else -> ENTER(CUR_W(c))
    fi
}

/* The store of the step. */
inline perform()
{
    if
    :: act == RESERVE ->
       by = m + (b != tag_of(m) -> 1 : 0);
       at = cell(c, a);
       what = (pads && what == USER -> PAD : what);
       n = (what == USER -> size : 1);
       for (x : at .. at + n - 1) {
           assert(!owned[x]);
           owned[x] = true;
#if TELLS
           who[x] = _pid
#endif
       }
       index[c] = a + n;
       due = due + (what == USER -> n - 1 : 1);
       begun = begun - (what == USER -> 1 : 0);
       budget = budget - (what == PAD -> 1 : 0);
       x = 0;
       STORED(CUR_W(c))
    :: act == TURN -> index[to] = 0; ctag[to] = tag_of(lap[to]) ^ BOTH; STORED(CUR_W(to))
    :: act == COUNT -> lap[to] = lap[to] + 1; STORED(LAP_W(to))
    :: act == HOME -> home = to; STORED(HOME_W)
    :: act == PARK -> ctag[c] = BOTH; STORED(CUR_W(c))
    :: act == OPEN -> ctag[c] = tag_of(m); STORED(CUR_W(c))
    :: act == CLAIM ->
       assert(owned[cell(c, a)] || UNLISTED);
       tag[cell(c, a)] = BOTH; head[cell(c, a)] = EMPTY; in_lap[cell(c, a)] = m; late[cell(c, a)] = false;
       STORED(HEAD_W(cell(c, a)))
    :: act == NOTE -> nslot[word(c, room)] = a + 1; nlap[word(c, room)] = short(m); STORED(NOTE_W(word(c, room)))
    :: act == SKIP -> index[c] = a + 1; ctag[c] = tag_of(m); due++; budget--; STORED(CUR_W(c))
    :: act == CLEAN ->
       assert(!owned[cell(c, a)] || UNLISTED);
       tag[cell(c, a)] = tag_of(m - 1); head[cell(c, a)] = EMPTY; in_lap[cell(c, a)] = 0; late[cell(c, a)] = false;
       STORED(HEAD_W(cell(c, a)))
#if TELLS
    :: act == FREE ->
       assert(!owned[cell(c, a)] || dead[who[cell(c, a)]]);
       owned[cell(c, a)] = false;
       tag[cell(c, a)] = tag_of(m - 1); head[cell(c, a)] = EMPTY; in_lap[cell(c, a)] = 0; late[cell(c, a)] = false;
       STORED(HEAD_W(cell(c, a)))
#endif
    :: act == CLEAR -> nslot[word(c, mine)] = 0; nlap[word(c, mine)] = 0; STORED(NOTE_W(word(c, mine)))
    :: else
    fi;
    look()
}

/* One step of a writer: did tells which. Loads: cursor and lap, head, notes; then the store. */
inline step()
{
    atomic {
        CAN_ENTER;
        if
        :: CHUNKS > 1 -> c = home
        :: CHUNKS > 1 /* a chunk that was home */
        :: CHUNKS == 1
        fi;
        load_cursor();
        load_head();
        decide();
        watch_it();
#if CPUS == 2
        act2 = act;
        GAP;
        load_cursor();
        GAP;
        load_head();
        GAP;
        pads = false;
        decide();
        act = (act == act2 -> act : NONE);
        GAP;
#endif
        if
        :: VALID && act != NONE && act != FAIL -> perform(); did = act; c = (did == COUNT -> to : c)
        :: !VALID && act != FAIL -> did = NONE
        :: else -> did = act; c = (act == NONE -> home : c)
        fi;
        LEAVE;
        pads = false; to = 0; a = 0; b = 0; m = 0; h = 0; mine = 0; room = 0; act = 0; act2 = 0
    }
}

/* ---- a writer ---------------------------------------------------------------------------------------------------- */

inline publish(s, part)
{
    d_step {
        late[s] = tag[s] == BOTH;
        tag[s] = tag_of(by);
        head[s] = (part == 1 -> n : MORE);
        in_lap[s] = by;
        owned[s] = false;
        look();
        STORED(HEAD_W(s))
    }
}

#ifdef BUG_HEAD_FIRST
#define FIRST publish(at, 1)
#define LAST  skip
#else
#define FIRST skip
#define LAST  publish(at, 1)
#endif

inline fill()
{
    if
    :: what != USER || n > 1 ->
       d_step {
           extra = extra + (what == USER -> n - 1 : 1);
           due = due - (what == USER -> n - 1 : 1)
       }
    :: else
    fi;
    FIRST;
    if
    :: n > 1 -> publish(at + 1, 2)
    :: else
    fi;
    if
    :: n > 2 -> publish(at + 2, 3)
    :: else
    fi;
    LAST;
    d_step {
        told = told + (what == OWN -> count : 0);
        telling = telling - (what == OWN -> count : 0);
        at = 0; by = 0; n = 0
    }
}

/* Of the laps a note has the low bits only. So who counts a lap takes away notes that would some day look like new. */
inline clear_stale()
{
    for (note : 0 .. NOTES - 1) {
        d_step {
            l = lap_now(c);
            if
            :: nslot[word(c, note)] != 0 && nlap[word(c, note)] != short(l) && nlap[word(c, note)] != short(l - 1) ->
               nslot[word(c, note)] = 0;
               nlap[word(c, note)] = 0;
               look()
            :: else
            fi;
            l = 0
        }
    }
    note = 0
}

/* Park home, so that the next event takes the slow path. */
inline park_for_loss()
{
    do
    :: atomic {
           CAN_ENTER;
           c = home;
           load_cursor();
           if
           :: b != BOTH && b != tag_of(m) -> ENTER(LAP_W(c))
           :: else -> ENTER(CUR_W(c))
           fi;
           GAP;
           if
           :: VALID && b != BOTH && b != tag_of(m) -> lap[c] = m + 1; STORED(LAP_W(c)); look(); b = NONE
           :: VALID && (b == BOTH || b == tag_of(m)) -> ctag[c] = BOTH; STORED(CUR_W(c)); look(); b = PARK
           :: else -> b = NONE
           fi;
           LEAVE;
           a = 0; m = 0;
           if
           :: b == PARK -> b = 0; break
           :: else -> b = 0
           fi
       }
    od
}

#if TELLS
proctype writer(byte logs) provided (!dead[_pid])
#else
proctype writer(byte logs)
#endif
{
    byte c, to, at, by, n, size, what, count, did, budget, keep, note;
    bool pads;
#if CPUS == 2
    byte a, b, m, h, mine, room, act, act2;
#endif

    do
    :: logs == 0 -> break
    :: else ->
       atomic {
           attempted++; begun++; c = home;
#if TELLS
           in_call[_pid] = true;
#endif
           if
           :: PARTS_1 > 0 && _pid == 1 -> size = PARTS_1
           :: !(PARTS_1 > 0 && _pid == 1) -> size = 1
           :: !(PARTS_1 > 0 && _pid == 1) && PARTS > 1 -> size = 2
           :: !(PARTS_1 > 0 && _pid == 1) && PARTS > 2 -> size = 3
           fi;
           budget = SLOTS; what = USER; did = NONE;
           if
           :: refused < REFUSES -> refused++; did = FAIL
           :: true
           fi
       }
       do
       :: did == RESERVE ->
          fill();
          if
          :: atomic { what == USER -> did = NONE }; break
          :: atomic { else -> size = (what == OWN -> keep : size); what = USER; count = 0; keep = 0; did = NONE }
          fi
       :: did == FAIL ->
          if
          :: atomic { what == OWN -> reported = reported - count; telling = telling - count; count = 0; look() };
             park_for_loss();
             atomic { what = USER; size = keep; keep = 0; did = NONE }
          :: atomic { what == USER -> dropped++; begun--; look() };
             park_for_loss();
             did = NONE;
             break
          fi
       :: did == SKIP -> d_step { extra++; due--; did = OPEN }
       :: did == COUNT && CLEARS -> clear_stale(); did = NONE
       :: atomic { did == OPEN && what == USER && dropped != reported ->
             count = dropped - reported; telling = telling + count; reported = dropped;
             what = OWN; keep = size; size = 1; did = NONE }
       :: did != RESERVE && did != FAIL && did != SKIP && !(did == COUNT && CLEARS) &&
          !(did == OPEN && what == USER && dropped != reported) -> step()
       od;
progress: atomic {
#if TELLS
           in_call[_pid] = false;
#endif
           logs--; size = 0; budget = 0; c = 0; what = 0 }
    od;
    ended++
}

#if TELLS
/* Lap and cursor are two loads; a writer may come in between, and begin and end its call there. */
proctype teller()
{
    byte times, was;
    do
    :: times == TELLS -> break
    :: times < TELLS ->
       atomic {
           for (i : 1 .. THREADS) {
               was = was + (in_call[i] && !dead[i] -> 1 : 0)
           }
           i = 0;
#ifdef BUG_TOLD_IN_A_CALL
           was = 0;
#endif
           if
           :: was + deaths <= KILLS ->
              for (i : 1 .. THREADS) {
#ifndef BUG_TOLD_IN_A_CALL
                  dead[i] = dead[i] || in_call[i]
#else
                  skip
#endif
              }
              i = 0;
              deaths = deaths + was;
              for (c2 : 0 .. CHUNKS - 1) {
                  tlap[c2] = lap_now(c2); tindex[c2] = index[c2]
              }
              c2 = 0
           :: else
           fi;
           was = 0;
           times++
       }
    od
}
#endif

#if CPUS == 2
proctype scheduler()
{
    atomic { inside <= 1 -> moved = true; inside = 0; watched[1] = 0 }
}
#endif

/* ---- all of them ------------------------------------------------------------------------------------------------- */

init
{
    atomic {
        index[0] = 0; ctag[0] = ODD; lap[0] = 1;
#if DEAD
        for (i : 1 .. DEAD) {
            x = (i == 1 -> 0 : SLOTS - 1);
            tag[x] = BOTH; owned[x] = true;
            if
            :: i <= NOTES -> nslot[i - 1] = x + 1
            :: else
            fi
        }
        x = 0;
#endif
        for (i : 1 .. THREADS) {
            run writer((i == 1 -> LOGS_1 : LOGS))
        }
#if CPUS == 2
        run scheduler();
#endif
#if TELLS
        run teller();
#endif
        i = 0
    }
    (ended >= THREADS - KILLS);
    d_step {
        look();
        assert(begun <= KILLS && due <= KILLS * (PARTS > 2 -> 2 : 1)); /* a killed context's own slots, and no more */
        assert(KILLS > 0 || (begun == 0 && due == 0 && telling == 0));
        /* Two threads never find all slots stuck. More can, or chase each other: then the bound on skips drops. */
        assert(STOP || CPUS > 1 || PARTS > 1 || dropped <= REFUSES || UNLISTED || DEAD || THREADS > 2 || SLOTS < THREADS)
    }
}
