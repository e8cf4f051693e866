package check

import (
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/source"
)

// decided is a kernel with what the engines say of it: one that was lowered to protocols, or one of the IR.
type decided interface {
	// is reports whether a line of the report is its.
	is(*finding.Kernel) bool
	// covers reports whether a suspect is in it, or in a helper that it calls.
	covers(*rules.Suspect) bool
	named() string
	verdict(protocol.Property) engine.Verdict
	because() []limit.Reason
	// blame makes a suspect the report of a violation of the property, if one is put down to it.
	blame(opt *Options, f *source.File, fd *finding.Finding, p protocol.Property, s *rules.Suspect, all []rules.Suspect) bool
	// within says by whom and within which bounds it holds.
	proved() string
	lines() []finding.Location
}

func (k *kernelResult) is(e *finding.Kernel) bool {
	return k.Path == e.Path && k.Name == e.Name && k.Line == e.Line
}

func (k *kernelResult) covers(s *rules.Suspect) bool { return within(k.Kernel, s) }

func (k *kernelResult) named() string { return k.Name }

func (k *kernelResult) proved() string { return names(k.decision.engines) + " within " + k.within() }

func (k *kernelResult) lines() []finding.Location { return k.Spans }

func (k *kernelResult) blame(opt *Options, f *source.File, fd *finding.Finding, p protocol.Property, s *rules.Suspect, all []rules.Suspect) bool {
	a := k.blamed(p, s, all)
	if a == nil {
		return false
	}
	if fd.Verdict != "violated" {
		k.attach(opt, f, fd, p, a)
	}
	if k.explained == nil {
		k.explained = map[*answer]bool{}
	}
	k.explained[a] = true
	return true
}

// asDecided are kernels of one kind among others.
func asDecided[K decided](list []K) []decided {
	out := make([]decided, len(list))
	for i, k := range list {
		out[i] = k
	}
	return out
}
