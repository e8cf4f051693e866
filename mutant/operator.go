package mutant

// Operators lists the kinds of fault.
var Operators = []struct{ Name, Brief string }{
	{"drop-arrive", "an arrive is left out"},
	{"drop-commit", "a commit is left out"},
	{"drop-release", "a consumer's release is left out"},
	{"drop-wait", "a wait or an acquire is left out"},
	{"drop-barrier", "a CTA, named, cluster or warp barrier is left out"},
	{"drop-fence", "a fence is left out"},
	{"drop-tail", "a producer's tail is left out"},
	{"flip-start-phase", "a phase starts with the other parity"},
	{"literal-phase", "a wait in a loop has a fixed phase"},
	{"advance-twice", "a state goes on by two stages"},
	{"advance-never", "a state stays where it is"},
	{"count-more", "a barrier expects one participant more (a warp, for named barriers)"},
	{"count-less", "a barrier expects one participant less"},
	{"equal-ids", "two named barriers have one id"},
	{"shorter-loop", "one role goes round once less"},
	{"no-elect", "every thread does what one should"},
	{"swap-waits", "two waits change places"},
}
