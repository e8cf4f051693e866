package lower

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Tensor memory is given back by the warp that reserved it. Until then a matrix multiplication accumulates in it and the
// warps of an epilogue read it, and nothing but the program's barriers keeps the free after them: what is freed may be
// another kernel's at once (PTX ISA 9.7.16.7). In the model it is a buffer of one element that is read by any use and
// written by the free. Only its own allocation is known of a use, so it is not followed where a kernel has several.
//
// A multiplication and a copy count as uses where they are issued: what reads their results waits for them anyway.

const tensorMemory = "tensor memory"

func (m *machine) tensorBuffer(cta int) int {
	b := m.in.blocks[tensorMemory]
	if b == nil {
		b = &value.Block{Name: tensorMemory, Shared: true, Elements: 1}
		m.in.blocks[tensorMemory] = b
	}
	i := m.in.buffer(b, cta)
	m.in.buffers[i].Freed = true
	return i
}

// reserveTensorMemory notes an allocation.
func (m *machine) reserveTensorMemory(n program.Node) {
	f, at := m.place(n.Where())
	place := fmt.Sprintf("%s:%d", f.Source.Name, at.Start)
	if m.in.reserved == "" {
		m.in.reserved = place
	}
	if m.in.reserved != place {
		m.in.untracked(tensorMemory, "reserved in several pieces")
	}
}

// usesTensorMemory records that the group uses the tensor memory of its CTA.
func (m *machine) usesTensorMemory(cta int64, n program.Node) {
	if m.host || cta >= int64(m.in.ctas) {
		return
	}
	b := m.tensorBuffer(int(cta))
	m.record(protocol.Access{Buffer: b, Elements: []protocol.Range{{Lo: 0, Hi: 1}}, Site: m.site(n.Where(), "uses tensor memory")}, tensorMemory)
}

// blindlyUses notes an instruction that is given an address in tensor memory: who writes and who reads there is not followed.
func (m *machine) blindlyUses(n program.Node) {
	if m.in.blindly == "" && !m.host {
		f, at := m.place(n.Where())
		m.in.blindly = fmt.Sprintf("%s:%d", f.Source.Name, f.Source.Position(at.Start).Line)
	}
}

// blind says why no race on tensor memory was found shows nothing, "" where it does.
func (in *instance) blind() string {
	if in.reserved == "" || in.blindly == "" {
		return ""
	}
	return "used by an instruction at an address that is not followed, at " + in.blindly
}

// freeTensorMemory is tcgen05.dealloc, which a whole warp executes (.sync.aligned).
func (m *machine) freeTensorMemory(n program.Node) {
	if m.sampling {
		return
	}
	m.warpSync(fullWarp, n)
	b := m.tensorBuffer(int(m.cta))
	m.record(protocol.Access{Buffer: b, Write: true, Stored: m.in.storedAs("a free"), Elements: []protocol.Range{{Lo: 0, Hi: 1}}, Site: m.site(n.Where(), "frees tensor memory")}, tensorMemory)
}

// IsTensorCopy reports whether a copy is one between tensor memory and registers.
func IsTensorCopy(v value.Value) bool {
	return AtomKind(v) == "warp" && v.(*value.Object).Fields["tmem"] != nil
}

// Copies between tensor memory and registers. Of an instruction of shape .32x32b a warp has the 32 lanes that are its own,
// and each of its threads as many 32-bit columns of one lane as the instruction repeats (PTX ISA 9.7.16.2.3.1); four warps
// reach the 128 lanes. The other shapes spread a lane's columns over threads and are not followed.

var repetition = regexp.MustCompile(`Repetition(?:\.x|\()(\d{1,3})\)?$`)

// tmemColumns is how many columns one instruction of an operation class copies, 0 where that is not known.
func tmemColumns(class string, a *value.Arguments) int64 {
	if class = strings.TrimPrefix(strings.TrimPrefix(class, "Ld"), "Red"); class != "32x32bOp" && class != "St32x32bOp" {
		return 0
	}
	times := repetition.FindStringSubmatch(value.Canonical(value.FirstOf(a.Get(0, "repeat"), value.Data{})))
	if times == nil {
		return 0
	}
	n, _ := strconv.ParseInt(times[1], 10, 64)
	return n
}

// TmemCopy is make_tmem_copy(atom, tensor): the copy of a tile by the warps that reach its lanes.
func TmemCopy(of, tensor value.Value, a *value.Arguments) *value.Object {
	c := CopyAtom("warp")
	c.Fields["tmem"], c.Fields["made"] = value.Int(1), SpelledArguments(a)
	o, ok := of.(*value.Object)
	if !ok || AtomKind(o) != "warp" {
		return c
	}
	c.Fields["registers"] = value.FirstOf(o.Fields["registers"], value.None{})
	op, ok := o.Fields["op"].(*value.Object)
	if !ok {
		return c
	}
	if op.Fields["stores"] != nil {
		c.Fields["stores"] = op.Fields["stores"]
	}
	columns, ok1 := op.Fields["columns"].(value.Int)
	rows, ok2 := Product(Part(ShapeOf(value.FirstOf(tensor, value.Data{})), 0)).(value.Int)
	if bits := value.BitsOf(value.FirstOf(o.Fields["dtype"], value.Data{})); ok1 && ok2 && bits == 32 && rows == 128 {
		c.Fields["op"], c.Fields["dtype"] = op, o.Fields["dtype"]
		c.Fields["tiler_mn"], c.Fields["values"], c.Fields["size"] = Tuple(rows, columns), columns, rows
	}
	return c
}

// tmemThreads is how many threads copy a tile of tensor memory: four warps, each of which reaches 32 of the 128 lanes.
const tmemThreads = 128

// SpelledArguments spells all that a call is given, and is data where part of that is not known: two calls that are spelled alike make the
// same.
func SpelledArguments(a *value.Arguments) value.Value {
	parts := make([]string, 0, len(a.Vals)+len(a.Named))
	for _, v := range a.Vals {
		parts = append(parts, spelledWhole(v))
	}
	for i, v := range a.Named {
		parts = append(parts, a.Names[i]+"="+spelledWhole(v))
	}
	if a.Open || slices.Contains(parts, "") {
		return value.Data{}
	}
	return value.Text(strings.Join(parts, ", "))
}

// spelledWhole spells what is given to make a copy, "" where part of it is not known.
func spelledWhole(v value.Value) string {
	switch v := v.(type) {
	case value.Data, value.Mixed, value.Lanes:
		return ""
	case *Tensor: // its name says how it was derived
		return v.Name + " " + value.Canonical(v.Shape)
	case *Layout:
		return spelledWhole(Tuple(v.Shape, v.Strides()))
	case *value.Sequence:
		out := "("
		for _, e := range v.Elems {
			s := spelledWhole(e)
			if s == "" {
				return ""
			}
			out += s + " "
		}
		return out + ")"
	case *value.Object:
		out := "{"
		for _, name := range slices.Sorted(maps.Keys(v.Fields)) {
			s := spelledWhole(v.Fields[name])
			if s == "" {
				return ""
			}
			out += name + "=" + s + " "
		}
		return out + "}"
	}
	return value.Canonical(v)
}
