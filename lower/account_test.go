package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/protocol"
)

// What is evaluated and neither recorded nor given up is told, with its place.
func TestUnaccounted(t *testing.T) {
	b := &value.Block{Name: "table", Shared: true, Elements: 4}
	at := protocol.Site{Path: "k.py", Line: 7}
	written := at
	written.Text = "write table[0]"
	for _, c := range []struct {
		name           string
		recorded, lost bool
		want           string
	}{
		{"an access", true, false, ""},
		{"lost", false, true, ""},
		{"forgotten", false, false, "table is missing"},
	} {
		in := &instance{lost: map[string]string{}, bufKey: map[objectKey]int{}, siteKey: map[protocol.Site]int{}}
		m := &machine{in: in, blocks: [][]protocol.Access{nil}, touched: []touched{{b, at}}}
		if c.lost {
			in.lost[b.Name] = "of no concern"
		}
		if c.recorded {
			m.blocks[0] = []protocol.Access{{Buffer: in.buffer(b, 0), Write: true, Elements: []protocol.Range{{Lo: 0, Hi: 1}}, Site: in.site(written)}}
		}
		o, missing := in.unaccounted([]*machine{m})
		if missing != (c.want != "") || !strings.Contains(o.Why.Text, c.want) || missing && o.Line != at.Line {
			t.Errorf("%s: %+v, want %q", c.name, o, c.want)
		}
	}
}
