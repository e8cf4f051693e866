package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// Storage that a function by itself is handed by reference: an object of a class that nothing read declares, as a template's argument is, or a header's that is not there.

// referred is what a reference is bound to that the function is handed, or that its object has.
func (r *alone) referred(name string, t *ctype) *variable {
	switch {
	case t.pointer():
		return r.value(name, t)
	case t.class != nil && t.fields != nil:
		return &variable{t: t, reg: -1, alias: &place{t: t, memory: r.buffer(name, t).memory}}
	case t.opaque && t != voidType || t.guessed:
		t := opaqueType(t.name)
		return &variable{t: t, reg: -1, alias: &place{t: t, memory: &memory{space: ir.Shared, lost: true, stored: name}}}
	}
	return r.value(name, t) // an object of the thread's own, most often
}

// member is a member of storage of which nothing is known but what the text does with it: members are apart from each other, which a union's are not.
func (r *alone) member(of *memory, name string) *place {
	full := of.stored + "." + name
	switch r.usedAs(name) {
	case usedAsArray:
		return &place{t: arrayOf(realType, -1), memory: r.buffer(full, realType).memory}
	case usedAsNumber:
		v := r.buffer(full, realType)
		if outer, _, _ := strings.Cut(of.stored, "."); r.constant[outer] {
			r.fixed[v.memory.base.Of] = true
		}
		return &place{t: realType, memory: v.memory}
	}
	return &place{t: opaqueType(name), memory: &memory{space: ir.Shared, lost: true, stored: full}}
}

type use uint8

const (
	usedOtherwise use = iota
	usedAsNumber
	usedAsArray
)

// usedAs is what functions do with members of a name: an array has elements, or pointers made of it; a number is set, or computed with.
func (r *alone) usedAs(name string) (how use) {
	of := func(x program.Expr) bool {
		a, is := x.(*program.Attr)
		return is && a.Name == name
	}
	note := func(x program.Expr, as use) {
		if x != nil && of(x) {
			how = max(how, as)
		}
	}
	for _, fn := range r.c.file.Functions {
		if fn != r.fn && (fn.Class == nil || fn.Class != r.fn.Class) {
			continue
		}
		program.WalkStmts(fn.Body, func(st program.Stmt) bool {
			if a, is := st.(*program.Assign); is {
				for _, t := range a.Targets {
					note(t, usedAsNumber)
				}
				as := usedAsNumber
				if s := r.c.spelled(a.Type); a.Decl && s.stars > 0 {
					as = usedAsArray
				}
				note(a.Value, as)
			}
			return true
		})
		for _, st := range fn.Body {
			program.WalkExprs(st, func(e program.Expr) bool {
				switch x := e.(type) {
				case *program.Index:
					note(x.X, usedAsArray)
				case *program.Binary:
					note(x.X, usedAsNumber)
					note(x.Y, usedAsNumber)
				}
				return true
			})
		}
	}
	return how
}

// opens reports whether a function names members of an object.
func opens(fn *program.Function, object string) bool {
	return slices.ContainsFunc(fn.Body, func(st program.Stmt) (yes bool) {
		program.WalkExprs(st, func(e program.Expr) bool {
			if a, is := e.(*program.Attr); is {
				id, named := a.X.(*program.Name)
				yes = yes || named && id.Ident == object
			}
			return !yes
		})
		return yes
	})
}
