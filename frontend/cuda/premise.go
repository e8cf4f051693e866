package cuda

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// annotation translates what an author says of the program and that does nothing in it.
func (c *compiler) annotation(name string, x *program.Call) (value, bool) {
	none := value{t: voidType, op: ir.None}
	if name == "static_assert" {
		c.staticAssert(x)
		return none, true
	}
	switch dialect.RoleOf(name) {
	case dialect.Claim:
		return none, true
	case dialect.Premise:
		if len(x.Args) > 0 && c.states(x.Args[0]) {
			c.suppose(x.Args[0])
		}
		return none, true
	case dialect.Unreachable:
		c.trap()
		c.assume("no execution comes to " + name)
		return none, true
	case dialect.Enabled:
		return value{t: boolType, op: constant(1)}, len(x.Args) == 0
	case dialect.Implies:
		if len(x.Args) != 2 {
			return value{}, false
		}
		not := &program.Unary{Place: program.Place{Span: x.Args[0].Where()}, Op: "!", X: x.Args[0]}
		return c.shortCircuit(&program.Binary{Place: program.Place{Span: x.Span}, Op: "||", X: not, Y: x.Args[1]}), true
	}
	return value{}, false
}

// axioms are the premises of the kernel's file that stand outside of functions.
func (c *compiler) axioms() {
	for _, st := range c.file.Body {
		x, is := st.(*program.ExprStmt)
		if !is {
			continue
		}
		call, is := x.X.(*program.Call)
		if !is {
			continue
		}
		if id, is := call.Fun.(*program.Name); is && dialect.RoleOf(id.Ident) == dialect.Premise {
			c.statement(st)
		}
	}
}

// ErrGuess is of a guess of what a template is given that a static assertion excludes.
var ErrGuess = errors.New("a static assertion excludes the guess")

// errRefit is of a guess that a static assertion excludes, of which it is known what it may be instead.
var errRefit = errors.New("a static assertion wants another number")

const (
	maxRefits = 8       // numbers of one template that static assertions choose
	mostFit   = 1 << 16 // of such a number
)

// refitted calls a translation with numbers for parameters of a template, other than the guess, until no static assertion wants another one.
func refitted(first map[string]int64, translate func(fit map[string]int64) error) error {
	fit := map[string]int64{}
	maps.Copy(fit, first)
	for range maxRefits {
		if err := translate(fit); !errors.Is(err, errRefit) {
			return err
		}
	}
	return fmt.Errorf("no numbers are found that all agree with: %w", ErrGuess)
}

// numberFor is the number that a parameter of a template is taken to be.
func (c *compiler) numberFor(parameter string) int64 {
	if n, is := c.fit[parameter]; is {
		return n
	}
	return c.guess
}

// constantFor is the number, of those up to most, that a constant of a file that is not there is taken to be where a model's template is given it: the whole kernel is
// translated with it.
func (c *compiler) constantFor(name string, most int64) *int64 {
	last := strings.TrimSpace(lastName(name))
	if c.fit == nil || c.lookup(name) != nil || len(c.functions[last]) > 0 {
		return nil
	}
	if _, taken := c.fit[last]; !taken {
		if c.fit[last] = min(c.guess, most); most == ir.Lanes { // a name for how many lanes a tile has is that of all of a warp's, as a rule
			c.fit[last] = most
		}
		panic(unsupported{why: limit.Template.Says("what " + last + " is, the text does not say"), not: true, refit: true})
	}
	return c.fitted(last)
}

// fitted is the number that a constant is taken to be; nil: none is.
func (c *compiler) fitted(name string) *int64 {
	n, is := c.fit[name]
	if !is {
		return nil
	}
	c.guessed = true
	if !slices.Contains(c.code.Guesses, name) {
		c.code.Guesses = append(c.code.Guesses, name)
		c.assume(fmt.Sprintf("%s, which the text does not say, is %d", name, n))
	}
	return &n
}

// staticAssert gives a guess up that the program would not be compiled with, for another number of a parameter if there is one with which it would.
func (c *compiler) staticAssert(x *program.Call) {
	if len(x.Args) == 0 || !c.guessed && !c.sizesOf(x.Args[0]) {
		return
	}
	if n, known := c.constant(x.Args[0]); !known || n != 0 {
		return
	}
	not := unsupported{why: limit.Template.Says("static_assert at " + c.code.Where(&ir.Place{Span: c.at})), not: true}
	var names []string
	numbers := powersOfTwo(c.guess, mostFit)
	program.WalkExprs(x.Args[0], func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name:
			names = append(names, e.Ident)
		case *program.String: // a type whose size is asked for
			names = append(names, e.Value)
		case *program.Int:
			numbers = append(numbers, e.Value, e.Value+1, e.Value-1, 2*e.Value, 4*e.Value)
		}
		return true
	})
	for _, name := range names {
		v := c.lookup(name)
		if v == nil || v.number == nil || c.fit == nil || !slices.Contains(c.code.Guesses, name) {
			continue
		}
		own := *v.number
		for _, *v.number = range numbers {
			if n, known := c.constant(x.Args[0]); known && n != 0 {
				c.fit[name], not.refit = *v.number, true
				panic(not)
			}
		}
		*v.number = own
	}
	for _, name := range names {
		t := c.guessedType(name)
		if t == nil || c.fit == nil {
			continue
		}
		own := *t
		for _, size := range [...]int64{2, 1, 8, 4} {
			*t = *sized[size]
			n, known := c.constant(x.Args[0])
			if *t = own; known && n != 0 {
				c.fit[ir.SizeOf+t.untold], not.refit = size, true
				panic(not)
			}
		}
	}
	if c.guessed {
		panic(not)
	}
}

// sized are the types that one of a template is taken to be which has to be of so many bytes.
var sized = map[int64]*ctype{1: scalars["uint8_t"], 2: halfType, 4: realType, 8: scalars["double"]}

// guessedType is the type that a name stands for, if that is a number's that a parameter of the template is taken to be; nil else.
func (c *compiler) guessedType(name string) *ctype {
	for s := c.scope; s != nil; s = s.outer {
		if t := s.kinds[name]; t != nil {
			if t.guessed && t.untold != "" && t.to == nil && t.number.Bits > 0 && t.class == nil && t.groups == 0 {
				return t
			}
			return nil
		}
	}
	return nil
}

// sizesOf reports whether an expression names a type that is guessed.
func (c *compiler) sizesOf(x program.Expr) (yes bool) {
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name:
			yes = yes || c.guessedType(e.Ident) != nil
		case *program.String:
			yes = yes || c.guessedType(e.Value) != nil
		}
		return true
	})
	return yes
}

// states reports whether an expression reads no memory and calls nothing but what premises are made of: only then it is said what follows from it.
func (c *compiler) states(x program.Expr) bool {
	out := true
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Call:
			id, named := e.Fun.(*program.Name)
			role := dialect.Unsaid
			if named {
				role = dialect.RoleOf(id.Ident)
			}
			out = out && (role == dialect.Enabled || role == dialect.Implies)
		case *program.Index, *program.AssignExpr, *program.IncDec, *program.OpaqueExpr, *program.Lambda:
			out = false
		case *program.Unary:
			out = out && e.Op != "*"
		case *program.Attr:
			out = out && !e.Arrow
		}
		return out
	})
	return out
}

// suppose ends the thread where a premise does not hold: what a kernel is given so is not counted, as where threads come to a trap.
func (c *compiler) suppose(x program.Expr) {
	before, guesses, calls, assumed := len(c.code.Insts), len(c.code.Guesses), len(c.code.Calls), len(c.code.Assumed)
	known := maps.Clone(c.inputs)
	p := c.test(c.value(x))
	if len(c.code.Guesses) > guesses || len(c.code.Calls) > calls { // it speaks of what the text does not say
		for _, text := range c.code.Assumed[assumed:] {
			delete(c.noted, text)
		}
		c.inputs, c.code.Guesses, c.code.Calls, c.code.Assumed = known, c.code.Guesses[:guesses], c.code.Calls[:calls], c.code.Assumed[:assumed]
		return
	}
	switch {
	case p.Reg == -1 && p.Imm != 0:
		return
	case c.unknownSince(before): // data decide: nothing follows from it
		return
	}
	program.WalkExprs(x, func(e program.Expr) bool {
		if id, is := e.(*program.Name); is && c.formal[id.Ident] && !slices.Contains(c.code.Premised, id.Ident) {
			c.code.Premised = append(c.code.Premised, id.Ident)
		}
		return true
	})
	over := c.label()
	c.jump(over, p, true)
	c.trap()
	c.bind(over)
	if c.inModel() { // what a library takes for granted no text of the tree says
		return
	}
	c.assume(fmt.Sprintf("%s, which %s takes for granted", strings.Join(strings.Fields(c.src.Source.Text(x.Where())), " "), c.code.Where(&c.code.Places[c.place])))
}

// trap ends the thread, and what it was given is not counted.
func (c *compiler) trap() {
	in := blank(ir.Exit)
	in.Mode = 1
	c.emit(in)
}

// unknownSince reports whether anything was made that is not known.
func (c *compiler) unknownSince(at int) bool {
	for _, in := range c.code.Insts[at:] {
		if in.Op == ir.Havoc || in.Op == ir.Apply {
			return true
		}
	}
	return false
}
