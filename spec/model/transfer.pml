/* A transfer of bleota, as small as it can be and still go wrong: one sender, one receiver, two images, and a
 * link that loses, repeats and reorders frames. Either end may be killed and start again, the sender perhaps with
 * the other image; the receiver may reject a block it has acknowledged.
 *
 * Safety: the assertions below. Progress: once the faults are used up, the sender that runs last ends with its
 * image current (ltl ends). README.md says how to run it, what is left out, and which rules of ../bleota.md are
 * broken by the mutants (-DMUTANT=…). */

#ifndef CHUNKS
#define CHUNKS 2        /* of each image */
#endif
#ifndef ROOM
#define ROOM 2          /* frames on the way in each direction */
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef REPEATS
#define REPEATS 1
#endif
#ifndef SWAPS
#define SWAPS 1
#endif
#ifndef SENDER_RESTARTS
#define SENDER_RESTARTS 1
#endif
#ifndef RECEIVER_RESTARTS
#define RECEIVER_RESTARTS 1
#endif
#ifndef REJECTIONS
#define REJECTIONS 1
#endif
#ifndef MUTANT
#define MUTANT 0
#endif

#define EPOCHS 8        /* in place of 256 */
#define NONE 9
#define ALL ((1 << CHUNKS) - 1)
#define HAS(set, i) (((set) >> (i)) & 1)

mtype = { OPEN, DATA, POLL, CLOSE, ACK, NO_SESSION, VERIFIED };

/* frame, session, epoch, index, image. The image of a data frame is its content. */
chan down = [ROOM] of { mtype, byte, byte, byte, byte };
/* frame, session, epoch, chunks that arrived, chunks that are durable */
chan up = [ROOM] of { mtype, byte, byte, byte, byte };

byte current = NONE;    /* the image that the device runs */
bool isDone;            /* the sender that runs last has reported success */
byte nextSession = 1;   /* session numbers are unpredictable, so none comes twice */

byte losses, repeats, swaps, senderRestarts, receiverRestarts, rejections;

/* What a full queue does not take is lost, as in a queue of a Bluetooth daemon. */
inline put(line, kind, session, epoch, a, b) {
    if
    :: nfull(line) -> line ! kind, session, epoch, a, b
    :: full(line) -> skip
    fi
}

/* [ACK-8]: older by 1 to half of the numbers there are. */
#define OLDER(epoch, present) \
    ((((present) + EPOCHS - (epoch)) % EPOCHS) >= 1 && (((present) + EPOCHS - (epoch)) % EPOCHS) <= EPOCHS / 2)

active proctype Sender() {
    byte mine;              /* the image it sends */
    byte number;            /* of its session */
    byte known;             /* the epoch of the account it has */
    byte acked, sent, i;
    bool isOpen;
    bool isContradicted;    /* an older epoch was the answer since anything else was heard */
    byte s, e, a, d;

open:
    number = nextSession;
    nextSession++;
    assert(nextSession < 12);                         /* it opens again only where it has a reason */
    isOpen = false;
    isContradicted = false;
    acked = 0;
    sent = 0;
    put(down, OPEN, number, 0, 0, mine);

listen:
    do
    :: up ? ACK, s, e, a, d ->
        if
        :: s != number -> skip                       /* the checksum covers the session */
        :: else ->
            if
            :: !isOpen || (e != known && !OLDER(e, known)) ->
                isContradicted = false;
                isOpen = true;                        /* [ACK-9]: adopt the account whole */
                known = e;
                acked = a;
                sent = a
            :: isOpen && e == known ->
                acked = acked | a;
                sent = sent | a;
                isContradicted = false
#if MUTANT == 1
            :: isOpen && OLDER(e, known) -> acked = acked | a; sent = sent | a   /* breaks [ACK-8] */
#else
            :: isOpen && OLDER(e, known) -> isContradicted = true
#endif
            fi
        fi;
        s = 0; e = 0; a = 0; d = 0
    :: up ? NO_SESSION, s, e, a, d ->
        if
        :: s == number && isOpen -> s = 0; goto open  /* [OPEN-7] */
        :: else -> s = 0
        fi
    :: up ? VERIFIED, s, e, a, d ->
        if
        :: s == number ->
            assert(current == mine);                 /* [END-4] */
            assert(a == mine);
            put(down, CLOSE, number, 0, 0, 0);
            break
        :: else -> s = 0; a = 0
        fi
    :: isOpen && sent != ALL ->                       /* a chunk that was not sent in this epoch */
        i = 0;
        do
        :: HAS(sent, i) -> i++
        :: else -> break
        od;
        sent = sent | (1 << i);
        put(down, DATA, number, known, i, mine);
        i = 0
    :: (!isOpen || sent == ALL) && empty(down) && empty(up) ->   /* a timer: nothing is on its way any more */
        if
        :: !isOpen -> put(down, OPEN, number, 0, 0, mine)
#if MUTANT != 6
        :: isContradicted -> goto open                /* [ACK-13] */
        :: isOpen && !isContradicted ->               /* [REPAIR-3] */
#else
        :: isOpen ->
#endif
            sent = acked;
            put(down, POLL, number, 0, 0, 0)
        fi
    :: senderRestarts < SENDER_RESTARTS ->            /* killed; somebody else goes on, or sends the other image */
        senderRestarts++;
        if
        :: mine = 1 - mine
        :: skip
        fi;
        goto open
    od;

    isDone = true;

    /* It answers RESULT as long as the receiver repeats it ([END-3]). */
end:
    do
    :: up ? _, s, e, a, d -> put(down, CLOSE, number, 0, 0, 0)
    od
}

/* The receiver, and what it knows. Its memory is `got`; what is durable survives it. */
bool isIn;              /* in a session that has not ended */
bool isFinished;
byte session, epoch, image, got;
byte durable[2];

active proctype Receiver() {
    byte s, e, i, m;

    if                                                /* the first epoch may be any */
    :: epoch = 0
    :: epoch = EPOCHS - 1
    fi;
end:
    do
    :: atomic { down ? OPEN, s, e, i, m ->
        if
        :: (isIn || isFinished) && s == session -> skip   /* [OPEN-4] */
        :: else ->                                    /* [OPEN-5], [ACK-3] */
            session = s;
            image = m;
            epoch = (epoch + 1) % EPOCHS;
            got = durable[image];
            isIn = true;
            isFinished = false
        fi;
        if
        :: isFinished -> put(up, VERIFIED, session, epoch, image, 0)
        :: else -> put(up, ACK, session, epoch, got, durable[image])
        fi;
        s = 0; e = 0; i = 0; m = 0 }
    :: atomic { down ? DATA, s, e, i, m ->
        if
#if MUTANT == 2
        :: isIn && s == session ->                    /* breaks [CRC-1]: the epoch is not covered */
#elif MUTANT == 3
        :: isIn && e == epoch ->                      /* breaks [CRC-1]: the session is not covered */
#else
        :: isIn && s == session && e == epoch ->
#endif
            assert(m == image);                       /* nothing of another image is placed */
            assert(e == epoch);                       /* nor of an account that was taken back */
            got = got | (1 << i);
            put(up, ACK, session, epoch, got, durable[image])
        :: else -> skip
        fi;
        s = 0; e = 0; i = 0; m = 0 }
    :: atomic { down ? POLL, s, e, i, m ->
        if
        :: isFinished && s == session -> put(up, VERIFIED, session, epoch, image, 0)   /* [END-2] */
        :: isIn && s == session -> put(up, ACK, session, epoch, got, durable[image])
#if MUTANT == 5
        :: else -> skip                               /* breaks [OPEN-6] */
#else
        :: else -> put(up, NO_SESSION, s, 0, 0, 0)    /* [OPEN-6] */
#endif
        fi;
        s = 0; e = 0; i = 0; m = 0 }
    :: atomic { down ? CLOSE, s, e, i, m ->
        if
        :: s == session -> isIn = false; isFinished = false
        :: else -> skip
        fi;
        s = 0; e = 0; i = 0; m = 0 }
    :: atomic { isIn && got != durable[image] && rejections < REJECTIONS ->
        rejections++;                                 /* a block is wrong: [OBJ-5], [ACK-2] */
        got = durable[image];
#if MUTANT != 4
        epoch = (epoch + 1) % EPOCHS;
#endif
        put(up, ACK, session, epoch, got, durable[image]) }
    :: atomic { receiverRestarts < RECEIVER_RESTARTS ->
        receiverRestarts++;                           /* killed, or without power */
        isIn = false;
        isFinished = false;
        got = 0;
        session = 0;
        if                                            /* its next one looks newer, or older, and is not the same */
        :: epoch = (epoch + 1) % EPOCHS
        :: epoch = (epoch + EPOCHS - 2) % EPOCHS
        fi }
    od
}

/* Its store, which takes its time. */
active proctype Store() {
end:
    do
    :: atomic { isIn && got != durable[image] -> durable[image] = got }
    :: atomic { isIn && got == ALL && durable[image] == ALL ->
        current = image;                              /* [OBJ-6] */
        isIn = false;
        isFinished = true;
        put(up, VERIFIED, session, epoch, image, 0) }
    od
}

/* What the air and the queues do to frames. */
active proctype Link() {
    mtype kind;
    byte s, e, a, b;
end:
    do
    :: atomic { losses < LOSSES && nempty(down) -> losses++; down ? kind, s, e, a, b }
    :: atomic { losses < LOSSES && nempty(up) -> losses++; up ? kind, s, e, a, b }
    :: atomic { repeats < REPEATS && nempty(down) && nfull(down) ->
        repeats++; down ? <kind, s, e, a, b>; down ! kind, s, e, a, b }
    :: atomic { repeats < REPEATS && nempty(up) && nfull(up) ->
        repeats++; up ? <kind, s, e, a, b>; up ! kind, s, e, a, b }
    :: atomic { swaps < SWAPS && len(down) > 1 ->
        swaps++; down ? kind, s, e, a, b; down ! kind, s, e, a, b }
    :: atomic { swaps < SWAPS && len(up) > 1 ->
        swaps++; up ? kind, s, e, a, b; up ! kind, s, e, a, b }
    od
}

ltl ends { <> isDone }
