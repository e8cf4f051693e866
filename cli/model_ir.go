package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
)

// passFlag is a pass of the IR, by its name.
type passFlag struct{ ir.Pass }

func (p *passFlag) String() string { return "" }

// Set looks the pass up.
func (p *passFlag) Set(name string) error {
	var names []string
	for _, pass := range ir.Passes() {
		if p.Pass = pass; pass.Name() == name {
			return nil
		}
		names = append(names, pass.Name())
	}
	return errors.New("want one of " + strings.Join(names, ", "))
}

// showIR prints the kernels of a file of PTX or CUDA C++ in the text form, or what a pass says of them.
func (a *app) showIR(m *modelFlags, path, kernel string) (int, error) {
	files, err := m.openCode([]string{path})
	if err != nil {
		return 0, err
	}
	defer files.Close()
	f, err := a.readCode(files, path)
	if err != nil {
		return 0, err
	}
	defer a.unread(files)
	pass := m.pass.Pass
	var names []string
	shown := 0
	for _, fn := range f.Functions {
		if !fn.Kernel {
			continue
		}
		if names = append(names, fn.Name); !strings.Contains(fn.Name, kernel) { // names are mangled
			continue
		}
		k, err := files.translate(f, fn)
		if err != nil {
			return 0, usagef("%s: %v", path, err)
		}
		text := k.String()
		if pass != nil {
			text = fmt.Sprintf("kernel %s, %s: %s\n%s", k.Name, pass.Name(), pass.Doc(), pass.Print(k))
		}
		if shown++; shown > 1 {
			text = "\n" + text
		}
		if err := a.print(cleanLines(text)); err != nil {
			return ExitInternal, err
		}
	}
	switch {
	case len(names) == 0:
		return 0, usagef("%s: no kernel (.entry) in it%s", path, skippedText(f))
	case shown == 0:
		return 0, usagef("%s: no kernel %q; it has %s", path, kernel, strings.Join(names, ", "))
	}
	return ExitClean, nil
}
