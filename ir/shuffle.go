package ir

// ShuffledFrom is the lane that lane l reads in a shuffle of a mode, and whether it is in the segment (PTX ISA 9.7.9.6).
func ShuffledFrom(mode uint8, l, b, c int) (from int, valid bool) {
	segment := c >> 8 & 31
	last := l&segment | c&31&^segment
	first := l & segment
	switch mode {
	case 0:
		from = l - b
		valid = from >= last
	case 1:
		from = l + b
		valid = from <= last
	case 2:
		from = l ^ b
		valid = from <= last
	default:
		from = first | b&^segment
		valid = from <= last
	}
	if !valid {
		from = l
	}
	return from, valid
}
