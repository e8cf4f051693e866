package spin

import (
	"math/rand/v2"

	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/protocol/random"
)

// strange is the protocol of a seed with names as a stranger might choose them.
func strange(seed int) *protocol.Protocol {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	p := random.Protocol(seed)
	for i := range p.Mbars {
		p.Mbars[i].Name = hostile(r)
	}
	for i := range p.Flags {
		p.Flags[i].Name = hostile(r)
	}
	for i := range p.Buffers {
		p.Buffers[i].Name = hostile(r)
	}
	for i := range p.Classes {
		p.Classes[i].Name = hostile(r)
	}
	return p
}

func hostile(r *rand.Rand) string {
	return []string{"gate", "c_code{system(\"id\");}", "*/ #include \"/etc/passwd\"", "a\\\n#define linux 1", "$(id)", "'\"`", "\x00\xff", "ＧＡＴＥ"}[r.IntN(8)]
}
