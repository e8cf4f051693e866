package cuda

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// asm translates inline PTX: operations that the dialect knows, and what computes and no more.
func (c *compiler) asm(st *program.Asm) {
	if st.Template == nil {
		c.refuse("inline PTX whose text is not known")
	}
	done := map[int]bool{}
	for k := range st.Instrs {
		i := &st.Instrs[k]
		ops := c.table.Instr(i, st)
		if len(ops) == 0 && i.Op != "" && i.Op != "bra" && dialect.InstrEffect(i.Op) != dialect.Computes {
			c.refuse("inline PTX: %s", strings.Join(append([]string{i.Op}, i.Modifiers...), "."))
		}
		for n := range ops {
			if i.Pred != "" {
				c.refuse("inline PTX: %s under a predicate", i.Op)
			}
			v := c.operation(&ops[n], nil)
			for out, o := range st.Outputs {
				if len(i.Operands) > 0 && i.Operands[0].Text == "%"+strconv.Itoa(out) && v.t.scalarLike() {
					at := c.lvalue(o.X)
					c.store(at, c.convert(v, at.t))
					done[out] = true
				}
			}
		}
	}
	for out, o := range st.Outputs {
		if !done[out] {
			at := c.lvalue(o.X)
			c.store(at, c.unknown(at.t))
		}
	}
}
