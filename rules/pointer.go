package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// maxPointers bounds the definitions that one address is followed through.
const maxPointers = 64

// buffer names the buffer in shared memory that an address lies in: the pointer or array that it is made from, with the
// names that a loop gives another value each round looked through, "" where it does not lead to shared memory. Buffers
// with two names may be parts of one array that never meet, so only those of one name are one.
func (p *Pass) buffer(x program.Expr, l *loop) string {
	f := &follower{Pass: p, loop: l}
	name, _ := f.follow(x, 0)
	return name
}

// follower follows an address down to a shared array.
type follower struct {
	*Pass
	loop  *loop
	steps int
}

// follow returns the outermost name that stays, and whether the address leads to shared memory at all.
func (f *follower) follow(x program.Expr, depth int) (string, bool) {
	if f.steps++; x == nil || depth > 16 || f.steps > maxPointers {
		return "", false
	}
	switch e := x.(type) {
	case *program.Cast:
		return f.follow(e.X, depth+1)
	case *program.Unary:
		if e.Op == "&" || e.Op == "*" {
			return f.follow(e.X, depth+1)
		}
	case *program.Index:
		return f.follow(e.X, depth+1)
	case *program.Binary:
		if e.Op == "+" || e.Op == "-" || e.Op == "&" {
			return f.follow(e.X, depth+1)
		}
	case *program.List: // an array of pointers
		if len(e.Elems) > 0 {
			return f.follow(e.Elems[0], depth+1)
		}
	case *program.Lambda: // one that works an address out
		if len(e.Body) == 1 {
			if r, ok := e.Body[0].(*program.Return); ok {
				return f.follow(r.Value, depth+1)
			}
		}
	case *program.Call:
		return f.call(e, depth)
	case *program.Name, *program.Attr:
		return f.name(path(e), e.Where().Start, depth)
	}
	return "", false
}

func (f *follower) call(c *program.Call, depth int) (string, bool) {
	if name := path(c.Fun); len(f.fn.defs[name]) > 0 { // a tensor that is indexed by call
		return f.follow(c.Fun, depth+1)
	}
	if a, method := c.Fun.(*program.Attr); method && len(c.Args) == 0 { // storage.out.data()
		return f.follow(a.X, depth+1)
	}
	if len(c.Args) == 0 {
		return "", false
	}
	return f.follow(c.Args[0], depth+1)
}

func (f *follower) name(name string, pos, depth int) (string, bool) {
	if name == "" || strings.HasPrefix(name, marked) {
		return "", false
	}
	if f.fn.dims[name] || f.inShared(name) {
		return name, true
	}
	for i, d := range f.fn.visible(name, pos) {
		if i > 4 {
			break
		}
		if d.value == nil || d.op != "=" {
			continue
		}
		if below, ok := f.follow(d.value, depth+1); ok {
			if f.loop != nil && within(d.node, f.loop.stmt) {
				return below, true
			}
			return name, true
		}
	}
	return "", false
}

// single is the size of a ring that is none.
var single program.Expr = &program.Int{Value: 1}

// ringOf says of how many buffers that a loop goes round an address picks one: 1 where the address is the same each time.
func (p *Pass) ringOf(x program.Expr, l *loop, depth int) (n program.Expr, known bool) {
	if depth > 8 || x == nil {
		return nil, false
	}
	n, known = single, true
	program.WalkExprs(x, func(e program.Expr) bool {
		if !known || n != single {
			return false
		}
		switch e := e.(type) {
		case *program.Binary:
			if size := p.modulus(e, l); size != nil {
				n = size
				return false
			}
		case *program.Lambda:
			return false
		case *program.Call:
			if name := path(e.Fun); len(p.fn.defs[name]) == 0 {
				for _, a := range e.Args {
					if known && n == single {
						n, known = p.ringOf(a, l, depth+1)
					}
				}
				return false
			}
		case *program.Name, *program.Attr:
			n, known = p.ringOfName(e, l, depth)
			return false
		}
		return true
	})
	return n, known
}

// modulus is n of `x % n`, where x changes from round to round.
func (p *Pass) modulus(e *program.Binary, l *loop) program.Expr {
	counter, n, ok := p.fn.modulo(e)
	if !ok || !l.varies(counter) {
		return nil
	}
	if n > 0 {
		return &program.Int{Place: e.Place, Value: n}
	}
	return e.Y
}

func (p *Pass) ringOfName(e program.Expr, l *loop, depth int) (program.Expr, bool) {
	name := path(e)
	if op, ok := e.(*program.Attr); ok {
		if _, special := p.fn.file.table.Attr(op); special {
			return single, true
		}
	}
	if strings.HasPrefix(name, marked) || p.fn.bound[name] && !p.fn.isParam(name) {
		return nil, false // another value at each call
	}
	defs := p.fn.visible(name, e.Where().Start)
	inside := 0
	for _, d := range defs {
		if within(d.node, l.stmt) {
			inside++
		}
	}
	template := slices.ContainsFunc(p.fn.fn.Template, func(t program.Param) bool { return t.Name == name })
	if inside == 0 && (!hits(l.touched(), name) || template || p.fn.dims[name] || strings.Contains(p.fn.types[name], "*")) {
		return single, true
	}
	if inside < len(defs) || len(defs) == 0 {
		return nil, false
	}
	if p.fn.inits[defs[0].node] { // the counter of a loop inside
		return single, true
	}
	if len(defs) != 1 || defs[0].op != "=" || defs[0].value == nil {
		return nil, false
	}
	return p.ringOf(defs[0].value, l, depth+1)
}

// waitedMbarrier is the mbarrier that a function of another file is named to wait for: mbarrier_wait_parity(&full[i], 0).
func waitedMbarrier(s *site) program.Expr {
	if s.op.Kind != unknownCall || s.op.Call == nil || len(s.op.Call.Args) == 0 {
		return nil
	}
	if name := lastWord(s.op.Name); strings.HasPrefix(name, "mbarrier_wait") || strings.HasPrefix(name, "mbarrier_try_wait") {
		return s.op.Call.Args[0]
	}
	return nil
}

// armedBefore reports whether all that a loop does to the mbarrier that s waits for was done in an earlier round, ahead of
// b there: then its phase says nothing of what comes after b. The element that is waited for is picked by a counter i, and
// whatever else names the array picks i + c for a constant c > 0.
func (p *Pass) armedBefore(x program.Expr, s, b *site, l *loop) bool {
	bar := p.fn.barrierOf(x)
	if bar.base == "" || bar.index == nil {
		return false
	}
	counter, at := p.affine(bar.index, 0)
	if counter == "" || !l.changes(counter) {
		return false
	}
	for _, o := range l.sites {
		for _, arg := range operands(o) {
			other := p.fn.barrierOf(arg)
			if o == s || other.base != bar.base {
				continue
			}
			name, n := p.affine(other.index, 0)
			if name != counter || n <= at || o.order > b.order {
				return false
			}
		}
	}
	return true
}

// operands are what a site is given.
func operands(s *site) []program.Expr {
	if s.op.Call != nil {
		return s.op.Call.Args
	}
	var out []program.Expr
	for _, name := range [...]string{"ptr", "dst", "src"} {
		if x := s.arg(name); x != nil && s.op.Kind != plainLoad && s.op.Kind != argumentLoad && s.op.Kind != dialect.Load {
			out = append(out, x)
		}
	}
	return out
}

// affine takes an index apart into a name that has no one value and a constant.
func (p *Pass) affine(x program.Expr, depth int) (string, int64) {
	if x == nil || depth > 8 {
		return "", 0
	}
	switch e := p.fn.value(x).(type) {
	case *program.Name, *program.Attr:
		return path(e), 0
	case *program.Binary:
		if n, ok := p.fn.fold(e.Y); ok && e.Op == "+" {
			name, m := p.affine(e.X, depth+1)
			return name, m + n
		}
		if n, ok := p.fn.fold(e.Y); ok && e.Op == "-" {
			name, m := p.affine(e.X, depth+1)
			return name, m - n
		}
	}
	return "", 0
}
