/* A sender, and a receiver that answers for ever: with whatever account, epoch, object and BUSY it likes. Time is
 * counted in answers. Progress: the sender ends, whatever it hears (ltl ends), because only what was never reached
 * before begins both of its clocks again ([TIME-2]). The other way round it is the same: a receiver places chunks
 * where a sender hears of them. README.md says how to run it; the mutants (-DMUTANT=…) leave a rule out. */

#ifndef CHUNKS
#define CHUNKS 2        /* of each object */
#endif
#ifndef NEWS_LIMIT
#define NEWS_LIMIT 2    /* in place of 60 s */
#endif
#ifndef FURTHER_LIMIT
#define FURTHER_LIMIT 5 /* in place of 600 s, and of 600 s with BUSY */
#endif
#ifndef MUTANT
#define MUTANT 0
#endif

/* Any of the image is further than all of the manifest. */
#define PLACE(object, chunks) ((object) * (CHUNKS + 1) + (chunks))

bool isOver;

active proctype Sender() {
    byte object, acked;         /* the present account */
    byte furthest, furthestDurable;
    byte quiet, stuck;          /* answers without news, and without getting further than ever */
    bool isBusy, isNews, isFurther, isOpen;
    byte o, a, d;

    do
    :: quiet >= (isBusy -> FURTHER_LIMIT : NEWS_LIMIT) -> break
#if MUTANT != 2
    :: stuck >= FURTHER_LIMIT -> break
#endif
    :: else ->
        isNews = false;
        isFurther = false;
        if
        :: skip ->                                    /* BUSY */
            isBusy = true
        :: skip ->                                    /* an account of a new epoch, or a session opened again */
            select(o : 0 .. 1);
            select(a : 0 .. CHUNKS);
            select(d : 0 .. CHUNKS);
            d = (d > a -> a : d);                     /* [ACK-11] */
#if MUTANT == 1
            furthest = 0;                             /* breaks [TIME-2]: further than the last epoch will do */
#elif MUTANT == 3
            furthestDurable = 0;                      /* the same of what is durable */
#endif
            object = o;
            acked = a;
            isOpen = true
        :: isOpen && acked < CHUNKS ->                /* a chunk of this epoch that was not acknowledged before */
            acked++;
            select(d : 0 .. CHUNKS);
            d = (d > acked -> acked : d);
            isNews = true
        :: isOpen -> skip                             /* the same again, or late, or more credit */
        fi;
        if
        :: isOpen && PLACE(object, acked) > furthest -> furthest = PLACE(object, acked); isFurther = true
        :: else -> skip
        fi;
        if
        :: isOpen && PLACE(object, d) > furthestDurable -> furthestDurable = PLACE(object, d); isFurther = true
        :: else -> skip
        fi;
        quiet = ((isNews || isFurther) -> 0 : quiet + 1);
        stuck = (isFurther -> 0 : (stuck < FURTHER_LIMIT -> stuck + 1 : stuck));
        isBusy = ((isNews || isFurther) -> false : isBusy);
        o = 0;
        a = 0
    od;
    isOver = true                                     /* stalled */
}

ltl ends { <> isOver }
