// Package order decides programs with static control, of millions of commands, by happens-before: named barriers, the cluster
// barrier and mbarriers. One execution is run, and the order it shows is checked to be that of all executions (Sharma, Bauer,
// Aiken: Verification of Producer-Consumer Synchronization in GPU Programs, PLDI 2015; notes/semantics.md 2.4 to 2.6).
//
// # Happens-before
//
// In the execution that is run, every command on a barrier is of a generation: of a named or cluster barrier the one that it
// registers in, of an mbarrier the phase that it contributes to (arrive, expect_tx, complete_tx, the completion of an
// asynchronous operation), and of a wait the phase that is over when it passes. R is the least transitive relation with
//
//   - program order of each lane, and the issue of an operation before its completion;
//   - whoever registers in a generation before whoever waits in it; those who wait in one generation, each before the other:
//     R orders times, and they go on at one time;
//   - an exit before the generations of a barrier of all threads that do not wait for it any more;
//   - contributions to a phase before the waits for it;
//   - operations of one pipe, in the order in which R has them issued (tcgen05.mma with one accumulator, PTX ISA 9.7.16.6.2);
//   - whatever its lanes did before a collective of a warp (WarpMeet) before what they do behind it.
//
// The last of these orders commands in time and promises nothing of memory, so accesses are ordered by R without it: a clock has
// a second half for that. What R alone orders is open: no race can be shown there, as no execution has the two
// accesses at one time, and none is excluded.
//
// # Conditions
//
// For named barriers: of each generation but the first, every command comes by R after a sync of the generation before, or where
// that has no sync, after all its arrives; what comes after is the point before the command, so one that is the first of its
// thread is refused. These are the two repairs of the printed check, which accepts programs that it should not where a
// generation has arrives only. For mbarriers, with pred(x) for the point before x:
//
//   - C0: a phase that has all its arrivals has as many bytes completed as expected;
//   - C1: every contribution y to a phase is before pred(x) of every contribution x to the next;
//   - C2: every wait on a phase is before some contribution to the next one, if that completes: nobody falls two behind;
//   - C3: every contribution y to a phase is before pred(w) of every wait w on the next one: a parity does not pass early;
//   - C4: every stand-alone expect_tx is before some arrive of its phase.
//
// # Why one execution is enough
//
// Suppose the conditions hold, and take any other execution, and in it the first step that differs from the one that was run in
// the generation it has. Up to there all generations are alike, so what R puts before a command has happened before it. A
// command that comes to a generation has by the conditions seen the one before it complete: it cannot be early. It cannot
// be late either: the generation has the same number of places and each of its other members is there once, as none of them
// went elsewhere before. A wait passes neither early (C3) nor is it missed (C2); bytes neither end a phase early (C4 keeps the
// expect in time, and completions only lower what is outstanding) nor keep it from ending (C0). So no step differs. Nor can an
// execution stop before its end: the first command of those left, in the order of the one that was run, is ready. So R, which
// was read off one execution, orders every execution, and as R has nothing but what the meaning of the commands gives,
// two commands that it leaves open happen in either order. Hence a race is a pair of accesses that R leaves open.
//
// Conversely, where a condition fails, an execution exists in which a command is of another generation: run what need not wait
// for the end of the generation before, and the command is there in time for it. Findings are not left to that argument: each is
// run again by an interpreter of single lanes that knows nothing of clocks (confirm.go, replay.go), and counts only if it happens.
// C4 alone asks for more than is needed, and what it refuses but does not happen is inconclusive.
//
// # Strands, clocks, cells
//
// Lanes of a warp that run the same barrier commands are a strand: R orders them alike, but for their own program order. A clock
// says for each strand how far R reaches back: the latest happens-before. Clocks of all points between two waits of a strand
// are one, and strands that leave one barrier share it; so memory grows with the dynamic barriers times the strands, not
// with the commands. Two accesses are ordered if the clock of one has passed the other: one look-up. Earliest happens-after
// is the first point whose clock has passed a command (Interval).
//
// Memory is cut into cells that each access touches whole or not at all, and cells that all accesses treat alike, as the words of
// a row that warps only read and write as a row, are looked at once. In the order of the execution a cell keeps only accesses
// that no later one speaks for: if e is before d, and d conflicts with all that e does, then who races with e later on races
// with d. So a program without races is shown to have none in time that grows with its commands, though the pairs of accesses
// grow with their square. Only cells with races are looked at again, for all pairs of lines and whether their values are equal.
package order
