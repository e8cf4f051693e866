package protocol

import "testing"

// Copies of one line in several CTAs fill a stage together, whatever their sites say of the CTA; those of two lines
// overwrite each other.
func TestConflict(t *testing.T) {
	p := &Protocol{Sites: []Site{{"k.py", 7, "copy of CTA 0"}, {"k.py", 7, "copy of CTA 1"}, {"k.py", 8, "copy of CTA 1"}}}
	use := func(class, site int) Use {
		return Use{Access: &Access{Write: true, Parts: ByCopy, Site: site}, Class: class, InFlight: true}
	}
	if p.Conflict(use(0, 0), use(1, 1)) {
		t.Error("parts of one multicast copy conflict")
	}
	if !p.Conflict(use(0, 0), use(1, 2)) {
		t.Error("two copies into one place do not conflict")
	}
}
