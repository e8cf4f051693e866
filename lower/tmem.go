package lower

import (
	"regexp"
	"strconv"
	"strings"
)

// Copies between tensor memory and registers. Of an instruction of shape .32x32b a warp has the 32 lanes that are its own,
// and each of its threads as many 32-bit columns of one lane as the instruction repeats (PTX ISA 9.7.16.2.3.1); four warps
// reach the 128 lanes. The other shapes spread a lane's columns over threads and are not followed.

var repetition = regexp.MustCompile(`Repetition(?:\.x|\()(\d{1,3})\)?$`)

// tmemColumns is how many columns one instruction of an operation class copies, 0 where that is not known.
func tmemColumns(class string, a *arguments) int64 {
	if class = strings.TrimPrefix(strings.TrimPrefix(class, "Ld"), "Red"); class != "32x32bOp" && class != "St32x32bOp" {
		return 0
	}
	times := repetition.FindStringSubmatch(canonical(firstOf(a.get(0, "repeat"), data{})))
	if times == nil {
		return 0
	}
	n, _ := strconv.ParseInt(times[1], 10, 64)
	return n
}

// tmemCopy is make_tmem_copy(atom, tensor): the copy of a tile by the warps that reach its lanes.
func tmemCopy(of, tensor value) value {
	c := copyAtom("warp")
	o, ok := of.(*object)
	if !ok || atomKind(o) != "warp" {
		return c
	}
	op, ok := o.fields["op"].(*object)
	if !ok {
		return c
	}
	if op.fields["stores"] != nil {
		c.fields["stores"] = op.fields["stores"]
	}
	columns, ok1 := op.fields["columns"].(integer)
	rows, ok2 := product(part(shapeOf(firstOf(tensor, data{})), 0)).(integer)
	if bits := bitsOf(firstOf(o.fields["dtype"], data{})); ok1 && ok2 && bits == 32 && rows == 128 {
		c.fields["op"], c.fields["dtype"] = op, o.fields["dtype"]
		c.fields["tiler_mn"], c.fields["values"], c.fields["size"] = tuple(rows, columns), columns, rows
	}
	return c
}
