/* ring.pml - the record path and its slow half, as tlog_ring.c and tlog_loss.c have them, under nested interrupts.
 *
 * Inlines bear the names of the functions they stand for; a step of one is what a load or store of memory that others
 * write is on the target. Level 1 is the thread, level n + 1 interrupts level n between any two steps, logs, and returns.
 * The watch of an exclusive load ends at every interrupt entry and return, as on ARMv7-M.
 *
 * Whatever stands in memory is looked at by a reader after every store: what he takes for events must be whole, in the
 * order of their stamps, and none twice. At the end no event may be missing that was not counted.
 *
 * A writer that finds a slot whose owner has not filled it drops its event here. On the target it passes that slot:
 * claim.pml has the steps for that, and takes from here that each step is right under interrupts.
 *
 * READER: another CPU takes a dump meanwhile.
 *
 * Parameters: LEVELS, LOGS (most events of one activation), TIMES (activations of a level), TOP (of the highest one),
 * CHUNKS, SLOTS, STOP (the last chunk stops), REFUSES (so many events are refused at most: lost though there may be room).
 * BUG_...: one mistake each, which must be found. */
#ifndef LEVELS
#define LEVELS 2
#endif
#ifndef LOGS
#define LOGS 2
#endif
#ifndef TIMES
#define TIMES 1
#endif
#ifndef TOP
#define TOP TIMES
#endif
#ifndef CHUNKS
#define CHUNKS 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef REFUSES
#define REFUSES 0
#endif
#define STAMPS 32 /* more than are ever given out */
#ifndef STOP
#define STOP 0
#endif

#define ODD    1
#define EVEN   2
#define BOTH   3
#define NOBODY 255
#define CELLS  (CHUNKS * SLOTS)

/* What a writer logs: an event, or that some were lost; from 2 on blackout_end with a count. */
#define USER   0
#define START  1

/* ---- memory ------------------------------------------------------------------------------------------------------ */

byte index[CHUNKS] = SLOTS; /* cursor: SLOTS = was_full */
byte ctag[CHUNKS] = EVEN;   /* and its tag */
byte lap[CHUNKS];
byte home; /* cpu->cursor */
byte dropped, reported;
byte tag[CELLS] = EVEN;  /* word 0 of the slots */
byte stamp[CELLS];       /* their other words */

/* ---- what the target does not know ------------------------------------------------------------------------------- */

bool watching;          /* the exclusive monitor */
byte running;           /* level; 0: none */
byte clock = 1;
byte attempted;         /* events */
byte own, told;         /* records that tell of a loss; events they tell of */
bool inside[LEVELS];    /* the level has been entered and not left */
byte reserved, owned;   /* slots; of them, not yet published */
byte refused;           /* events */
byte published[CELLS];  /* stamp of the event that word 0 was written for */
byte ended;
#ifdef READER
bool disabled;
byte tag_of_event[STAMPS]; /* by its stamp */
#define STAMPS_SEEN tag_of_event[time] = by
#define WANTED      !disabled
#else
#define STAMPS_SEEN skip
#define WANTED      true
#endif

/* The lap word: its tag follows from its count. */
#define tag_of(n)      ((n) % 2 == 1 -> ODD : EVEN)
#define ltag(c)        tag_of(lap[c])
#define slot_of(c, i)  ((c) * SLOTS + (i))
#define is_parked(t)   ((t) == BOTH)
#define is_closed(c)   (ctag[c] == BOTH || index[c] == SLOTS)
/* The end mark bears both tags. */
#define slot_has_tag(c, i, t) ((i) == SLOTS -> (t) != 0 : (tag[slot_of(c, (i) % SLOTS)] & (t)) != 0)

/* ---- the reader -------------------------------------------------------------------------------------------------- */

/* Events of a chunk as FORMAT.md says: in front of the cursor those of this lap, behind it those of the one before. */
inline look(c)
{
    d_step {
        l = lap[c] + (ctag[c] != BOTH && ctag[c] != ltag(c) -> 1 : 0);
        t = (l % 2 == 1 -> ODD : EVEN);
        last = 0;
        for (i : 0 .. SLOTS - 1) { /* older first */
            if
            :: l > 1 && i >= index[c] && tag[slot_of(c, i)] == (t ^ BOTH) -> see(slot_of(c, i))
            :: else
            fi
        }
        for (i : 0 .. SLOTS - 1) {
            if
            :: l > 0 && i < index[c] && tag[slot_of(c, i)] == t -> see(slot_of(c, i))
            :: else
            fi
        }
        i = 0; l = 0; t = 0; last = 0
    }
}

inline see(s)
{
    assert(stamp[s] == published[s]); /* not torn */
    assert(stamp[s] > last);          /* in order, and none twice */
    last = stamp[s]
}

inline look_at_all()
{
    d_step {
        opens = 0;
        for (k : 0 .. CHUNKS - 1) {
            look(k);
            opens = opens + (is_closed(k) -> 0 : 1)
        }
        assert(opens <= 1); /* only home, or the one that will be */
        k = 0; opens = 0
    }
}

/* ---- the port ---------------------------------------------------------------------------------------------------- */

#define load_exclusive  watching = true
#define clear_exclusive watching = false

/* ---- mistakes ---------------------------------------------------------------------------------------------------- */

#define read_clock d_step { time = clock; clock++ }

#ifdef BUG_STAMP_BEFORE_WATCH
#define STAMP      skip
#define STAMP_FIRST read_clock
#else
#define STAMP      read_clock
#define STAMP_FIRST skip
#endif
#ifdef BUG_PLAIN_HEAD
#define STORED true
#else
#define STORED watching
#endif
#ifdef BUG_PLAIN_ADD
#define ADD_PLAIN true
#else
#define ADD_PLAIN false
#endif
#ifdef BUG_LOSS_NOT_PUT_BACK
#define TAKE_BACK(n) skip
#else
#define TAKE_BACK(n) take_back(n)
#endif
#ifdef BUG_LOSS_TOLD_TWICE
#define TAKE_LOSS count = dropped - reported; add(reported, count)
#else
#define TAKE_LOSS take_loss()
#endif
#ifdef BUG_HOME_FROM_ANYWHERE
#define MAY_GO_HOME(c, n) true
#else
#define MAY_GO_HOME(c, n) leads_to(c, n)
#endif
#ifdef BUG_HOME_CLOSED
#define MAY_NOT_BE_HOME(n) false
#else
#define MAY_NOT_BE_HOME(n) is_closed(n)
#endif
#ifdef BUG_OPENED_FROM_ANYWHERE
#define MAY_OPEN(c, n) true
#else
#define MAY_OPEN(c, n) leads_to(c, n)
#endif
#ifdef BUG_HOME_GONE_BACK_TO
#define LEFT_SINCE(c, n) false
#define CHANGED_SINCE(c, i, t) false
#else
#define LEFT_SINCE(c, n) (lap[c] != n)
#define CHANGED_SINCE(c, i, t) (index[c] != i || ctag[c] != t)
#endif
#ifdef BUG_LAP_COUNTED_TWICE
#define COUNTED(c, n) false
#else
#define COUNTED(c, n) (lap[c] != n)
#endif
#ifdef BUG_NO_ROOM_WHEN_MOVED
#define NOT_MOVED(c) true
#else
#define NOT_MOVED(c) (index[c] == seen_i && ctag[c] == seen_t)
#endif
#ifdef BUG_DUMP_WITHOUT_SEAL
#define BELIEVED true
#else
#define BELIEVED sound
#endif
#ifdef BUG_NO_LAP_GUARD
#define TAKEN(c, i, t) ((i) == SLOTS || (t) == BOTH)
#else
#define TAKEN(c, i, t) slot_has_tag(c, i, t)
#endif

/* ---- the record path --------------------------------------------------------------------------------------------- */

/* tlog_port_reserve(): ok, and then slot and time. */
inline reserve(c)
{
    do
    :: atomic { load_exclusive; a = index[c]; b = ctag[c] };
       if
       :: TAKEN(c, a, b) -> clear_exclusive; ok = false; break
       :: else
       fi;
       STAMP;
       atomic {
           if
           :: STORED -> watching = false; index[c] = a + 1; reserved++; owned++; at = slot_of(c, a); by = b; ok = true; break
           :: else
           fi
       }
    od;
    a = 0; b = 0
}

/* tlog_ring_fill(): word 0 last. */
inline fill(what)
{
#ifdef BUG_HEAD_FIRST
    d_step { tag[at] = by; published[at] = time; owned-- };
    look_at_all();
#endif
    STAMPS_SEEN;
    stamp[at] = time;
    if
    :: what != USER -> d_step { own++; told = told + (what >= 2 -> what - 2 : 0) }
    :: else
    fi;
#ifndef BUG_HEAD_FIRST
    d_step { tag[at] = by; published[at] = time; owned-- };
#endif
    look_at_all();
    at = 0; by = 0; time = 0
}

/* ---- switching --------------------------------------------------------------------------------------------------- */

/* The chunk that a closed one leads to; NOBODY: none. It was seen was_full, or not. */
inline follower(c, was_full)
{
    if
    :: !was_full -> to = (slot_has_tag(c, seen_i, seen_t & ltag(c)) && NOT_MOVED(c) -> NOBODY : c)
    :: was_full && STOP && c == CHUNKS - 1 -> to = NOBODY
    :: else -> to = (c + 1) % CHUNKS
    fi
}

/* The cursor is still what it was seen to be. */
#define leads_to(c, n) (index[c] == seen_i && ctag[c] == seen_t && (CHUNKS == 1 || home == (c)))

inline open_chunk(c, n)
{
    do
    :: atomic { load_exclusive; a = index[n]; b = ctag[n] };
       t2 = ltag(n);
       if
       :: atomic { (a == SLOTS -> (b & t2) != 0 : b == BOTH) && MAY_OPEN(c, n) -> skip }
       :: atomic { else -> clear_exclusive; break }
       fi;
       atomic {
           if
           :: watching -> watching = false;
              if
              :: a == SLOTS -> index[n] = 0; ctag[n] = t2 ^ BOTH
              :: else -> ctag[n] = t2
              fi;
              look_at_all();
              break
           :: else
           fi
       }
    od;
    a = 0; b = 0; t2 = 0
}

inline count_lap(n)
{
    do
    :: load_exclusive;
       t2 = lap[n];
       if
       :: atomic { ctag[n] == BOTH || ctag[n] == tag_of(t2) -> clear_exclusive; break }
       :: else
       fi;
       atomic {
           if
           :: watching -> watching = false; lap[n] = t2 + 1; look_at_all(); break
           :: else
           fi
       }
    od;
    t2 = 0
}

inline make_home(c, n)
{
    do
    :: load_exclusive;
       if
       :: atomic { !MAY_GO_HOME(c, n) -> clear_exclusive; break }
       :: else
       fi;
       if
       :: atomic { MAY_NOT_BE_HOME(n) -> clear_exclusive; break }
       :: else
       fi;
       atomic {
           if
           :: watching -> watching = false; home = n; look_at_all(); break
           :: else
           fi
       }
    od
}

/* ok: there is something to go on in. */
inline switch_chunk(c, was_full)
{
    follower(c, was_full);
    if
    :: to == NOBODY -> ok = false
    :: else ->
       open_chunk(c, to);
       count_lap(to);
       if
       :: CHUNKS > 1 && to != c -> make_home(c, to)
       :: else
       fi;
       ok = true
    fi;
    to = 0
}

/* switch_full(): the same for the usual case, in fewer steps; steps 1 and 3 are tried once. */
inline switch_full(c)
{
    d_step { a = lap[c]; t2 = tag_of(a) };
    d_step { wide = index[c]; b = ctag[c] };
    to = (c + 1) % CHUNKS;
    ok = !(STOP && c == CHUNKS - 1) && (CHUNKS == 1 || (wide == SLOTS && b == t2));
    do
    :: !ok -> break
    :: else ->
       atomic { load_exclusive; l2 = index[to]; t3 = ctag[to] };
       m2 = lap[to];
       if
       :: l2 != SLOTS || t3 != tag_of(m2) -> ok = false
       :: else
       fi;
       if
       :: ok && CHUNKS > 1 -> ok = (home == c); ok = ok && index[c] == wide && ctag[c] == b
       :: else
       fi;
       if
       :: !ok -> clear_exclusive; break
       :: else
       fi;
       atomic {
           if
           :: watching -> watching = false; index[to] = 0; ctag[to] = tag_of(m2 + 1); look_at_all(); break
           :: else -> ok = false; break
           fi
       }
    od;
    do
    :: !ok -> break
    :: else ->
       load_exclusive;
       if
       :: atomic { COUNTED(to, m2) -> clear_exclusive; break }
       :: else
       fi;
       atomic {
           if
           :: watching -> watching = false; lap[to]++; look_at_all(); break
           :: else
           fi
       }
    od;
    do
    :: !ok || CHUNKS == 1 -> break
    :: else ->
       load_exclusive;
       if
       :: home != c -> clear_exclusive; break
       :: else
       fi;
       if
       :: atomic { LEFT_SINCE(c, a) -> clear_exclusive; break }
       :: else
       fi;
       if
       :: atomic { CHANGED_SINCE(c, wide, b) -> clear_exclusive; break }
       :: else
       fi;
       atomic {
           if
           :: watching -> watching = false; home = to; look_at_all(); break
           :: else -> break
           fi
       }
    od;
    atomic { a = 0; b = 0; t2 = 0; t3 = 0; m2 = 0; l2 = 0; to = 0; wide = 0; ok = false }
}

/* ---- losing ------------------------------------------------------------------------------------------------------ */

inline add(word, n)
{
    do
    :: load_exclusive;
       a = word;
       atomic {
           if
           :: watching || ADD_PLAIN -> watching = false; word = a + n; break
           :: else
           fi
       }
    od;
    a = 0
}

/* add(&reported, 0 - n) */
inline take_back(n)
{
    do
    :: load_exclusive;
       a = reported;
       atomic {
           if
           :: watching -> watching = false; reported = a - n; break
           :: else
           fi
       }
    od;
    a = 0
}

/* report_loss(), up to the two records. */
inline take_loss()
{
    do
    :: load_exclusive;
       a = reported;
       b = dropped;
       atomic {
           if
           :: watching -> watching = false; reported = b; break
           :: else
           fi
       }
    od;
    count = b - a;
    a = 0; b = 0
}

/* parked: it is. */
inline park(c)
{
    do
    :: count_lap(c);
       atomic { load_exclusive; a = index[c]; b = ctag[c] };
       l2 = (b & ltag(c)) != 0;
       if
       :: atomic { home != c -> clear_exclusive; parked = false; break }
       :: else
       fi;
       atomic {
           if
           :: l2 && watching -> watching = false; ctag[c] = BOTH; look_at_all(); parked = true; break
           :: !l2 -> clear_exclusive
           :: else
           fi
       }
    od;
    a = 0; b = 0; l2 = 0
}

/* Again when somebody has gone on from there. */
inline park_for_loss()
{
    do
    :: c2 = home;
       park(c2);
       if
       :: parked || home == c2 -> break
       :: else
       fi
    od;
    parked = false; c2 = 0
}

/* ---- a writer ---------------------------------------------------------------------------------------------------- */

proctype writer(byte times) provided (running == _pid || (!inside[_pid - 1] && running < _pid))
{
    byte a, b, t2, t3, m2, l2, wide, to, at, by, time, what, count, before, n, c, c2, seen_i, seen_t; /* of the functions above */
    byte i, k, l, t, last, opens;                                                          /* of the reader */
    bool ok, parked, was_full;

    do
    :: times == 0 -> break
    :: else ->
       d_step { before = running; running = _pid; inside[_pid - 1] = true; watching = false };
       n = LOGS;
       do /* an interrupt logs any number of events up to that, or none */
       :: _pid > 1 && n > 0 -> n--
       :: break
       od;
       do
       :: n == 0 -> break
       :: n > 0 && !(WANTED) -> n--
       :: else ->
          attempted++;
          if
          :: atomic { refused < REFUSES -> refused++ };
             what = USER;
             ok = false;
             goto drop
          :: true
          fi;
          STAMP_FIRST;
          c = home;
          reserve(c);
          if
          :: ok -> fill(USER)
          :: else -> what = USER;
slow:        c = home;
             switch_full(c);
             c = home;
             reserve(c);
             if
             :: ok -> fill(what); goto done
             :: else
             fi;
             c = home;                       /* tlog_ring_make_room() */
             d_step { seen_i = index[c]; seen_t = ctag[c]; was_full = seen_i == SLOTS; parked = is_parked(seen_t) };
             switch_chunk(c, was_full);
             if
             :: ok && parked && what == USER && dropped != reported ->
                TAKE_LOSS;
                if
                :: count > 0 -> what = START
                :: else
                fi
             :: else
             fi;
             was_full = false; parked = false; seen_i = 0; seen_t = 0;
             if
             :: ok -> goto slow
             :: else
             fi;
             if                              /* lose_event() */
             :: what >= 2 ->
                TAKE_BACK(count)
             :: else
             fi;
             assert(STOP || owned > 0);      /* else there is room */
drop:        if
             :: what == USER -> add(dropped, 1)
             :: else
             fi;
             park_for_loss();
done:        if
             :: what == START -> what = 2 + count; goto slow
             :: what >= 2 ->                  /* the end of report_loss() */
                if
                :: dropped != reported -> park_for_loss()
                :: else
                fi;
                what = USER; count = 0; goto slow
             :: else
             fi
          fi;
          ok = false; c = 0;
          n--
       od;
       times--;
       d_step { inside[_pid - 1] = false; watching = false; running = before; before = 0 }
    od;
    ended++
}

/* ---- another CPU that takes a dump ------------------------------------------------------------------------------- */

#ifdef READER
/* tlog_dump(): disable, add up every word (the seal), and read them once more for the sink. Writers that were past the
 * filter still write, and may even begin a lap. A chunk whose sums differ is damaged, and nothing of it believed. */
proctype reader()
{
    byte c, i, l, t, u, w;
    byte word[SLOTS], payload[SLOTS];
    bool sound;

    disabled = true;
    for (c : 0 .. CHUNKS - 1) {
        sound = true;
        d_step { t = ctag[c]; i = index[c] };
        w = i;
        l = lap[c];
        for (i : 0 .. SLOTS - 1) {
            word[i] = tag[slot_of(c, i)];
            payload[i] = stamp[slot_of(c, i)]
        }
        atomic { sound = sound && ctag[c] == t && index[c] == w };
        sound = sound && lap[c] == l;
        for (i : 0 .. SLOTS - 1) {
            sound = sound && tag[slot_of(c, i)] == word[i];
            sound = sound && stamp[slot_of(c, i)] == payload[i]
        }
        atomic {
            l = l + (t != BOTH && t != tag_of(l) -> 1 : 0);
            for (i : 0 .. SLOTS - 1) {
                if
                :: BELIEVED && l > 0 && ((i < w && word[i] == tag_of(l)) || (i >= w && l > 1 && word[i] == tag_of(l - 1))) ->
                   assert(tag_of_event[payload[i]] == word[i])
                :: else
                fi
            }
        }
    }
    ended++
}
#define WHO (LEVELS + 1)
#else
#define WHO LEVELS
#endif

/* ---- all of them ------------------------------------------------------------------------------------------------- */

init
{
    byte c, i, n;

    atomic {
        index[0] = 0; ctag[0] = ODD; lap[0] = 1; /* tlog_ring_start() */
        for (c : 1 .. LEVELS) {
            run writer((c == 1 -> 1 : (c == LEVELS -> TOP : TIMES)))
        }
#ifdef READER
        run reader();
#endif
        c = 0
    }
    (ended == WHO);
    d_step {
        for (c : 0 .. CHUNKS - 1) {
            assert(ctag[c] == BOTH || ctag[c] == ltag(c));
            if
            :: lap[c] > 0 -> n = n + (lap[c] - 1) * SLOTS + index[c]
            :: else
            fi;
            for (i : 0 .. SLOTS - 1) { /* every context that reserved a slot has published it */
                assert(lap[c] == 0 || (i < index[c]) == (tag[slot_of(c, i)] == ltag(c)))
            }
        }
        assert(n == reserved);                             /* the laps tell how many there were */
        for (c : 1 .. CHUNKS - 1) {
            assert(lap[c] <= lap[0] && lap[0] <= lap[c] + 1) /* no chunk is passed over: what is overwritten is the oldest */
        }
        assert(attempted + own == reserved + dropped);     /* kept + overwritten + dropped */
        assert(told == reported && reported <= dropped)
    }
}
