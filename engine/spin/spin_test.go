package spin

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/replay"
	"github.com/fencepost-dev/fencepost/protocol"
)

func needSpin(t *testing.T) {
	t.Helper()
	if _, _, ok := Available(); !ok {
		t.Fatalf("%s (make test installs them)", missing())
	}
}

func TestVerdicts(t *testing.T) {
	needSpin(t)
	for _, tc := range []struct {
		name     string
		p        *protocol.Protocol
		violated []protocol.Property
	}{
		{"smoother 2x4x3", smoother(4, 3, false), []protocol.Property{protocol.Attribution}},
		{"smoother with a literal phase", smoother(2, 3, true), []protocol.Property{protocol.Deadlock, protocol.Phase, protocol.Attribution}},
		{"ring", ring(2, 5, 2, false), nil},
		{"ring released too soon", ring(2, 5, 2, true), []protocol.Property{protocol.Race}},
		{"named barriers", named(4), nil},
		{"named barriers short of threads", named(5), []protocol.Property{protocol.Deadlock}},
		{"counter", counter(3, 3), nil},
		{"counter that is awaited too soon", counter(3, 2), []protocol.Property{protocol.Race}},
		{"counter that never gets there", counter(3, 4), []protocol.Property{protocol.Livelock}},
		{"spin that a barrier waits for", relayed(false), []protocol.Property{protocol.Livelock}},
		{"spin on what comes after the barrier", relayed(true), []protocol.Property{protocol.Deadlock}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := Run(context.Background(), tc.p, nil, engine.Limits{})
			want := map[protocol.Property]bool{}
			for _, prop := range tc.violated {
				want[prop] = true
			}
			for _, prop := range protocol.Properties {
				got := r.Properties[prop]
				switch {
				case want[prop] && got.Verdict != engine.Violated, !want[prop] && got.Verdict != engine.Holds:
					t.Errorf("%s: %s (%s)", prop, got.Verdict, got.Reason)
				case want[prop]:
					if _, err := replay.Run(tc.p, got.Trace, prop); err != nil {
						t.Errorf("%s: %v", prop, err)
					}
				}
			}
		})
	}
}

func TestLimitsAreInconclusive(t *testing.T) {
	needSpin(t)
	p := smoother(64, 12, false)
	for _, tc := range []struct {
		name string
		lim  engine.Limits
	}{
		{"time", engine.Limits{Time: 3 * time.Second}},
		{"memory", engine.Limits{Memory: 64 << 20}},
	} {
		r := Run(context.Background(), p, []protocol.Property{protocol.Deadlock}, tc.lim)
		a := r.Properties[protocol.Deadlock]
		t.Log(tc.name, a.Reason)
		if a.Verdict != engine.Inconclusive || a.Reason == "" || r.Complete {
			t.Errorf("%s: %v %q complete %v", tc.name, a.Verdict, a.Reason, r.Complete)
		}
	}
}

func TestRefusesPrivilegedEvents(t *testing.T) {
	for _, event := range untrusted {
		t.Setenv("GITHUB_EVENT_NAME", event)
		a := Run(context.Background(), counter(1, 1), nil, engine.Limits{}).Properties[protocol.Deadlock]
		if a.Verdict != engine.Inconclusive || a.Reason == "" {
			t.Errorf("%s: %v %q", event, a.Verdict, a.Reason)
		}
	}
}

func TestMissingSpinSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	a := Run(context.Background(), counter(1, 1), nil, engine.Limits{}).Properties[protocol.Race]
	if a.Verdict != engine.Inconclusive || a.Reason != "spin: "+missing() {
		t.Errorf("%v %q", a.Verdict, a.Reason)
	}
}
