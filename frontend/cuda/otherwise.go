package cuda

import (
	"slices"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// goes translates the way that an if goes as the numbers of the kernel's template that are guessed say. What stands in the other way is compiled with others.
func (c *compiler) goes(st *program.If, yes bool) {
	way, other := st.Then, st.Else
	if !yes {
		way, other = other, way
	}
	c.leavesStages(other)
	from := len(c.code.Insts)
	c.body(way)
	c.otherwise(st.Cond, other, from)
}

// otherwise notes numbers of the kernel's template with which a condition comes out otherwise than with those that are guessed, where threads synchronize in what is compiled then. Not where they do
// so now: then the number may be one of threads, and with another one as many as are guessed would not come.
func (c *compiler) otherwise(cond program.Expr, left []program.Stmt, from int) {
	if !c.guessed || c.host != nil || len(left) == 0 || slices.ContainsFunc(c.code.Insts[from:], meeting) || !c.meetIn(left) {
		return
	}
	was, known := c.constant(cond)
	if !known {
		return
	}
	var names []string
	var numbers []int64 // those that are named first, then powers of two, down from the guess and up
	program.WalkExprs(&program.ExprStmt{X: cond}, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name:
			if v := c.lookup(e.Ident); v != nil {
				names = append(names, e.Ident)
			} else if n, known := c.constant(e); known { // an enumerator
				numbers = append(numbers, n)
			}
		case *program.Int:
			numbers = append(numbers, e.Value, e.Value+1, e.Value-1)
		}
		return true
	})
	for n := c.guess / 2; n > 0; n /= 2 {
		numbers = append(numbers, n)
	}
	for n := c.guess * 2; n <= mostFit; n *= 2 {
		numbers = append(numbers, n)
	}
	for _, name := range names {
		v := c.lookup(name)
		if _, chosen := c.fit[name]; chosen || v == nil || v.number == nil || !slices.Contains(c.code.Guesses, name) {
			continue
		}
		own := *v.number
		for _, *v.number = range numbers {
			if n, known := c.constant(cond); *v.number > 0 && known && (n != 0) != (was != 0) {
				if c.code.Otherwise == nil {
					c.code.Otherwise = map[string]int64{}
				}
				if _, noted := c.code.Otherwise[name]; !noted {
					c.code.Otherwise[name] = *v.number
				}
				*v.number = own
				return
			}
		}
		*v.number = own
	}
}

// meeting reports whether threads may meet in an instruction.
func meeting(in ir.Inst) bool {
	return in.Op.Synchronizes() || in.Flags&ir.Meets != 0 || in.Op == ir.Outside && in.Flags&ir.MayMeet != 0
}

// meetIn reports whether threads synchronize in statements, as far as their text says, or in what is called there.
func (c *compiler) meetIn(list []program.Stmt) (yes bool) {
	if c.gathering == nil {
		c.gathering = map[*program.Function]bool{}
	}
	for _, st := range list {
		yes = yes || source.HasSync([]byte(c.src.Source.Text(st.Where())))
		each(st, func(name string) {
			for _, fn := range c.functions[name] {
				yes = yes || c.meets(fn, c.gathering, 0)
			}
		})
	}
	return yes
}
