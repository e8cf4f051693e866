package grid

// A number of a state is an integer, a pointer into an object, or unknown. All but integers are above any integer that
// is kept: those are below big.
const (
	big        = int64(1) << 56
	unknownTag = int64(1) << 62 // low bits: the object it was read from, plus one
	pointerTag = int64(1) << 61 // base, then the offset
	offsetBits = 40
	offsetBias = int64(1) << (offsetBits - 1)
)

const unknown = unknownTag

func isUnknown(v int64) bool { return v&unknownTag != 0 && v > 0 }
func isPointer(v int64) bool { return v > 0 && v&unknownTag == 0 && v&pointerTag != 0 }
func isInteger(v int64) bool { return !isUnknown(v) && !isPointer(v) }

func unknownFrom(base int) int64 { return unknownTag | int64(base+1) }

// readFrom is the object that an unknown was read from, or -1.
func readFrom(v int64) int { return int(v&^unknownTag) - 1 }

func pointer(base int, at int64) int64 {
	if at < -offsetBias/2 || at > offsetBias/2 {
		return unknown
	}
	return pointerTag | int64(base)<<offsetBits | (at + offsetBias)
}

func pointee(v int64) (base int, at int64) {
	v &^= pointerTag
	return int(v >> offsetBits), v&(1<<offsetBits-1) - offsetBias
}

// wrap is how integers of a type overflow.
type wrap uint8

const (
	asIs wrap = iota
	int32s
	uint32s
)

func (w wrap) of(v int64) int64 {
	if !isInteger(v) {
		return v
	}
	switch w {
	case int32s:
		return int64(int32(v))
	case uint32s:
		return int64(uint32(v))
	}
	return v
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// binary computes x op y.
func binary(op string, x, y int64) int64 {
	switch {
	case isPointer(x) && isInteger(y) && (op == "+" || op == "-"):
		b, at := pointee(x)
		if op == "-" {
			y = -y
		}
		return pointer(b, at+y)
	case isPointer(y) && isInteger(x) && op == "+":
		return binary(op, y, x)
	case isUnknown(x):
		return x
	case isUnknown(y):
		return y
	case !isInteger(x) || !isInteger(y):
		return unknown
	}
	v, ok := arithmetic(op, x, y)
	if !ok || v >= big || v <= -big {
		return unknown
	}
	return v
}

func arithmetic(op string, x, y int64) (int64, bool) {
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		const most = int64(1) << 31
		return x * y, x <= most && x >= -most && y < 1<<24 && y > -1<<24
	case "/", "//":
		return safeDivide(x, y)
	case "%":
		if y == 0 {
			return 0, false
		}
		return x % y, true
	case "&":
		return x & y, true
	case "|":
		return x | y, true
	case "^":
		return x ^ y, true
	case "<<":
		return x << (y & 63), y >= 0 && y < 32 && x < 1<<24 && x > -1<<24
	case ">>":
		return x >> (y & 63), y >= 0 && y < 64
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	case "<":
		return truth(x < y), true
	case "<=":
		return truth(x <= y), true
	case ">":
		return truth(x > y), true
	case ">=":
		return truth(x >= y), true
	case "&&":
		return truth(x != 0 && y != 0), true
	case "||":
		return truth(x != 0 || y != 0), true
	}
	return 0, false
}

func safeDivide(x, y int64) (int64, bool) {
	if y == 0 {
		return 0, false
	}
	return x / y, true
}
