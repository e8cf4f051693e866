package iteration

// Farthest is how many rounds of a loop are looked at.
const Farthest = 600

// Arrival is the round in which a counter that went from one value to another between two rounds gets to a number, if it goes on so and
// that way.
func Arrival(from, to, number, before, now int64) (round int64, ok bool) {
	left, step := number-to, to-from
	if left*step < 0 || before < 0 || now <= before || left > Farthest*Farthest || -left > Farthest*Farthest {
		return 0, false
	}
	return now + (left*(now-before)+step-step/max(step, -step))/step, true
}
