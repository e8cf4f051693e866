package rules

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// bulkCopyByMany (FP111) reports a bulk copy into shared memory that every lane of a warp issues: its mbarrier, which was
// told of the bytes of one, receives those of 32. Copies through a tensor map are elected by the library, plain
// bulk copies are not.
func bulkCopyByMany(p *Pass) {
	if p.block() == 1 {
		return
	}
	for _, s := range p.sites {
		if s.op.Kind != dialect.TmaLoad || !s.bulkAtom() {
			continue
		}
		if s.threads().lanes != allOf {
			continue
		}
		f := p.report(s.span, "every lane that comes here issues this bulk copy; expected one lane, whose bytes the mbarrier awaits")
		f.Help = "put the copy under elect_one, with the whole warp before it"
	}
}

// bulkAtom reports whether a copy's atom is, by its only definition in the function, one of a plain bulk load.
func (s *site) bulkAtom() bool {
	id, ok := s.arg("atom").(*program.Name)
	if !ok {
		return false
	}
	defs := s.owner.defs[id.Ident]
	if len(defs) != 1 {
		return false
	}
	c, ok := defs[0].value.(*program.Call)
	if !ok || lastWord(path(c.Fun)) != "make_copy_atom" || len(c.Args) == 0 {
		return false
	}
	op, ok := c.Args[0].(*program.Call)
	return ok && strings.HasPrefix(lastWord(path(op.Fun)), "CopyBulkG2S")
}
