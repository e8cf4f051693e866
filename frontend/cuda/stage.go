package cuda

import (
	"bytes"
	"fmt"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// What a text does with the stages of its pipelines is noted whether the class of the pipeline is known or not: in what order the calls come is said by control
// flow alone (ir.Kernel.Turns).

// speaksOfStages reports whether the file of the kernel, or function, has to do with pipelines.
func (c *compiler) speaksOfStages() bool {
	text := c.file.Source.Written()
	return bytes.Contains(text, []byte("consumer_")) || bytes.Contains(text, []byte("producer_"))
}

// stageOf notes a call of a method of a pipeline, or of the state that says the stage.
func (c *compiler) stageOf(of *place, name string, x *program.Call) {
	if !c.staged {
		return
	}
	if does, is := dialect.StateMethods[name]; is {
		c.stage(does, of, x.Fun.(*program.Attr).X, nil, nil)
		return
	}
	does, is := dialect.StageMethods[name]
	if len(x.Args) == 0 || is && does == "" {
		return
	}
	if !is {
		if state, _ := c.stateOf(x.Args[0]); state == nil {
			return
		}
		does = stageLost
	}
	state, said := c.stateOf(x.Args[0])
	c.stage(does, of, x.Fun.(*program.Attr).X, state, said)
}

// stateOf is the object that an argument names, and its name; nil where that is computed.
func (c *compiler) stateOf(x program.Expr) (*place, program.Expr) {
	switch x := x.(type) {
	case *program.Name:
		if v := c.scope.find(x.Ident); v != nil && v.t != nil && !v.t.scalarLike() {
			return c.placeOf(v), x
		}
	case *program.Attr:
		if id, is := x.X.(*program.Name); is && !x.Arrow && c.scope.find(id.Ident) != nil {
			return c.lvalue(x), x
		}
	case *program.IncDec: // consumer_release(state++)
		return c.stateOf(x.X)
	}
	return nil, x
}

// advances notes that an object which may be the state of a pipeline goes on to the next stage, or is set.
func (c *compiler) advances(at *place, x program.Expr, on bool) {
	if !c.staged || at.t == nil || at.t.scalarLike() {
		return
	}
	does := "set"
	if on {
		does = "advance"
	}
	c.stage(does, at, x, nil, nil)
}

// leavesStages notes the pipelines of which statements speak that are not compiled with what a template is given here: what it is given elsewhere may be another thing.
func (c *compiler) leavesStages(body []program.Stmt) {
	if !c.staged {
		return
	}
	for _, st := range body {
		program.WalkExprs(st, func(x program.Expr) bool {
			call, is := x.(*program.Call)
			if !is {
				return true
			}
			m, is := call.Fun.(*program.Attr)
			if is = is && knownMethod(m.Name); !is {
				return true
			}
			if id, named := m.X.(*program.Name); named && c.scope.find(id.Ident) != nil {
				c.stage(stageLost, c.placeOf(c.scope.find(id.Ident)), id, nil, nil)
			}
			return true
		})
	}
}

// losesStages notes what a call of which nothing is known is handed: it may do anything with it. One that is handed a function may call that.
func (c *compiler) losesStages(call *program.Call, x program.Expr, v value) {
	if m, is := call.Fun.(*program.Attr); !c.staged || is && knownMethod(m.Name) {
		return
	}
	_, lambda := x.(*program.Lambda)
	switch {
	case lambda || v.t != nil && v.t.closure != nil:
		c.stage(stageLost, nil, nil, nil, nil)
	case v.at != nil && v.t != nil && !v.t.scalarLike():
		c.stage(stageLost, v.at, x, nil, nil)
	}
}

// knownMethod reports whether it is said what a method does with stages.
func knownMethod(name string) bool {
	_, is := dialect.StageMethods[name]
	return is
}

const stageLost = "lost"

func (c *compiler) stage(does string, of *place, x program.Expr, state *place, said program.Expr) {
	in := blank(ir.Stage)
	in.Mode = uint8(ir.ModeOf(ir.Stage, does))
	in.A, in.B = constant(c.objectNumber(of, x)), constant(c.objectNumber(state, said))
	if of == nil {
		in.A = constant(-1)
	}
	in.Extra = &ir.Extra{}
	if x != nil {
		in.Extra.Text = lastName(c.src.Source.Text(x.Where()))
	}
	c.emit(in)
}

// objectNumber numbers the objects that stages are noted of, from 1 on; 0 is one that is not known. Elements of an array count as one, and what a name stands for is
// one wherever it is.
func (c *compiler) objectNumber(at *place, x program.Expr) int64 {
	key := ""
	switch _, named := x.(*program.Name); {
	case at == nil:
		return 0
	case at.memory != nil && (at.memory.lost || at.memory.base.Reg == c.nothing):
		if !named {
			return 0
		}
		key = fmt.Sprintf("%p", at.memory)
	case at.object != nil:
		key = fmt.Sprintf("%p", at.object)
	case at.array != nil:
		key = fmt.Sprintf("%p", at.array)
	case at.memory != nil:
		m := at.memory
		key = fmt.Sprint(m.space, m.base.Reg, m.base.Imm, m.base.Of, m.offset)
	case at.input != "":
		key = at.input
	default:
		return 0
	}
	if c.staging[key] == 0 {
		c.staging[key] = int64(len(c.staging)) + 1
	}
	return c.staging[key]
}
