package lower

import "github.com/fencepost-dev/fencepost/dialect"

// Strength is the order and the scope of an access to a flag, "" where the source does not tell.
type Strength struct{ Order, Scope string }

// Unordered is an access without an order.
var Unordered = Strength{Order: "weak"}

// StrengthOf tells them of an operation. A volatile access is relaxed at the scope of the system (PTX ISA 8.4.2).
func StrengthOf(op *dialect.Op) Strength {
	if s := (Strength{op.Text("sem", ""), op.Text("scope", "")}); s.Order != "volatile" {
		return s
	}
	return Strength{"relaxed", "sys"}
}
