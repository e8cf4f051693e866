package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/lower/slice"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/report"
	"github.com/fencepost-dev/fencepost/source"
)

// modelFlags are the flags of model.
type modelFlags struct {
	common
	slice, promela, json, ir bool
	pass                     passFlag
}

func (a *app) modelCommand(ctx context.Context, args []string) (int, error) {
	var m modelFlags
	f := a.newFlags("model")
	m.register(f)
	f.BoolVar(&m.slice, "slice", false, "")
	f.BoolVar(&m.promela, "promela", false, "")
	f.BoolVar(&m.json, "json", false, "")
	f.BoolVar(&m.ir, "ir", false, "")
	f.Var(&m.pass, "pass", "")
	rest, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(modelHelp())
	}
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 {
		return 0, usagef("model takes one FILE or FILE:KERNEL, got %d arguments; for example: fencepost model kernels/gemm.py:Gemm.kernel", len(rest))
	}
	return a.showModel(&m, rest[0])
}

func (a *app) showModel(m *modelFlags, arg string) (int, error) {
	path, kernel := arg, ""
	if i := strings.LastIndexByte(arg, ':'); i > 0 && !exists(arg) {
		// C++ names hold "::", so the file ends at the first colon that leaves an existing file before it.
		for j := range arg {
			if arg[j] == ':' && exists(arg[:j]) {
				path, kernel = arg[:j], arg[j+1:]
				break
			}
		}
	}
	if python := filepath.Ext(path) == ".py"; !python && (m.slice || m.promela || m.json) {
		return 0, usagef("%s: --slice, --promela and --json show what is lowered from CuTe DSL; of CUDA C++ and PTX there is the IR (--ir) and its passes (--pass NAME)", path)
	} else if !python || m.ir || m.pass.Pass != nil {
		return a.showIR(m, path, kernel)
	}
	f, err := m.readKernels(path, m.constants)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var names []string
	shown := 0
	for _, k := range lower.Kernels(f.program, f.table, f.lower) {
		names = append(names, k.Name)
		if kernel != "" && k.Name != kernel && !strings.HasSuffix(k.Name, "."+kernel) && !strings.HasSuffix(k.Name, "::"+kernel) {
			continue
		}
		shown++
		if m.slice {
			err = a.printSlice(k, lower.Slice(k.Function, f.program, f.table), f.source)
		} else {
			err = a.printModel(m, k)
		}
		if err != nil {
			return ExitInternal, err
		}
	}
	if err := unset(f.lower.Settable, f.lower.Set); err != nil {
		return 0, err
	}
	if shown == 0 {
		if len(names) == 0 {
			return 0, usagef("%s: no kernel in it (a kernel is @cute.kernel)", path)
		}
		return 0, usagef("%s: no kernel %q; it has %s", path, kernel, strings.Join(names, ", "))
	}
	return ExitClean, nil
}

// printModel prints one kernel's instances.
func (a *app) printModel(m *modelFlags, k *lower.Kernel) error {
	for _, o := range k.Opaque {
		fmt.Fprintf(a.stderr, "fencepost: %s\n", report.Clean(fmt.Sprintf("%s:%d: not modelled: %s", k.Path, o.Line, o.Why)))
	}
	for _, p := range k.Instances {
		var err error
		switch {
		case m.promela:
			err = spin.Print(a.stdout, p, protocol.Properties...)
		case m.json:
			e := json.NewEncoder(a.stdout)
			e.SetIndent("", "  ")
			err = e.Encode(p)
		default:
			err = a.printProtocol(p)
		}
		if err != nil {
			return fmt.Errorf("print the model of %s: %w", k.Name, err)
		}
	}
	return nil
}

// printProtocol prints a protocol for reading: its objects, then each class of threads with its operations.
func (a *app) printProtocol(p *protocol.Protocol) error {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, %d CTAs, values %v\n", p.Kernel, p.CTAs, p.Values)
	for _, m := range p.Mbars {
		fmt.Fprintf(&b, "  mbarrier %s of CTA %d: %d arrivals a phase\n", m.Name, m.CTA, m.Count)
	}
	for _, n := range p.Named {
		fmt.Fprintf(&b, "  barrier %d of CTA %d: %d threads\n", n.ID, n.CTA, n.Threads)
	}
	for _, f := range p.Flags {
		fmt.Fprintf(&b, "  flag %s: starts at %d\n", f.Name, f.Initial)
	}
	for _, d := range p.Buffers {
		fmt.Fprintf(&b, "  buffer %s of CTA %d: %d elements\n", d.Name, d.CTA, d.Elements)
	}
	for _, c := range p.Classes {
		fmt.Fprintf(&b, "  %s (%d threads)\n", c.Name, c.Count)
		for l := 0; l <= len(c.Ops); l++ {
			if l < len(c.Blocks) {
				for _, x := range c.Blocks[l] {
					fmt.Fprintf(&b, "    line %-5d %s\n", line(p, x.Site), accessText(p, x))
				}
			}
			if l < len(c.Ops) {
				fmt.Fprintf(&b, "    line %-5d %s\n", line(p, c.Ops[l].Site), opText(p, c.Ops[l]))
			}
		}
	}
	return a.print(cleanLines(b.String()))
}

func accessText(p *protocol.Protocol, x protocol.Access) string {
	if x.Write {
		return "write " + p.Buffers[x.Buffer].Name
	}
	return "read " + p.Buffers[x.Buffer].Name
}

func opText(p *protocol.Protocol, op protocol.Op) string {
	if op.Site >= 0 && op.Site < len(p.Sites) && p.Sites[op.Site].Text != "" {
		return fmt.Sprintf("%-16s %s", op.Kind, p.Sites[op.Site].Text)
	}
	return op.Kind.String()
}

func line(p *protocol.Protocol, site int) int {
	if site < 0 || site >= len(p.Sites) {
		return 0
	}
	return p.Sites[site].Line
}

// cleanLines passes text made of source names through the sanitizer, line by line.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = report.Clean(l)
	}
	return strings.Join(lines, "\n")
}

// printSlice prints every statement of a kernel, kept or dropped, with the reason.
func (a *app) printSlice(k *lower.Kernel, lines []slice.Line, f *source.File) error {
	var b strings.Builder
	kept := 0
	for _, l := range lines {
		mark := "-"
		if l.Kept {
			mark = "+"
			kept++
		}
		at := f.Position(l.Span.Start).Line
		fmt.Fprintf(&b, "%s %5d  %-60s  %s\n", mark, at, strings.TrimSpace(f.Line(at)), l.Why)
	}
	fmt.Fprintf(&b, "kernel %s: %d of %d statements are kept\n", k.Name, kept, len(lines))
	return a.print(cleanLines(b.String()))
}
