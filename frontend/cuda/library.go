package cuda

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// Libraries that kernels are written with and that seldom stand in their trees: what of them synchronizes is modelled by functions and classes of the same
// names, over inline PTX. They are offered to a file that includes a header of the library, and what the tree itself defines comes before them.
//
//go:embed library/*.cuh
var libraryText embed.FS

// libraries are the models, by the folder that headers are included from.
var libraries = map[string]string{"cutlass": "library/cutlass.cuh", "cute": "library/cutlass.cuh", "cuda": "library/libcu.cuh"}

// readLibrary reads a model, once.
var readLibrary = func() func(name string) *program.File {
	var once sync.Mutex
	read := map[string]*program.File{}
	return func(name string) *program.File {
		once.Lock()
		defer once.Unlock()
		if read[name] == nil {
			text, err := libraryText.ReadFile(name)
			if err != nil {
				return nil
			}
			read[name] = cuda.Read(source.Decode(name, text))
		}
		return read[name]
	}
}()

// offered lists the models of the libraries whose headers the files include.
func (c *compiler) offered() (out []*program.File) {
	for _, f := range c.files {
		for _, st := range f.Body {
			i, is := st.(*program.Import)
			if !is {
				continue
			}
			folder, _, _ := strings.Cut(i.From, "/")
			if name := libraries[folder]; name != "" {
				if m := readLibrary(name); m != nil && !slices.Contains(out, m) {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// library puts what the models define with what the files do, where these do not define it themselves.
func (c *compiler) library() {
	for _, f := range c.offered() {
		c.modelled[f] = true
		for _, class := range f.Classes {
			if all := c.byName[class.Qualified]; len(all) > 0 && !c.modelled[c.in[all[0]]] {
				continue
			}
			c.in[class] = f
			c.indexClass(class)
			space, _ := splitName(class.Qualified)
			for _, e := range class.Fields {
				if n, known := c.constant(e.Value); known && class.Enum && !class.Scoped {
					name := space + "::" + e.Targets[0].(*program.Name).Ident
					c.scope.names[name] = &variable{t: intType, reg: -1, number: &n}
				}
			}
		}
		for _, fn := range f.Functions {
			if slices.ContainsFunc(c.functions[fn.Name], func(o *program.Function) bool { return o.Qualified == fn.Qualified && !c.modelled[c.of[o]] }) {
				continue
			}
			c.functions[fn.Name] = append(c.functions[fn.Name], fn)
			c.of[fn] = f
		}
	}
}

// meant reports whether a name may mean what stands in a file: one of a library's model it means only where it is spelled in full, but for namespaces that a file
// opens or gives another name.
func (c *compiler) meant(in *program.File, qualified string, path []segment) bool {
	if !c.modelled[in] {
		return true
	}
	var names []string
	for _, s := range path {
		names = append(names, s.name)
	}
	name := strings.Join(names, "::")
	if name == qualified {
		return true
	}
	for _, f := range c.files {
		if slices.ContainsFunc(f.Opened, func(opened string) bool { return opened+"::"+name == qualified || len(names) == 1 && opened == qualified }) {
			return true
		}
	}
	return false
}

// befriended is the function of a model that a name without a namespace means by what it is handed: an object of a class of that namespace, or a pointer to one
// (C++17 [basic.lookup.argdep]); nil if there is none. The arguments are evaluated for that.
func (c *compiler) befriended(name string, x *program.Call) (*program.Function, []value) {
	var args []value
	for _, fn := range c.functions[name] {
		if !c.modelled[c.of[fn]] || fn.Class != nil || !takes(fn, len(x.Args)) || len(x.Args) == 0 {
			continue
		}
		for k := len(args); k < len(x.Args); k++ {
			args = append(args, c.reference(x.Args[k]))
		}
		of := args[0].t
		if of.pointer() {
			of = of.to
		}
		space, _ := splitName(fn.Qualified)
		if of.class == nil || !c.modelled[c.in[of.class]] {
			continue
		}
		if around, _ := splitName(of.class.Qualified); around == space {
			return fn, args
		}
	}
	return nil, nil
}

// unaliased is a name with the namespace that another name of it stands for.
func (c *compiler) unaliased(path []segment) []segment {
	for n := 0; n < maxInline && len(path) > 1; n++ {
		full := ""
		for _, f := range c.files {
			if of := f.Aliases[path[0].name]; of != "" {
				full = of
			}
		}
		if full == "" {
			break
		}
		var out []segment
		for _, name := range strings.Split(full, "::") {
			out = append(out, segment{name: name})
		}
		path = append(out, path[1:]...)
	}
	return path
}
