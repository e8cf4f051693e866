package cuda

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/program"
	reader "github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// models are classes of libraries, as text that does with barriers and memory what their documentation says.
//
//go:embed library/*.cuh
var models embed.FS

// modelFiles are the models, parsed once.
var modelFiles = sync.OnceValue(func() (out []*program.File) {
	list, _ := models.ReadDir("library")
	for _, e := range list {
		name := "library/" + e.Name()
		if data, err := models.ReadFile(name); err == nil {
			out = append(out, reader.Read(&source.File{Name: name, Data: data}, nil))
		}
	}
	return out
})

// modelled reports whether a file is one of the models: what the tree has of a name comes before it.
func (c *compiler) modelled(f *program.File) bool { return slices.Contains(c.models, f) }

// inModel reports whether what is translated is the text of a model.
func (c *compiler) inModel() bool {
	for s := c.scope; s != nil; s = s.outer {
		if s.class != nil {
			return c.modelled(c.in[s.class])
		}
	}
	return c.scope.fn != nil && c.scope.fn.fn != nil && c.modelled(c.of[c.scope.fn.fn])
}

// preferred are functions of the tree, or of the models where it has none.
func (c *compiler) preferred(list []*program.Function) []*program.Function {
	own := func(fn *program.Function) bool { return !c.modelled(c.of[fn]) }
	if !slices.ContainsFunc(list, own) {
		return list
	}
	return slices.DeleteFunc(list, func(fn *program.Function) bool { return !own(fn) })
}

// reaches reports whether a name without its namespace may mean a class of a model: in the models, or where the namespace is opened.
func (c *compiler) reaches(k *program.Class) bool {
	if c.inModel() {
		return true
	}
	space, _ := program.SplitName(k.Qualified)
	return space == "" || slices.Contains(c.file.Opened, space) || slices.Contains(c.src.Opened, space) || slices.Contains(c.src.Opened, k.Qualified)
}

// meant reports whether a name may mean what stands in a file: one of a model it means only where it is spelled in full, but for namespaces that the tree's files open.
func (c *compiler) meant(in *program.File, qualified string, path []segment) bool {
	if !c.modelled(in) || c.inModel() {
		return true
	}
	var names []string
	for _, s := range path {
		names = append(names, s.name)
	}
	name := strings.Join(names, "::")
	if name == qualified || libcu(name) == qualified {
		return true
	}
	for _, f := range c.files {
		if !c.modelled(f) && slices.ContainsFunc(f.Opened, func(opened string) bool {
			opened = libcu(opened)
			return opened+"::"+name == qualified || len(names) == 1 && opened == qualified
		}) {
			return true
		}
	}
	return false
}

// libcu is where the model of a name of the standard library stands: device code has it by libcu++.
func libcu(name string) string {
	if name == "std" || strings.HasPrefix(name, "std::") {
		return "cuda::" + name
	}
	return name
}

// befriended is the function of a model that a name without a namespace means by what it is handed: an object of a class of that namespace, or a pointer to one
// (C++17 [basic.lookup.argdep]); nil if there is none. The arguments are evaluated for that.
func (c *compiler) befriended(name string, x *program.Call) (*program.Function, []value) {
	var args []value
	for _, fn := range c.functions[name] {
		if !c.modelled(c.of[fn]) || fn.Class != nil || fn.Macro || !takes(fn, len(x.Args)) || len(x.Args) == 0 {
			continue
		}
		for k := len(args); k < len(x.Args); k++ {
			args = append(args, c.reference(x.Args[k]))
		}
		of := args[0].t
		if of.pointer() {
			of = of.to
		}
		space, _ := program.SplitName(fn.Qualified)
		if of.class == nil || !c.modelled(c.in[of.class]) {
			continue
		}
		if around, _ := program.SplitName(of.class.Qualified); around == space {
			return fn, args
		}
	}
	return nil, nil
}
