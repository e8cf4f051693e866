package grid

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

func (c *compiler) assign(s *program.Assign) {
	if s.Decl && (len(s.Dims) > 0 || s.Shared) {
		c.array(s)
		return
	}
	if s.Decl && s.Value == nil {
		for _, t := range s.Targets {
			if n, ok := t.(*program.Name); ok {
				v := c.declare(n.Ident, kindOf(s.Type))
				c.emit(instr{op: opCompute, dst: v.slot, a: constant(unknown)})
			}
		}
		return
	}
	if s.Value == nil {
		return
	}
	for _, t := range s.Targets {
		switch t := t.(type) {
		case *program.Tuple:
			c.unpack(t, s.Value)
		case *program.Name:
			if s.Decl && strings.Contains(s.Type, "&") {
				c.reference(t.Ident, s.Value)
				continue
			}
			value := c.expr(s.Value)
			if s.Decl || c.file.Language == program.CuTe && (s.Op == "=" || s.Op == "") {
				v := c.bind(t.Ident, s)
				c.emit(instr{op: opCompute, dst: v.slot, a: value, kind: v.kind})
				continue
			}
			c.set1(t, s.Op, value)
		default:
			c.set1(t, s.Op, c.expr(s.Value))
		}
	}
}

// reference makes another name of what a name stands for. What other references are read of is unknown, and they are not
// written.
func (c *compiler) reference(name string, value program.Expr) {
	if n, ok := value.(*program.Name); ok {
		if v, found := c.find(n.Ident); found {
			c.scope.names[name] = v
			return
		}
	}
	c.expr(value)
	c.scope.names[name] = symbol{array: true, alias: true}
}

// bind makes a local of a declaration; Python's belong to the function.
func (c *compiler) bind(name string, s *program.Assign) symbol {
	kind := kindOf(s.Type)
	if strings.Contains(s.Type, "*") {
		kind = asIs
	}
	v := c.declare(name, kind)
	if strings.Contains(s.Type, "volatile") && strings.Contains(s.Type, "*") {
		v.strong = true
		c.scope.names[name] = v
	}
	return v
}

// array declares an array, or an object in shared memory.
func (c *compiler) array(s *program.Assign) {
	for _, t := range s.Targets {
		n, ok := t.(*program.Name)
		switch {
		case !ok:
		case s.Shared:
			c.scope.names[n.Ident] = symbol{object: true, base: c.base("shared "+n.Ident, true, kindOf(s.Type)), extent: len(s.Dims) > 0}
		default:
			c.scope.names[n.Ident] = symbol{array: true}
		}
	}
}

// unpack assigns a, b, c = block_idx(), or a tuple to a tuple.
func (c *compiler) unpack(t *program.Tuple, value program.Expr) {
	values, pairwise := value.(*program.Tuple)
	for i, target := range t.Elems {
		n, ok := target.(*program.Name)
		if !ok {
			continue
		}
		v := constant(unknown)
		if call, isCall := value.(*program.Call); isCall && i < 3 {
			if op, known := c.table.Call(call, nil); known && isTriple(op.Kind) {
				v, _ = c.coordinate(&program.Index{Place: program.Place{Span: call.Span}, X: call, Args: []program.Expr{&program.Int{Value: int64(i)}}})
			} else if i == 0 {
				c.expr(value)
			}
		} else if pairwise && len(values.Elems) == len(t.Elems) {
			v = c.expr(values.Elems[i])
		}
		c.emit(instr{op: opCompute, dst: c.declare(n.Ident, asIs).slot, a: v})
	}
}

// set1 assigns to a name or a place in memory, and gives what was assigned.
func (c *compiler) set1(target program.Expr, op string, value expr) expr {
	op = strings.TrimSuffix(op, "=")
	if n, ok := target.(*program.Name); ok {
		v, found := c.find(n.Ident)
		switch {
		case found && v.alias:
			c.fail("a write by a reference is not followed")
			return constant(unknown)
		case found && v.array, found && v.value != nil:
			return constant(unknown)
		case found && !v.object:
			if op != "" {
				old, by := local(v.slot), value
				value = func(e *env) int64 { return binary(op, old(e), by(e)) }
			}
			c.emit(instr{op: opCompute, dst: v.slot, a: value, kind: v.kind})
			return local(v.slot)
		case !found:
			return constant(unknown)
		}
	}
	ptr, strong, ok := c.place(target)
	if !ok {
		return constant(unknown)
	}
	if op != "" {
		old, by := c.load(ptr, strong), value
		value = func(e *env) int64 { return binary(op, old(e), by(e)) }
	}
	slot := c.temporary()
	c.emit(instr{op: opCompute, dst: slot, a: value})
	c.emit(instr{op: opStore, ptr: ptr, a: local(slot)})
	return local(slot)
}

// inert reports whether statements only compute with data: nothing that others see, no way out. names are what they assign.
func (c *compiler) inert(body []program.Stmt, depth int) (names []string, inert bool) {
	if depth > 3 {
		return nil, false
	}
	inert = true
	assigned := func(t program.Expr) {
		switch t := t.(type) {
		case *program.Name:
			names = append(names, t.Ident)
		case *program.Index, *program.Unary, *program.Attr:
			inert = inert && c.isData(t)
		}
	}
	depthOf := 0
	for _, s := range body {
		program.Walk(s, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Return, *program.Asm, *program.OpaqueStmt, *program.While:
				inert = false
			case *program.Break, *program.Continue:
				inert = inert && depthOf > 0
			case *program.For:
				depthOf++ // what leaves it stays inside, or is refused where there is none
				inert = inert && (n.Iter != nil || countsOnly(n.Cond))
			case *program.Assign:
				for _, t := range n.Targets {
					if !n.Decl {
						assigned(t)
					}
				}
			case *program.AssignExpr:
				assigned(n.Target)
			case *program.IncDec:
				assigned(n.X)
			case *program.Call:
				inert = inert && c.inertCall(n, depth)
			}
			return inert
		})
	}
	slices.Sort(names)
	return slices.Compact(names), inert
}

// countsOnly reports whether a condition reads no memory: a loop that does may wait.
func countsOnly(x program.Expr) bool {
	if x == nil {
		return false
	}
	counts := true
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Index, *program.Call:
			counts = false
		case *program.Unary:
			counts = counts && e.Op != "*"
		}
		return counts
	})
	return counts
}

// isData reports whether a place in memory is not followed.
func (c *compiler) isData(x program.Expr) bool {
	for {
		switch e := x.(type) {
		case *program.Index:
			x = e.X
			continue
		case *program.Attr:
			x = e.X
			continue
		case *program.Cast:
			x = e.X
			continue
		case *program.Unary:
			x = e.X
			continue
		case *program.Binary:
			x = e.X
			continue
		case *program.Name:
			v, ok := c.find(e.Ident)
			return ok && (v.array || v.object && !c.program.follows(v.base)) && !v.strong
		}
		return false
	}
}

func (c *compiler) inertCall(call *program.Call, depth int) bool {
	if op, ok := c.table.Call(call, nil); ok {
		return isPure(op.Kind)
	}
	if fn := c.resolve(call); fn != nil {
		_, inert := c.inert(withoutReturns(fn.Body), depth+1)
		return inert
	}
	return harmless[lastWord(pathOf(call.Fun))]
}

// withoutReturns drops a return at the end of a body.
func withoutReturns(body []program.Stmt) []program.Stmt {
	if n := len(body); n > 0 {
		if r, ok := body[n-1].(*program.Return); ok && r.Value != nil {
			return append(slices.Clone(body[:n-1]), &program.ExprStmt{Place: r.Place, X: r.Value})
		}
	}
	return body
}

// harmless are functions that only compute.
var harmless = map[string]bool{
	"min": true, "max": true, "abs": true, "fmaxf": true, "fminf": true, "expf": true, "logf": true, "sqrtf": true, "rsqrtf": true,
	"static_cast": true, "float": true, "int": true, "Float32": true, "Int32": true, "Uint32": true, "sizeof": true, "printf": true,
	"make_float4": true, "make_float2": true, "__float2half": true, "__half2float": true, "__popc": true, "__ffs": true, "__clz": true,
}
