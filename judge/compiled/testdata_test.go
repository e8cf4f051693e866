package compiled

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/engine/order"
	frontend "github.com/fencepost-dev/fencepost/frontend/ptx"
	"github.com/fencepost-dev/fencepost/ir/exec"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/source"
)

// pair is a file of kernels read twice.
type pair struct {
	name    string
	kernels []*lower.Kernel
	ptx     *program.File
	names   map[string]string // of PTX functions and variables, as C++ spells them
}

func readPair(name string, excused bool) (*pair, error) {
	if excused {
		return nil, errors.New("it is in uncompiled.txt")
	}
	code, err := compileFile(name)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p := &pair{name: name, ptx: ptx.Read(&source.File{Name: name + ".ptx", Data: code})}
	p.kernels = lower.Kernels(cuda.Read(&source.File{Name: name, Data: launchedAll(name, text)}, nil), dialect.New(program.CUDA), lower.Options{})
	var names []string
	for _, fn := range p.ptx.Functions {
		names = append(names, fn.Name)
	}
	body := slices.Clone(p.ptx.Body)
	for _, fn := range p.ptx.Functions {
		body = append(body, fn.Body...)
	}
	for _, st := range body {
		if a, ok := st.(*program.Assign); ok && a.Space == "shared" {
			for _, t := range a.Targets {
				if n, ok := t.(*program.Name); ok {
					names = append(names, n.Ident)
				}
			}
		}
	}
	for i, name := range names { // the compiler numbers the members of a record that it takes apart
		names[i], _, _ = strings.Cut(name, "_$_")
	}
	p.names, err = demangled(names)
	return p, err
}

// launchedAll is a text with a launch of each kernel that it does not launch itself: 8 CTAs of 128 threads.
func launchedAll(name string, text []byte) []byte {
	out := append(slices.Clone(text), '\n')
	for _, fn := range cuda.Read(&source.File{Name: name, Data: text}, nil).Functions {
		if !fn.Kernel || fn.Class != nil || len(fn.Template) > 0 || strings.Contains(string(text), "&"+fn.Name) || strings.Contains(string(text), fn.Name+"<<<") {
			continue
		}
		var params, args []string
		for _, p := range fn.Params {
			params, args = append(params, p.Type+" "+p.Name), append(args, p.Name)
		}
		out = fmt.Appendf(out, "void judge_launches_%s(%s) { %s<<<8, 128>>>(%s); }\n", fn.Name, strings.Join(params, ", "), fn.Name, strings.Join(args, ", "))
	}
	return out
}

// function is the compiled kernel of a launch.
func (p *pair) function(k *lower.Kernel, la *lower.Launch) *program.Function {
	var found []*program.Function
	for _, fn := range p.ptx.Functions {
		if !fn.Kernel {
			continue
		}
		name, given := parts(p.names[fn.Name])
		if name != lastName(k.Name) {
			continue
		}
		if len(given) >= len(k.Function.Template) {
			fits := true
			for i, t := range k.Function.Template {
				want, known := la.Template[t.Name]
				_, number := strconv.ParseInt(want, 0, 64)
				got, isNumber := number2(given[i])
				if known && number == nil && isNumber {
					n, _ := strconv.ParseInt(want, 0, 64)
					fits = fits && n == got
				}
			}
			if fits {
				found = append(found, fn)
			}
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

func number2(text string) (int64, bool) {
	switch text {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if i := strings.LastIndex(text, ")"); i >= 0 {
		text = text[i+1:]
	}
	n, err := strconv.ParseInt(strings.TrimRight(text, "ul"), 0, 64)
	return n, err == nil
}

func lastName(qualified string) string {
	return qualified[strings.LastIndex(qualified, ":")+1:]
}

// parts are a function's own name and its template arguments: "void a::f<4, true>(int)" is f, with 4 and true.
func parts(spelled string) (name string, given []string) {
	spelled = strings.ReplaceAll(spelled, "(anonymous namespace)::", "")
	depth, start := 0, 0
	for i, r := range spelled {
		switch {
		case r == '<':
			if depth++; depth == 1 {
				name = lastWord(spelled[start:i])
				start = i + 1
			}
		case r == '>':
			if depth--; depth == 0 {
				given = append(given, strings.TrimSpace(spelled[start:i]))
				start = i + 1
			}
		case r == ',' && depth == 1:
			given = append(given, strings.TrimSpace(spelled[start:i]))
			start = i + 1
		case r == '(' && depth == 0:
			if name == "" {
				name = lastWord(spelled[:i])
			}
			return lastName(name), given
		}
	}
	if name == "" {
		name = lastWord(spelled)
	}
	return lastName(name), given
}

func lastWord(text string) string {
	if i := strings.LastIndexAny(text, " *&"); i >= 0 {
		return text[i+1:]
	}
	return text
}

// tally is what was compared.
type tally struct {
	mu                       sync.Mutex
	files, kernels, launches int
	threads, steps           int
	without                  map[string]int // kernels that were not compared, by reason
	variables, unknown, left int
	differences              []string
	seen                     map[string]bool
	explained                map[string]string
	differing                map[string]bool
}

func (y *tally) skip(name, why string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.without[why]++
	if testing.Verbose() && os.Getenv("FENCEPOST_JUDGE") != "" {
		fmt.Println("    not compared:", name, why)
	}
}

func compareFile(p *pair, y *tally) {
	for _, k := range p.kernels {
		name := fmt.Sprintf("%s:%s", p.name, k.Name)
		if k.Config != "" {
			continue
		}
		switch {
		case len(k.Opaque) > 0:
			y.skip(name, "opaque in the source: "+k.Opaque[0].Why)
			continue
		case len(k.Instances) == 0:
			y.skip(name, "no instance")
			continue
		}
		compared := 0
		why := ""
		for _, in := range k.Instances {
			if reason := p.compare(k, in, y); reason == "" {
				compared++
			} else {
				why = reason
			}
		}
		y.mu.Lock()
		y.launches += compared
		if compared > 0 {
			y.kernels++
		}
		y.mu.Unlock()
		if compared == 0 {
			y.skip(name, why)
		}
	}
}

// compare compares an instance with the compiled kernel; why tells what keeps it from that.
func (p *pair) compare(k *lower.Kernel, in *protocol.Protocol, y *tally) (why string) {
	la := k.Launch(in)
	fn := p.function(k, la)
	if fn == nil {
		return "the compiled kernel of that name is not one"
	}
	perGPU := in.CTAs / max(1, in.GPUs)
	ctas := []int{0}
	if !in.Cluster {
		ctas = nil
		for c := range perGPU {
			if c < 2 || c == perGPU-1 {
				ctas = append(ctas, c)
			}
		}
	}
	for _, c := range ctas {
		if why := p.compareCTA(k, in, la, fn, c, y); why != "" {
			return why
		}
	}
	return ""
}

func (p *pair) compareCTA(k *lower.Kernel, in *protocol.Protocol, la *lower.Launch, fn *program.Function, cta int, y *tally) (why string) {
	at := la.First
	if !in.Cluster {
		at[0] += cta
	}
	launch := exec.Launch{Block: la.Block, Cluster: la.Cluster, Grid: la.Grid, CTA: &at, Params: map[string]int64{}}
	if la.Grid[0] == 0 {
		launch.Grid = [3]int{}
	}
	for i, n := range la.Parameters {
		launch.Params[fmt.Sprintf("%s_param_%d", fn.Name, i)] = n
	}
	kernel, err := frontend.Translate(p.ptx, fn)
	if err != nil {
		return "compiled: " + err.Error()
	}
	e, err := exec.Run(kernel.Reduced(false), launch)
	if err != nil {
		return "compiled: " + err.Error()
	}
	if e.Stop != nil {
		return fmt.Sprintf("compiled, line %d: %s", e.Stop.Place.Line, e.Stop.Text())
	}
	x := &Execution{Program: e.Program, Stuck: len(e.Stuck) > 0, First: cta, Place: func(c *order.Command) string {
		at := e.Kernel.Places[c.Place]
		return fmt.Sprintf("%s:%d", filepath.Base(at.Path), at.Line)
	}, Vague: func(c *order.Command) bool { return strings.Contains(e.Kernel.Places[c.Place].Name, ".tensor.") }}
	known, members := map[string]bool{}, map[string][]string{}
	forget := func(name string) { // and all that it consists of
		root, _, _ := strings.Cut(name, ".")
		delete(known, root)
		for _, m := range members[root] {
			delete(known, m)
		}
	}
	sizes := map[string]int{}
	mine := "_ZZ" + strings.TrimPrefix(fn.Name, "_Z") + "E"
	for _, v := range e.Kernel.SharedVariables() {
		whole, member, apart := strings.Cut(v.Name, "_$_")
		name := variableName(p.names[whole])
		if apart {
			name += "_$_" + member
		}
		if _, twice := sizes[name]; twice && !strings.HasPrefix(v.Name, mine) {
			name = v.Name
		}
		size := int(v.Size)
		if size <= 0 {
			size = Unknown
		}
		sizes[name] = size
		x.Variables = append(x.Variables, Variable{name, int(v.At), size})
		known[name] = true
		if root, _, part := strings.Cut(name, "_$_"); part { // a member of a record that the compiler took apart
			members[root] = append(members[root], name)
		}
	}
	for _, lost := range la.Lost {
		forget(lost)
	}
	for _, b := range in.Mbars {
		root, _, _ := strings.Cut(b.Name, "[")
		forget(root)
	}
	place := func(buffer int) (string, int, int, bool) {
		b := in.Buffers[buffer]
		size, there := sizes[b.Name]
		width := la.Widths[buffer]
		if there && width == 0 && b.Elements > 0 && size > 0 && size%b.Elements == 0 {
			width = size / b.Elements
		}
		if b.CTA >= 0 && (!there || width == 0) {
			forget(b.Name)
		}
		return b.Name, 0, width, there && width > 0
	}
	for i := range in.Buffers {
		place(i)
	}
	cut := *in
	if !in.Cluster {
		cut.Classes = nil
		for _, c := range in.Classes {
			if c.CTA == cta {
				cut.Classes = append(cut.Classes, c)
			}
		}
	}
	model := &Model{Protocol: &cut, Place: place, CTAs: in.CTAs}
	diffs, left := Compare(model, x, func(v string) bool { return known[v] }, 3)
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, g := range model.Groups() {
		y.threads += len(g.Threads)
		y.steps += len(g.Steps) * len(g.Threads)
	}
	for range known {
		y.variables++
	}
	y.left += left
	y.unknown += len(x.Variables) - len(known)
	short, _ := filepath.Rel(testdata, p.name)
	if which := short + " " + k.Name; len(diffs) > 0 && y.explained[which] != "" {
		y.seen[which] = true
		return ""
	}
	if len(diffs) > 0 && !y.differing[p.name+k.Name] {
		y.differing[p.name+k.Name] = true
		for _, d := range diffs {
			y.differences = append(y.differences, fmt.Sprintf("%s: %s %v: %s", p.name, k.Name, in.Values, d))
		}
	}
	return ""
}

// variableName is the name that the source gives a variable: the last part of what c++filt says.
func variableName(spelled string) string {
	return spelled[strings.LastIndex(spelled, ":")+1:]
}

// reasons reads a list of files of testdata, or of kernels in them, with why: those that nvcc does not compile, and those that
// differ for a reason.
func reasons(t *testing.T, list string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, why, ok := strings.Cut(line, ": ")
		file, _, _ := strings.Cut(name, " ")
		if _, err := os.Stat(testdata + "/" + file); err != nil || !ok || why == "" {
			t.Errorf("%s: %q: want the path of a file of testdata and a reason", list, line)
		}
		out[name] = why
	}
	return out
}

// TestSourceAgreesWithCompiled compares every kernel of testdata that has a model with what nvcc makes of it.
func TestSourceAgreesWithCompiled(t *testing.T) {
	compiler(t)
	var files []string
	root := testdata
	if other := os.Getenv("FENCEPOST_JUDGE"); other != "" {
		root = other
	}
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".cu") {
			files = append(files, path)
		}
		return nil
	})
	slices.Sort(files)
	excused := reasons(t, "uncompiled.txt")
	y := &tally{without: map[string]int{}, differing: map[string]bool{}, explained: reasons(t, "explained.txt"), seen: map[string]bool{}}
	work := make(chan string)
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Add(1)
		go func() {
			defer all.Done()
			for name := range work {
				short, _ := filepath.Rel(root, name)
				p, err := readPair(name, excused[short] != "")
				switch {
				case err != nil && excused[short] == "":
					t.Errorf("%s does not compile; mend it, or say why not in uncompiled.txt:\n%v", short, err)
					continue
				case err != nil:
					y.skip(name, "does not compile")
					continue
				}
				y.mu.Lock()
				y.files++
				y.mu.Unlock()
				compareFile(p, y)
			}
		}()
	}
	for _, name := range files {
		work <- name
	}
	close(work)
	all.Wait()
	if root == testdata && 100*len(excused) > 15*len(files) {
		t.Errorf("%d of %d files are in uncompiled.txt; at most 15 of 100 may", len(excused), len(files))
	}
	t.Logf("%d files, %d kernels, %d launches, %d threads, %d operations; %d variables compared, %d not; %d collectives are in the compiled kernels alone", y.files, y.kernels, y.launches, y.threads, y.steps, y.variables, y.unknown, y.left)
	for _, why := range slices.Sorted(maps.Keys(y.without)) {
		t.Logf("%4d %s", y.without[why], why)
	}
	slices.Sort(y.differences)
	for _, d := range y.differences {
		t.Error(d)
	}
	for which, why := range y.explained {
		if root == testdata && !y.seen[which] {
			t.Errorf("explained.txt: %s agrees, though %s", which, why)
		}
	}
}
