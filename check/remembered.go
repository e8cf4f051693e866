package check

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// What was said of a whole file of CuTe DSL is kept, too, where nothing was found in it: most of a run is the evaluation of its kernels,
// and that is the same for the same texts. An evaluation reads other files through Options.load alone, so that what it loaded, and
// what was not there, is written down and looked at again. Only the embedded engine is asked so: what SPIN says depends on what is
// installed. A verdict that a clock made is not kept.

// remembered is what is kept of a file.
type remembered struct {
	Loads            []string // the other files that were asked for, in the order that they were
	Sum              []byte   // of what was read of them
	Kernels          []finding.Kernel
	Lines            [][]finding.Location // of these, which reports leave out
	Notes            []string
	FunctionsSkipped int
}

// loads writes down what is loaded: the texts that were parsed, should the files change under the run.
type loads struct {
	mu   sync.Mutex
	seen map[string]bool
	list []string
	sums []byte
	from func(name string) *program.File
}

func (l *loads) load(name string) *program.File {
	f := l.from(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen[name] {
		var src *source.File
		if f != nil {
			src = f.Source
		}
		l.seen[name] = true
		l.list, l.sums = append(l.list, name), append(l.sums, sum(src)...)
	}
	return f
}

func (l *loads) sum() []byte {
	all := sha256.Sum256(l.sums)
	return all[:]
}

// sum is that of a file's text, all zeros where there is none.
func sum(f *source.File) []byte {
	var of [sha256.Size]byte
	if f != nil {
		of = sha256.Sum256(append([]byte{1}, f.Data...))
	}
	return of[:]
}

// remembers reports whether what is said of a file may be kept.
func (opt *Options) remembers(name string) bool {
	return opt.Cache != nil && path.Ext(name) == ".py" && opt.Engine == Explore && len(opt.Constants) == 0 && opt.Lowered == nil && opt.Executed == nil &&
		opt.checks == nil && (!opt.calling.includes(name) || opt.touching.limits(name))
}

// fileKey is what the answer to a file depends on, besides what it loads and the build of fencepost. only are the kernels that are
// checked, nil for all.
func (opt *Options) fileKey(f *source.File, only []string) cache.Key {
	h := sha256.New()
	part := func(s string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(s))))
		io.WriteString(h, s)
	}
	part("file")
	part(f.Name)
	part(string(f.Data))
	part(fmt.Sprintf("%+v %t %t %t", opt.Limits, opt.AllRounds, opt.Activity, opt.Strict))
	for _, w := range opt.Wrappers {
		part(fmt.Sprintf("%+v", w))
	}
	for _, r := range rules.All() {
		if opt.enabled(r.ID) {
			part(r.ID)
		}
	}
	for _, name := range only {
		part(name)
	}
	return cache.Key(h.Sum(nil))
}

// selected are the kernels of a file that are checked, nil for all.
func (opt *Options) selected(name string) []string {
	if !opt.touching.limits(name) {
		return nil
	}
	only, all := []string{}, true
	for _, fn := range opt.touching.modules[name].file.Functions {
		if fn.Kernel && opt.touching.selects(fn, name) {
			only = append(only, fn.Qualified)
		}
		all = all && (!fn.Kernel || opt.touching.selects(fn, name))
	}
	if all {
		return nil
	}
	return only
}

// recalled is what was said of a file: of all its kernels, or of those that are checked.
func (opt *Options) recalled(f *source.File, key cache.Key, only []string) (*remembered, bool) {
	if r, ok := opt.recall(key); ok || only == nil {
		return r, ok
	}
	r, ok := opt.recall(opt.fileKey(f, nil))
	if ok {
		r.Kernels = slices.DeleteFunc(r.Kernels, func(k finding.Kernel) bool { return !slices.Contains(only, k.Name) })
	}
	return r, ok
}

// recall gives what was said of a file, if all that it was said of is the same.
func (opt *Options) recall(key cache.Key) (*remembered, bool) {
	data, ok := opt.Cache.Get(key)
	if !ok {
		return nil, false
	}
	r := &remembered{}
	in := flate.NewReader(bytes.NewReader(data))
	if json.NewDecoder(io.LimitReader(in, 1<<20)).Decode(r) != nil || len(r.Lines) != len(r.Kernels) {
		opt.Cache.Drop(key)
		return nil, false
	}
	now := loads{}
	for _, name := range r.Loads {
		var f *source.File
		if path.Ext(name) == ".py" { // as the loader does
			f, _ = opt.Tree.Read(name)
		}
		now.sums = append(now.sums, sum(f)...)
	}
	if !bytes.Equal(now.sum(), r.Sum) {
		return nil, false
	}
	for i := range r.Kernels {
		r.Kernels[i].Lines = r.Lines[i]
	}
	return r, true
}

// remember keeps what was said of a file.
func (opt *Options) remember(key cache.Key, r *fileResult, l *loads) {
	if len(r.findings) > 0 || r.err != nil || r.unread {
		return
	}
	kept := remembered{Loads: l.list, Sum: l.sum(), Notes: r.notes, FunctionsSkipped: r.functionsSkipped}
	for _, k := range r.kernels {
		if opt.Limits.Time > 0 && k.Verdict != finding.Held {
			return
		}
		k.Millis = 0
		kept.Kernels, kept.Lines = append(kept.Kernels, k), append(kept.Lines, k.Lines)
	}
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestCompression)
	if json.NewEncoder(w).Encode(&kept) == nil && w.Close() == nil {
		opt.Cache.Put(key, out.Bytes())
	}
}
