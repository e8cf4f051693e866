package kernel

import (
	"fmt"
	"strings"
)

// Text is the kernel's source.
func (k *Kernel) Text() string {
	if k.Language == CuTe {
		return k.cute()
	}
	return k.cuda()
}

// page is text in the making.
type page struct {
	strings.Builder
	indent int
	width  int // of one step of indentation
}

func (p *page) line(format string, args ...any) {
	p.WriteString(strings.Repeat(" ", p.indent*p.width))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// uses says what of the thread's own numbers a list of statements reads, through the helpers that are printed into its scope.
type uses struct{ tid, warp, lane bool }

func (k *Kernel) uses(list []*Stmt) (u uses) {
	k.spelled(list, func(s *Stmt) {
		switch s.Op {
		case Read, Input:
			u.tid = true
		case Elect:
			u.lane = true
		}
		s.Exprs(func(e **Expr) {
			Each(e, func(x **Expr) {
				switch (*x).Op {
				case Tid:
					u.tid = u.tid || (*x).Form == 0 || k.Language == CuTe
				case Warp:
					u.warp = true
				case Lane:
					u.lane = true
				}
			})
		})
	})
	return u
}

// spelled calls f for the statements of a list and of the helpers that are printed into its scope.
func (k *Kernel) spelled(list []*Stmt, f func(*Stmt)) {
	Walk(list, func(s *Stmt) {
		f(s)
		if s.Op == Call {
			if h := k.Function(s.Name); h.Form == Macro || h.Form == Closure {
				k.spelled(h.Body, f)
			}
		}
	})
}

// reaches reports whether a list of statements uses the kernel's input or output.
func (k *Kernel) reaches(list []*Stmt) bool {
	found := false
	k.spelled(list, func(s *Stmt) { found = found || s.Op == Read || s.Op == Input || s.Op == BulkCopy || s.Op == CopyAsync })
	return found
}

// has reports whether some statement of the kernel is one of these.
func (k *Kernel) has(ops ...StmtOp) bool {
	found := false
	look := func(s *Stmt) {
		for _, op := range ops {
			found = found || s.Op == op
		}
	}
	Walk(k.Body, look)
	for _, f := range k.Functions {
		Walk(f.Body, look)
	}
	return found
}

// Threads of the CTA.
func (k *Kernel) Threads() int { return 32 * k.Warps }

// Function finds a helper by its name.
func (k *Kernel) Function(name string) *Function {
	for _, f := range k.Functions {
		if f.Name == name {
			return f
		}
	}
	return nil
}
