package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// operation is what a call stands for by its spelling: looked up once, as loops come back to it.
func (m *machine) operation(e *program.Call) (dialect.Op, bool) {
	known, ok := m.in.low.operations[e]
	if !ok {
		known.op, known.is = m.table().Call(e, m.in.typeOf(m.file))
		m.in.low.operations[e] = known
	}
	return known.op, known.is
}

// asOperation is the operation that a call stands for, if it is one.
type asOperation struct {
	op dialect.Op
	is bool
}

// renamed is the operation that a call performs under a name the program has given to a function or module of the DSL.
func (m *machine) renamed(f value.Path, e *program.Call) (*dialect.Op, *program.Call, bool) {
	if !strings.HasPrefix(string(f), "cutlass.") {
		return nil, nil, false
	}
	key := renaming{f, e}
	known, ok := m.in.low.renamings[key]
	if !ok {
		known = m.respelled(f, e)
		m.in.low.renamings[key] = known
	}
	op := known.op
	return &op, known.call, known.is
}

// renaming is a call of something that has another name where it comes from.
type renaming struct {
	fun  value.Path
	call *program.Call
}

type renamed struct {
	asOperation
	call *program.Call
}

// respelled is a call with the name that the function has where it comes from.
func (m *machine) respelled(f value.Path, e *program.Call) renamed {
	words := strings.Split(string(f), ".")
	at := program.Place{Span: e.Fun.Where()}
	var fun program.Expr = &program.Name{Place: at, Ident: words[0]}
	for _, w := range words[1:] {
		fun = &program.Attr{Place: at, X: fun, Name: w}
	}
	call := *e
	call.Fun = fun
	op, ok := m.table().Call(&call, nil)
	return renamed{asOperation{op, ok}, &call}
}
