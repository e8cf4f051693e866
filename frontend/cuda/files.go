package cuda

import "github.com/fencepost-dev/fencepost/program"

// Files are the other files of the tree that a kernel's is in. Nothing is read but by them.
type Files interface {
	// Include is the file that another one includes, nil where it is not at hand, and what was taken for granted of which it is.
	Include(from *program.File, i *program.Import) (f *program.File, premise string)
	// Launchers are files that include one, directly or through others, and name a function: the nearest first.
	Launchers(of *program.File, name string) []*program.File
}

// included reads what the kernel's file includes, and what that does.
func (c *compiler) included(files Files) {
	if files == nil {
		return
	}
	seen := map[string]bool{c.file.Source.Name: true}
	for k := 0; k < len(c.files); k++ {
		for _, st := range c.files[k].Body {
			if i, is := st.(*program.Import); is && len(c.files) < maxFiles {
				if f, premise := files.Include(c.files[k], i); f != nil && f.Language == program.CUDA && !seen[f.Source.Name] {
					seen[f.Source.Name] = true
					c.files = append(c.files, f)
					if premise != "" {
						c.assume(premise)
					}
				}
			}
		}
	}
}
