package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// index lists what the file defines.
func (c *compiler) index() {
	for _, f := range c.files {
		for _, fn := range slices.Concat(f.Functions, f.Macros) {
			if space := c.housed[f]; space != "" {
				fn = functionWithin(space, fn)
			}
			c.functions[fn.Name] = append(c.functions[fn.Name], fn)
			c.takers[fn.Name] = append(c.takers[fn.Name], fn)
			if name, _, varies := strings.Cut(fn.Name, " of line "); varies && fn.Macro {
				c.varying[name] = append(c.varying[name], fn)
			}
			c.of[fn] = f
			if in := c.hosts[f]; in != nil {
				c.joins(fn, in)
			}
		}
		for _, v := range f.Variables {
			c.variables[v.Name] = append(c.variables[v.Name], v)
		}
		for _, class := range f.Declared {
			c.announced[class.Qualified] = class
		}
		for _, class := range f.Classes {
			if in := c.hosts[f]; in != nil {
				class = c.memberClass(class, in.Qualified)
			} else if space := c.housed[f]; space != "" {
				class = c.memberClass(class, space)
			}
			c.in[class] = f
			c.byName[class.Qualified] = append(c.byName[class.Qualified], class)
			c.bySimple[class.Name] = append(c.bySimple[class.Name], class)
			outer := strings.Split(class.Qualified, "::")
			around := strings.Join(outer[:len(outer)-1], "::")
			c.inside[around] = append(c.inside[around], class)
			for _, m := range class.Methods {
				c.takers[m.Name] = append(c.takers[m.Name], m)
			}
			for _, e := range class.Fields {
				if id, ok := e.Targets[0].(*program.Name); ok && class.Enum && !class.Scoped {
					c.enumerators[id.Ident] = append(c.enumerators[id.Ident], class)
				}
			}
		}
	}
	for _, f := range c.files {
		for _, fn := range f.Functions {
			if fn.Outer == nil && strings.Contains(fn.Qualified, "::") {
				c.define(fn)
			}
		}
	}
	for _, f := range c.files {
		for _, p := range f.Prototypes {
			c.complete(p)
		}
	}
}

// complete gives the definition of a function of the device the defaults that its declaration says (C++17 [dcl.fct.default]/4).
func (c *compiler) complete(declared *program.Function) {
	words := func(p program.Param) string { return strings.Join(tokens(p.Type).list, " ") }
	for k, fn := range c.functions[declared.Name] {
		same := fn.Qualified == declared.Qualified && c.ownerOf(fn) == nil
		if declared.Class != nil {
			same = c.owner[fn] == declared.Class
		}
		class, own := c.ownTemplate(fn)
		if !same || fn.Macro || fn.Kernel || !c.ofDevice(fn) || len(own) != len(declared.Template) || !slices.EqualFunc(fn.Params, declared.Params, func(p, q program.Param) bool { return words(p) == words(q) && p.Star == q.Star }) {
			continue
		}
		full := *fn
		full.Params, full.Template = slices.Clone(fn.Params), slices.Clone(fn.Template)
		for n, p := range declared.Params {
			if full.Params[n].Default == nil {
				full.Params[n].Default = p.Default
			}
		}
		for n, p := range declared.Template {
			if q := &full.Template[len(class)+n]; q.Default == nil {
				q.Default = p.Default
			}
		}
		c.functions[declared.Name][k], c.of[&full] = &full, c.of[fn]
		if args, special := c.tailored[fn]; special {
			c.tailored[&full] = args
		}
		if owner := c.owner[fn]; owner != nil {
			c.owner[&full] = owner
			c.defined[owner][slices.Index(c.defined[owner], fn)] = &full
		}
	}
}

// define puts a method that is defined outside of its class with that, perhaps in another file: of a template's specialisations the one that it names.
func (c *compiler) define(fn *program.Function) {
	if fn.Class != nil && !c.outOfLine(fn, fn.Class) {
		return
	}
	scope, _ := program.SplitName(fn.Qualified)
	path := tokens(scope).path()
	if len(path) == 0 {
		return
	}
	last := path[len(path)-1]
	var names []string
	for _, s := range path {
		names = append(names, s.name)
	}
	exact := strings.Join(names, "::")
	var found *program.Class
	for _, k := range c.bySimple[last.name] {
		if k.Enum || k.Qualified != exact && (fn.Class == nil || !ends(k.Qualified, path)) || c.modelled(c.in[k]) != c.modelled(c.of[fn]) {
			continue
		}
		if slices.Equal(renamed(k.Template, texts(k.Arguments)), renamed(fn.Template, last.args)) {
			found = k
			break
		}
		if len(k.Arguments) == 0 && found == nil {
			found = k
		}
	}
	if found == nil {
		return
	}
	c.defined[found] = append(c.defined[found], fn)
	c.owner[fn] = found
	if len(found.Arguments) == 0 && len(last.args) > 0 && !slices.Equal(renamed(fn.Template, last.args), parametersOf(found.Template)) {
		c.tailored[fn] = last.args
	}
}

// renamed are template arguments as they are written, with the parameters of the template by their places.
func renamed(template []program.Param, args []string) (out []string) {
	for _, text := range args {
		list := slices.Clone(tokens(text).list)
		for n, word := range list {
			if k := slices.IndexFunc(template, func(p program.Param) bool { return p.Name == word }); k >= 0 {
				list[n] = fmt.Sprintf("#%d", k)
			}
		}
		out = append(out, strings.Join(list, " "))
	}
	return out
}

// parametersOf are the parameters of a template as its own class is written outside of it: S<T, A...>.
func parametersOf(template []program.Param) (out []string) {
	for k, p := range template {
		if p.Star > 0 {
			out = append(out, fmt.Sprintf("#%d . . .", k))
			continue
		}
		out = append(out, fmt.Sprintf("#%d", k))
	}
	return out
}

// ownerOf is the class whose method a function is.
func (c *compiler) ownerOf(fn *program.Function) *program.Class {
	if k := c.owner[fn]; k != nil {
		return k
	}
	return fn.Class
}

// ownTemplate is the template of a function without that of its class, which stands before it where a method is defined outside of its class.
func (c *compiler) ownTemplate(fn *program.Function) (class []program.Param, own []program.Param) {
	k := c.ownerOf(fn)
	if k == nil || c.tailored[fn] != nil || !c.outOfLine(fn, k) {
		return nil, fn.Template
	}
	n := min(len(k.Template), len(fn.Template))
	return fn.Template[:n], fn.Template[n:]
}

// builtins are variables of CUDA C++ (CUDA C++ Programming Guide, Built-in Variables).
var builtins = map[string]bool{"threadIdx": true, "blockIdx": true, "blockDim": true, "gridDim": true, "warpSize": true}
