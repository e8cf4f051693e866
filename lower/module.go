package lower

import (
	"embed"
	"io/fs"
	slash "path"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cutedsl"
	"github.com/fencepost-dev/fencepost/source"
)

//go:embed all:library
var embedded embed.FS

// libraryFile parses an embedded model once a process; nil where there is none.
var libraryFile = func() func(name string) *program.File {
	var mu sync.Mutex
	parsed := map[string]*program.File{}
	return func(name string) *program.File {
		mu.Lock()
		defer mu.Unlock()
		if f, ok := parsed[name]; ok {
			return f
		}
		var f *program.File
		if text, err := fs.ReadFile(embedded, slash.Join("library", name)); err == nil {
			f = cutedsl.Read(source.Decode("library/"+name, text))
		}
		parsed[name] = f
		return f
	}
}()

func newModule(name string, f *program.File) *value.Module {
	mod := &value.Module{Name: name, File: f, Globals: value.NewScope(nil, true), Names: map[string][]*program.Function{}, Classes: map[string]*program.Class{}, From: map[string]*program.Import{}}
	if f == nil {
		mod.Ready = true
		return mod
	}
	for _, fn := range f.Functions {
		mod.Names[fn.Name] = append(mod.Names[fn.Name], fn)
	}
	for _, c := range f.Classes {
		if mod.Classes[c.Name] == nil {
			mod.Classes[c.Name] = c
		}
	}
	note := func(st program.Stmt) bool {
		if im, ok := st.(*program.Import); ok {
			if im.Name == "*" {
				mod.Starred = append(mod.Starred, im)
			} else {
				mod.From[im.Bound()] = im
			}
		}
		return true
	}
	program.WalkStmts(f.Body, note)
	for _, fn := range f.Functions {
		program.WalkStmts(fn.Body, note)
	}
	return mod
}

// imported is what an import statement binds: a module, something in a module, or a name of a library that is not there.
func (l *lowering) imported(mod *value.Module, im *program.Import) value.Value {
	if im.From == "" {
		if im.Alias != "" {
			return l.moduleValue(mod, im.Name)
		}
		return l.moduleValue(mod, im.Bound())
	}
	if sub := l.find(mod, joined(im.From, im.Name)); sub != nil {
		return value.ModuleRef{Mod: sub}
	}
	if src := l.find(mod, im.From); src != nil {
		if v, ok := l.global(src, im.Name); ok {
			return v
		}
	}
	return unresolvedPath(joined(im.From, im.Name))
}

func joined(pkg, name string) string {
	if strings.HasSuffix(pkg, ".") {
		return pkg + name
	}
	return pkg + "." + name
}

func unresolvedPath(dotted string) value.Value { return value.Path(strings.TrimLeft(dotted, ".")) }

func (l *lowering) moduleValue(from *value.Module, dotted string) value.Value {
	if mod := l.find(from, dotted); mod != nil {
		return value.ModuleRef{Mod: mod}
	}
	return unresolvedPath(dotted)
}

// global gives a module-level name of a module, evaluating the module first.
func (l *lowering) global(mod *value.Module, name string) (value.Value, bool) {
	l.ready(mod)
	if loc, ok := mod.Globals.Vars[name]; ok {
		return loc.Get(), true
	}
	for _, src := range l.starred(mod) {
		l.ready(src)
		if loc, ok := src.Globals.Vars[name]; ok {
			return loc.Get(), true
		}
	}
	return nil, false
}

// starred are the modules whose names a module takes over with `from … import *`, directly or through others.
func (l *lowering) starred(mod *value.Module) []*value.Module {
	seen := map[*value.Module]bool{mod: true}
	var out []*value.Module
	for next := []*value.Module{mod}; len(next) > 0; next = next[1:] {
		for _, im := range next[0].Starred {
			if src := l.find(next[0], im.From); src != nil && !seen[src] {
				seen[src] = true
				out, next = append(out, src), append(next, src)
			}
		}
	}
	return out
}

// moduleMember is mod.name: a global, a submodule, or a path for what the model leaves out.
func (l *lowering) moduleMember(mod *value.Module, name string) value.Value {
	if v, ok := l.global(mod, name); ok {
		return v
	}
	if sub := l.find(mod, "."+name); sub != nil && mod.IsPackage() {
		return value.ModuleRef{Mod: sub}
	}
	if mod.File == nil || mod.Library {
		if sub := l.find(mod, mod.Name+"."+name); sub != nil {
			return value.ModuleRef{Mod: sub}
		}
	}
	return value.Path(mod.Name + "." + name)
}

// outsiders are top-level packages that are neither in a kernel tree nor modelled; they are not looked for.
var outsiders = map[string]bool{"torch": true, "numpy": true, "np": true, "cuda": true, "typing": true, "jax": true, "triton": true, "pytest": true, "sys": true, "os": true, "re": true,
	"__future__": true, "cutlass_dsl": true, "tvm_ffi": true, "einops": true, "pandas": true, "scipy": true, "matplotlib": true, "cupy": true, "tvm": true, "ctypes": true, "logging": true, "time": true}

// sought is a module as those of a folder call it.
type sought struct {
	library        bool
	folder, dotted string
}

// find gives the module a dotted name means in an importing module, or nil.
func (l *lowering) find(from *value.Module, dotted string) *value.Module {
	key := sought{from.Library, from.Folder(), dotted}
	if mod, ok := l.modules[key]; ok {
		return mod
	}
	l.modules[key] = nil // a module that imports itself on the way finds nothing
	mod := l.search(from, dotted)
	l.modules[key] = mod
	return mod
}

// absolute turns a relative import of an embedded module into its full name.
func (l *lowering) absolute(from *value.Module, dotted string) string {
	dir := strings.TrimPrefix(from.Folder(), "library/")
	rest := strings.TrimLeft(dotted, ".")
	for range len(dotted) - len(rest) - 1 {
		dir = slash.Dir(dir)
	}
	return strings.Trim(strings.ReplaceAll(dir, "/", ".")+"."+rest, ".")
}

func (l *lowering) search(from *value.Module, dotted string) *value.Module {
	if from.Library {
		return l.embeddedModule(l.absoluteIn(from, dotted))
	}
	rest := strings.TrimLeft(dotted, ".")
	file := strings.ReplaceAll(rest, ".", "/")
	if dots := len(dotted) - len(rest); dots > 0 {
		dir := from.Folder()
		for range dots - 1 {
			dir = slash.Dir(dir)
		}
		return l.treeModule(slash.Join(dir, file), rest)
	}
	top, _, _ := strings.Cut(dotted, ".")
	own := packages[top]
	if mod := l.embeddedModule(dotted); mod != nil && !own {
		return mod
	}
	if outsiders[top] || l.load == nil || dotted == "cutlass" {
		return nil
	}
	if mod := l.ancestor(from, file, dotted); mod != nil || !own {
		return mod
	}
	return l.embeddedModule(dotted)
}

// packages are modelled helper packages that kernel trees hold themselves: there their own source is read.
var packages = map[string]bool{"quack": true}

// ancestor looks for a file of the tree from the importing file's folder upwards.
func (l *lowering) ancestor(from *value.Module, file, dotted string) *value.Module {
	dir := from.Folder()
	for range 24 {
		if mod := l.treeModule(slash.Join(dir, file), dotted); mod != nil {
			return mod
		}
		if dir == "." || dir == "/" || dir == "" {
			break
		}
		dir = slash.Dir(dir)
	}
	return nil
}

func (l *lowering) absoluteIn(from *value.Module, dotted string) string {
	if strings.HasPrefix(dotted, ".") {
		return l.absolute(from, dotted)
	}
	return dotted
}

func (l *lowering) embeddedModule(dotted string) *value.Module {
	if dotted == "" {
		return nil
	}
	if mod, ok := l.byFile["library:"+dotted]; ok {
		return mod
	}
	base := strings.ReplaceAll(dotted, ".", "/")
	var mod *value.Module
	for _, name := range []string{base + "/__init__.py", base + ".py"} {
		if f := libraryFile(name); f != nil {
			mod = newModule(dotted, f)
			mod.Library = true
			break
		}
	}
	l.byFile["library:"+dotted] = mod
	l.index(mod)
	return mod
}

// maxModules bounds the files one kernel's imports may pull in.
const maxModules = 256

func (l *lowering) treeModule(base, dotted string) *value.Module {
	if l.load == nil {
		return nil
	}
	for _, name := range []string{base + ".py", slash.Join(base, "__init__.py")} {
		if mod, ok := l.byFile[name]; ok {
			if mod != nil {
				return mod
			}
			continue
		}
		if len(l.byFile) > 16*maxModules || l.loaded > maxModules {
			return nil
		}
		var mod *value.Module
		if f := l.load(name); f != nil {
			mod = newModule(dotted, f)
			l.loaded++
		}
		l.byFile[name] = mod
		if mod != nil {
			l.index(mod)
			return mod
		}
	}
	return nil
}

// index makes a module's methods known to calls on objects whose class is not.
func (l *lowering) index(mod *value.Module) {
	if mod == nil || mod.File == nil {
		return
	}
	for _, fn := range mod.File.Functions {
		if fn.Class != nil {
			l.methods[fn.Name] = append(l.methods[fn.Name], callee{fn, mod})
		}
	}
}

// ready evaluates a module's top level once a lowering.
func (l *lowering) ready(mod *value.Module) {
	if mod.Ready {
		return
	}
	mod.Ready = true
	m := l.hostMachine()
	m.enter(mod)
	l.protect(func() { m.module() }, func(any) {})
}

// importCell is a name bound by an import; the module is found when the name is first read.
type importCell struct {
	l   *lowering
	mod *value.Module
	im  *program.Import
	v   value.Value
}

func (c *importCell) Get() value.Value {
	if c.v == nil {
		c.v = value.Path(c.im.Bound()) // should the import come back to itself
		c.v = c.l.imported(c.mod, c.im)
	}
	return c.v
}

func (c *importCell) Set(v value.Value) { c.v = v }

// importStmt binds what an import statement names.
func (m *machine) importStmt(st *program.Import, s *value.Scope) {
	if st.Name != "*" {
		s.Bind(st.Bound(), &importCell{l: m.in.low, mod: m.mod, im: st})
		return
	}
	src := m.in.low.find(m.mod, st.From)
	if src == nil || src == m.mod {
		return
	}
	m.in.low.ready(src)
	for name, loc := range src.Globals.Vars {
		if !strings.HasPrefix(name, "_") {
			s.Bind(name, loc)
		}
	}
}
