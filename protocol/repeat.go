package protocol

// Loop is the rounds that the threads of a class make in one execution of a loop of which an unknown says the number.
// The locations of a loop in a round of another lie between two neighbours of the other's Heads.
type Loop struct {
	Unknown string // a key of Values
	Class   int
	Heads   []int // the location at which each round begins and, last, the one at which the loop is left
	Lead    int   // the first round of those that repeat
}

// Repeat says how a protocol grows with an unknown, whatever its value: for every v ≥ Least, the instance with v+Period
// for Unknown and the other Values as here differs from the one with v in that every Loop of Unknown has Period rounds
// more, Lead to Lead+Period-1, and the rounds after these, if there are as many, do the same as these. So both can be
// made of each other by leaving these rounds out or putting copies of them in.
type Repeat struct {
	Unknown string
	Period  int // rounds
	Least   int
}
