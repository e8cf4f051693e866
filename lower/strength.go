package lower

import "github.com/fencepost-dev/fencepost/dialect"

// strength is the order and the scope of an access to a flag, "" where the source does not tell.
type strength struct{ order, scope string }

// unordered is an access without an order.
var unordered = strength{order: "weak"}

// strengthOf tells them of an operation. A volatile access is relaxed at the scope of the system (PTX ISA 8.4.2).
func strengthOf(op *dialect.Op) strength {
	if s := (strength{op.Text("sem", ""), op.Text("scope", "")}); s.order != "volatile" {
		return s
	}
	return strength{"relaxed", "sys"}
}
