package dialect

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/program"
)

//go:embed rows/*.txt
var rowFiles embed.FS

// Table holds the rows of one language and the user's wrappers.
type Table struct {
	lang     program.Language
	wrappers map[string][]*row // by last component; they win over built-in rows
	calls    map[string][]*row // shared between tables, never written after loading
	ptx      map[string][]*row // by opcode
}

type library struct{ cutedsl, cuda, ptx map[string][]*row }

var load = sync.OnceValue(func() library {
	return library{
		cutedsl: readRows("rows/cutedsl.txt", false),
		cuda:    readRows("rows/cuda.txt", false),
		ptx:     readRows("rows/ptx.txt", true),
	}
})

// New returns the built-in table of a language.
func New(lang program.Language) *Table {
	lib := load()
	t := &Table{lang: lang, ptx: lib.ptx, wrappers: map[string][]*row{}}
	switch lang {
	case program.CuTe:
		t.calls = lib.cutedsl
	case program.CUDA:
		t.calls = lib.cuda
	}
	return t
}

// readRows reads an embedded file: one row a line, "#" starts a comment. A bad row is a defect of this package, which
// TestRows finds; it is left out here so that a user never meets a panic.
func readRows(name string, ptx bool) map[string][]*row {
	split := components
	if ptx {
		split = modifiers
	}
	rows, _ := parseRows(name, split)
	out := map[string][]*row{}
	for _, r := range rows {
		key := r.path[len(r.path)-1]
		if ptx {
			key = r.path[0]
		}
		out[key] = append(out[key], r)
	}
	for key := range out {
		// The longest suffix (or the most modifiers) is the most specific; file order decides among equals.
		slices.SortStableFunc(out[key], func(a, b *row) int { return len(b.path) - len(a.path) })
	}
	return out
}

func parseRows(name string, split func(string) []string) ([]*row, []error) {
	data, err := rowFiles.ReadFile(name)
	if err != nil {
		return nil, []error{err}
	}
	var rows []*row
	var errs []error
	for _, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := parseRow(line, split)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rows = append(rows, r)
	}
	return rows, errs
}

// AddWrapper teaches the table that a call of name means spec, for example "my_wait" and
// "mbarrier_wait(ptr=$0, phase=$1)".
func (t *Table) AddWrapper(name, spec string) error {
	r := &row{text: name + " = " + spec}
	if strings.Contains(name, "(") {
		return fmt.Errorf("wrapper %q: give the function's name only; arguments are $0, $1, … or $keyword", name)
	}
	if err := r.parseName(strings.TrimSpace(name), components); err != nil {
		return fmt.Errorf("wrapper %q: %w", name, err)
	}
	if err := r.parseMeaning(strings.TrimSpace(spec)); err != nil {
		return fmt.Errorf("wrapper %q: %w", name, err)
	}
	key := r.path[len(r.path)-1]
	t.wrappers[key] = append(t.wrappers[key], r)
	slices.SortStableFunc(t.wrappers[key], func(a, b *row) int { return len(b.path) - len(a.path) })
	return nil
}

// Call returns the operation a call stands for. typeOf gives the declared type of a method's receiver as text ("" when
// unknown) and may be nil.
func (t *Table) Call(c *program.Call, typeOf func(program.Expr) string) (Op, bool) {
	if c == nil {
		return Op{}, false
	}
	if name, _ := component(c.Fun); name == "" {
		return Op{}, false
	}
	if m := t.synchronizes(c); m != nil {
		c = m
	}
	own, known := t.rows(c)
	if len(own)+len(known) == 0 { // most calls
		return Op{}, false
	}
	path, receiver := callee(c.Fun)
	typ := ""
	if receiver != nil && typeOf != nil {
		typ = typeOf(receiver)
	}
	for _, rows := range [...][]*row{own, known} {
		for _, r := range rows {
			if !r.matches(path, receiver, typ) {
				continue
			}
			if args, ok := r.bind(r.made(c, receiver), receiver); ok {
				op := Op{Kind: r.kind, Name: strings.Join(path, "."), Args: args, Span: c.Span, Call: c}
				if receiver != nil {
					scopeOfType(&op, typ)
				}
				return op, true
			}
		}
	}
	return Op{}, false
}

// synchronizes is the call of a method that synchronize(group) is another spelling of (CUDA C++ Programming Guide, Cooperative Groups, Synchronization); nil of
// any other call. So is sync(group), which the IR has and the rules do not: they would take what a callee that is handed the group reads for unordered.
func (t *Table) synchronizes(c *program.Call) *program.Call {
	id, named := c.Fun.(*program.Name)
	if !named || t.lang != program.CUDA || len(c.Args) != 1 {
		return nil
	}
	switch id.Ident {
	case "synchronize", "cg::synchronize", "cooperative_groups::synchronize":
		m := *c
		m.Fun, m.Args = &program.Attr{Place: id.Place, X: c.Args[0], Name: "sync"}, nil
		return &m
	}
	return nil
}

// Names reports whether a call may be an operation, by the last part of its name alone.
func (t *Table) Names(c *program.Call) bool {
	if t.synchronizes(c) != nil {
		return true
	}
	own, known := t.rows(c)
	return len(own)+len(known) > 0
}

func (t *Table) rows(c *program.Call) (own, known []*row) {
	last := lastComponent(c.Fun)
	return t.wrappers[last], t.calls[last]
}

// made is the call, or, for a method of an object that is made where it is used, the static member with the arguments of
// the constructor: NamedBarrier(n, id).sync() is NamedBarrier::sync(n, id).
func (r *row) made(c *program.Call, receiver program.Expr) *program.Call {
	object, ok := receiver.(*program.Call)
	if !ok || r.recv != nil || len(r.path) < 2 || len(c.Args) > 0 {
		return c
	}
	static := *c
	static.Args = object.Args
	return &static
}

var special = map[string]Kind{"threadIdx": ThreadIdx, "blockIdx": BlockIdx, "blockDim": BlockDim, "gridDim": GridDim}

// Attr returns the operation a special register stands for: threadIdx.x and its like.
func (t *Table) Attr(e *program.Attr) (Op, bool) {
	if e == nil || t.lang != program.CUDA {
		return Op{}, false
	}
	base, ok := e.X.(*program.Name)
	if !ok || (e.Name != "x" && e.Name != "y" && e.Name != "z") {
		return Op{}, false
	}
	k, ok := special[base.Ident]
	if !ok {
		return Op{}, false
	}
	return Op{Kind: k, Name: base.Ident + "." + e.Name, Args: map[string]Arg{"axis": {Text: e.Name}}, Span: e.Span}, true
}

// callee returns the components of a call's name and, for a method, the receiver expression.
func callee(fun program.Expr) (path []string, receiver program.Expr) {
	name, of := component(fun)
	if of != nil {
		path, _ = callee(of)
	}
	if name == "" { // this_cluster().sync(), full[s].wait(p)
		return path, nil
	}
	return append(path, components(name)...), of
}

// lastComponent is the last of the components that callee returns, "" where there is none.
func lastComponent(fun program.Expr) string {
	name, of := component(fun)
	if last := lastOf(name); last != "" || of == nil {
		return last
	}
	return lastComponent(of)
}

// component is a name and what it is a member of; of a call and of an index, "" and what is called, or indexed.
func component(x program.Expr) (name string, of program.Expr) {
	switch x := x.(type) {
	case *program.Name:
		return x.Ident, nil
	case *program.Attr:
		return x.Name, x.X
	case *program.Call:
		return "", x.Fun
	case *program.Index:
		return "", x.X
	}
	return "", nil
}

func lastOf(name string) string {
	if !strings.ContainsAny(name, ".:") {
		return name
	}
	if all := components(name); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

func (r *row) matches(path []string, receiver program.Expr, typ string) bool {
	if r.recv != nil {
		return receiver != nil && (r.recv[0] == "*" || slices.Contains(r.recv, typeName(typ)))
	}
	if len(path) < len(r.path) {
		return false
	}
	tail := path[len(path)-len(r.path):]
	return slices.EqualFunc(r.path, tail, func(want, have string) bool { return want == have })
}

// typeName is the last component of a type without its qualifiers, template arguments and pointers.
func typeName(typ string) string {
	typ, _, _ = strings.Cut(typ, "<")
	typ = strings.TrimRight(strings.TrimSpace(typ), "*& ")
	for _, q := range []string{"const ", "volatile ", "typename ", "struct ", "__shared__ ", "static "} {
		typ = strings.TrimPrefix(typ, q)
	}
	typ = strings.TrimSuffix(typ, " const")
	parts := components(typ)
	if len(parts) == 0 {
		return ""
	}
	return strings.TrimRight(parts[len(parts)-1], "*& ")
}

// scopeOfType takes the scope that libcu++ puts into the type: cuda::atomic_ref<int, cuda::thread_scope_block>.
func scopeOfType(op *Op, typ string) {
	_, rest, ok := strings.Cut(typ, "thread_scope_")
	if !ok || op.Has("scope") || !takes(op.Kind, "scope") {
		return
	}
	for _, w := range []string{"system", "device", "block"} {
		if strings.HasPrefix(rest, w) {
			op.Args["scope"] = Arg{Text: scopeWords[w]}
		}
	}
}

// Row is a row as it is written: a call or an instruction, and the operation that it is.
type Row struct{ Call, Operation string }

// Rows lists the rows of a language, in the order in which they are written.
func Rows(lang program.Language) []Row {
	name, split := "rows/ptx.txt", modifiers
	switch lang {
	case program.CuTe:
		name, split = "rows/cutedsl.txt", components
	case program.CUDA:
		name, split = "rows/cuda.txt", components
	}
	list, _ := parseRows(name, split)
	out := make([]Row, len(list))
	for i, r := range list {
		call, _, _ := strings.Cut(r.text, " = ")
		out[i] = Row{Call: strings.TrimSpace(call), Operation: string(r.kind)}
	}
	return out
}
