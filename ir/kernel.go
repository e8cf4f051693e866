package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/source"
)

// Limits against hostile input.
const (
	MaxInsts     = 4_000_000 // of a kernel with what it calls
	MaxFunctions = 1_000
)

// SizeOf begins the name of an input that says how large a type is of which the text says nothing.
const SizeOf = "sizeof_"

// IsSize reports whether an input is one of these.
func IsSize(input string) bool { return strings.HasPrefix(input, SizeOf) }

// Kernel is a kernel with all functions it calls, as one list of instructions.
type Kernel struct {
	Insts      []Inst
	Name       string
	File       *source.File
	Places     []Place // by Inst.Place
	Registers  int
	Predicates int
	Special    map[string]int32  // registers that hold special registers
	Formals    []string          // its parameters
	Slots      []Parameter       // the parts of them that are read
	Names      []string          // of registers: each is its only one in the kernel
	Tests      []string          // names of predicates, as unique
	Types      []Type            // of registers: as wide as the widest value they are given; no bits: not known
	Directives map[string][3]int // .reqntid, .maxntid, .reqnctapercluster: what the kernel says of its launch
	Launches   []Launched        // what the host's text says of its launch, each shape once
	Unlaunched string            // why that is not all, or nothing; "" where it is
	Lacking    []string          // names that nothing defines, and under which what it calls is declared
	Grid       [3]int            // that all its launches have, where the text does not say with what blocks; zero: not known
	Extents    [3]int            // that the CTAs of all its launches have; zero along an axis where the text does not say it
	Across     [3]int            // CTAs that the grids of all its launches have; zero along an axis where the text does not say it
	Others     []*Kernel         // the same kernel as others of its launches have it, by what its template is given
	Unread     bool              // and there are more of these, which are left out
	Variables  map[string]*Variable
	Globals    map[string]int32 // registers that hold the addresses of variables in global memory, which nothing says
	Constants  []*Variable
	Assumed    []string
	Guesses    []string                      // what the text does not say and is taken for granted: numbers and types of templates, constants of files that are not there
	Flags      []string                      // of these, parameters of its template that are true or false: either is meant to be launched
	Otherwise  map[string]int64              // numbers of its template, other than those that are guessed, with which more of its text is compiled where threads synchronize
	Rows       bool                          // sums that lead into an array within an object have its size
	Calls      []string                      // what calls that are not followed are taken to do, or not to do
	Premised   []string                      // parameters of which the kernel's author says what is taken for granted
	Data       bool                          // data are followed
	Tracked    bool                          // what shared memory holds decides control
	global     bool                          // accesses of global memory are followed
	alike      func() *Uniformity            // of the whole kernel, as long as nobody writes what is loaded; nil: this is the whole
	chosen     func(uint32) []Choice         // ChosenAt of the whole kernel; nil: this is the whole
	behind     func() map[uint32]bool        // BehindWaits of the whole kernel; nil: this is the whole
	updated    func(write, read uint32) bool // Updated of the whole kernel; nil: this is the whole
	byAll      func(place uint32) bool       // ByDataAt of the whole kernel; nil: this is the whole
	ofOwn      func(place uint32) bool       // OwnAt of the whole kernel; nil: this is the whole
	kept       bool                          // the whole kernel writes addresses of shared memory to memory
	Blocking   bool                          // warps wait for each other while they are executed
	Functions  [][2]int32                    // where functions start and end
	Called     []string                      // their names
	results    [results]passResult
	made       madeOf
	Writes     map[int32]bool       // registers from which addresses of writes to global memory are made
	written    map[int32][][2]int64 // of those through which only members of an object are written: which bytes
	Nothing    int32                // a register that nothing sets
}

// Guessed reports whether something is taken for granted of the kernel that its text does not say.
func (c *Kernel) Guessed() bool { return len(c.Guesses)+len(c.Calls) > 0 }

// Granted lists what is taken for granted of the kernel that its text does not say.
func (c *Kernel) Granted() []string { return slices.Concat(c.Guesses, c.Calls) }

// Launched is a launch of a kernel in the text of its host. Extents of zero are not known.
type Launched struct {
	Block, Cluster, Grid [3]int
	Params               map[string]int64 // of the kernel's formals those that are constants
	At                   string
	Cooperative          bool   // all launches of this shape are
	Dependent            string // where it is launched so that it may start before the kernels before it have ended; "" nowhere
	Chosen               bool   // the host chooses the shape by what is not known here, which may have to do with what the kernel is given
}

// Place is where an instruction stands in the text, and the line of the source that it was compiled from, if that is known.
type Place struct {
	Span source.Span
	Path string
	Line int         // 0: not known
	Name string      // of the instruction, with its modifiers
	From source.Span // of the call in the kernel's own text that leads there; empty in that text, and where it is in another file
}

// Where names a place: the line of the source if it is known, else that of the text.
func (c *Kernel) Where(at *Place) string {
	if at == nil {
		return ""
	}
	if at.Line > 0 {
		return fmt.Sprintf("%s:%d", at.Path, at.Line)
	}
	if c.File == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.File.Name, c.File.Position(at.Span.Start).Line)
}

// Parameter is a part of a parameter of the kernel: the register that holds what stands at an offset.
type Parameter struct {
	Name     string
	Offset   int64
	Register int32
	Pointer  bool   // it is read as 64 bits
	Text     string // as the source spells it, where it is a member of the parameter: p.at
}
