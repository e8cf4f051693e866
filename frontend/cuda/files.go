package cuda

import "github.com/fencepost-dev/fencepost/program"

// Files are the other files of the tree that a kernel's is in. Nothing is read but by them.
type Files interface {
	// Include is the file that another one includes, nil where it is not at hand, and what was taken for granted of which it is.
	Include(from *program.File, i *program.Import) (f *program.File, premise string)
	// Launchers are files that include one, directly or through others, and name one of some functions, if any are given: the nearest first.
	Launchers(of *program.File, names ...string) []*program.File
}

// included reads what the kernel's file includes, and what that does.
func (c *compiler) included(files Files) {
	if files == nil {
		return
	}
	seen := map[string]bool{}
	for _, f := range c.files {
		seen[f.Source.Name] = true
	}
	for k := 0; k < len(c.files); k++ {
		for _, st := range c.files[k].Body {
			if i, is := st.(*program.Import); is && len(c.files) < maxFiles {
				if f, premise := files.Include(c.files[k], i); f != nil && f.Language == program.CUDA && !seen[f.Source.Name] {
					seen[f.Source.Name] = true
					c.files = append(c.files, f)
					c.hosting(c.files[k], i, f)
					if space := qualified(c.housed[c.files[k]], i.Scope); space != "" {
						c.housed[f] = space
					}
					if premise != "" {
						c.assume(premise)
					}
				}
			}
		}
	}
}

// qualified is a name in a namespace.
func qualified(space, name string) string {
	if space == "" || name == "" {
		return space + name
	}
	return space + "::" + name
}

// functionWithin is a function of a file that is included in a namespace by its whole name.
func functionWithin(space string, fn *program.Function) *program.Function {
	if fn.Macro || fn.Kernel || fn.Class != nil {
		return fn
	}
	out := *fn
	out.Qualified = qualified(space, fn.Qualified)
	return &out
}

// hosting notes that a file is included in the body of a class: what it declares are members of that.
func (c *compiler) hosting(from *program.File, i *program.Import, f *program.File) {
	in := c.hosts[from]
	size := 0
	for _, k := range from.Classes {
		if n := k.Span.End - k.Span.Start; k.Span.Start < i.Span.Start && i.Span.End < k.Span.End && (size == 0 || n < size) {
			in, size = k, n
		}
	}
	if in != nil {
		c.hosts[f] = in
	}
}

// joins indexes a function or a class of such a file as a member.
func (c *compiler) joins(fn *program.Function, in *program.Class) {
	if fn.Class != nil || fn.Outer != nil || fn.Macro || fn.Kernel {
		return
	}
	c.owner[fn], c.spliced[fn] = in, true
	c.defined[in] = append(c.defined[in], fn)
}

// memberClass is a class of a file that is included in a class, or in a namespace, by its whole name.
func (c *compiler) memberClass(class *program.Class, in string) *program.Class {
	out := *class
	out.Qualified = qualified(in, class.Qualified)
	for _, m := range class.Methods {
		c.owner[m] = &out
	}
	return &out
}
