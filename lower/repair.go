package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A kernel checks what it was launched with while it is traced: that a tensor is there if a flag says so. Where the host
// side assumed flags and tensors that do not go together, every combination of run-time values is refused, and the
// assumptions that the check speaks of are turned over, one after another.

// maxRepairs bounds the launches that are tried instead of one that the kernel refuses.
const maxRepairs = 12

// accepted lowers a kernel with a launch that it does not refuse, if turning assumptions over leads to one.
func (l *lowering) accepted(fn *program.Function, la *launch, why *Opaque) (*Kernel, *launch) {
	k := l.lowered(fn, la, why)
	fuel := hostFuel
	tried := map[string]bool{}
	for range maxRepairs {
		if k.refused == nil || !la.host {
			break
		}
		key, ok := la.suspect(k.refused, tried)
		if !ok {
			break
		}
		tried[key] = true
		old, hinted := l.hinted[key]
		l.hinted[key] = 1 - la.values[key]
		other, _ := l.drive(la.driver, fn, nil, &fuel)
		var with *Kernel
		if other != nil && other.block[0] > 0 {
			l.fuel = kernelFuel
			with = l.lowered(fn, other, nil)
		}
		switch {
		case with != nil && (with.refused == nil || with.refusedAt != k.refusedAt):
			k, la = with, other
		case hinted:
			l.hinted[key] = old
		default:
			delete(l.hinted, key)
		}
	}
	return k, la
}

// suspect is an assumption, a yes or no, that some of the words speak of: by its name, or by the parameter of the kernel
// that was made of it.
func (la *launch) suspect(words map[string]bool, tried map[string]bool) (string, bool) {
	made := ""
	params := la.kernel.Params
	if la.self != nil && len(params) > 0 {
		params = params[1:]
	}
	for i, p := range params {
		if v, ok := la.keywords[p.Name]; words[p.Name] && ok {
			made += " " + value.Canonical(v)
		}
		if words[p.Name] && i < len(la.args) {
			made += " " + value.Canonical(la.args[i])
		}
	}
	roots := value.Identifiers(made)
	for _, key := range slices.Sorted(maps.Keys(la.values)) {
		name, optional := strings.CutSuffix(key, " is None")
		if v := la.values[key]; tried[key] || v != 0 && v != 1 || strings.ContainsAny(name, " (") {
			continue
		}
		if optional && slices.Contains(roots, root(name)) || words[value.LastWord(name)] {
			return key, true
		}
	}
	return "", false
}
