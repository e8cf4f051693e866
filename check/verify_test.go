package check

import (
	"context"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/certificate"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
)

// What has no certificate does not hold, and is a failure of fencepost.
func TestNoCertificate(t *testing.T) {
	p := hanging()
	r, c := explore.Certified(context.Background(), p, engine.Limits{})
	r.Properties[protocol.Deadlock] = engine.Answer{Verdict: engine.Holds, Object: -1} // which it does not
	for _, c := range []*certificate.Certificate{c, {}} {
		v, said := &verifier{of: &verification{}}, *r
		said.Properties = map[protocol.Property]engine.Answer{protocol.Deadlock: r.Properties[protocol.Deadlock]}
		if err := v.check(p, &said, c); err == nil || len(v.failures) != 1 || !strings.Contains(err.Error(), "deadlock") {
			t.Errorf("failures %v, want one that names the property", v.failures)
		}
		if a := said.Properties[protocol.Deadlock]; a.Verdict != engine.Inconclusive || !strings.Contains(a.Reason, "internal error") {
			t.Errorf("%s: %q, want inconclusive for an internal error", a.Verdict, a.Reason)
		}
	}
}

// A run that verifies says what it came to: that there were certificates, and instances with more rounds than any that was searched.
func TestVerifyIsTold(t *testing.T) {
	for _, name := range []string{"ring/right.py", "smoother/right.py"} {
		r, err := Run(context.Background(), Options{Tree: openTestdata(t), Paths: []string{name}, Engine: Explore, Jobs: 1, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		note := r.Notes[len(r.Notes)-1]
		if !strings.HasPrefix(note, "verified: ") || strings.Contains(note, " 0 certificates") || r.Kernels[0].Verdict != "holds" {
			t.Errorf("%s: %s: %q", name, r.Kernels[0].Verdict, note)
		}
		t.Log(note)
	}
}
