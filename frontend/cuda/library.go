package cuda

import (
	"embed"
	"slices"
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
			out = append(out, reader.Read(&source.File{Name: name, Data: data}))
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
	space, _ := splitName(k.Qualified)
	return slices.Contains(c.file.Opened, space) || slices.Contains(c.src.Opened, space) || slices.Contains(c.src.Opened, k.Qualified)
}
