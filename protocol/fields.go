package protocol

// Fields lists the entries of a State after its counting slots that some step may change: the others are in every state
// what they are at the start.
func (m *Machine) Fields() []int32 {
	tx, init, expected := make([]bool, len(m.P.Mbars)), make([]bool, len(m.P.Mbars)), make([]bool, len(m.P.Mbars))
	for c := range m.P.Classes {
		for l := range m.P.Classes[c].Ops {
			switch o := &m.P.Classes[c].Ops[l]; o.Kind {
			case Init:
				init[o.Object] = true
			case ArriveExpectTx, ExpectTx, CompleteTx:
				tx[o.Object] = true
			case ArriveDrop:
				tx[o.Object], expected[o.Object] = true, true
			case Issue:
				for _, e := range o.Effects {
					tx[e.Mbar] = tx[e.Mbar] || e.Bytes > 0
				}
			}
		}
	}
	var out []int32
	for o := range m.P.Mbars {
		changes := [mbarFields]bool{fieldPhase: true, fieldPending: true, fieldTx: tx[o], fieldInit: init[o], fieldExpected: expected[o]}
		for field, yes := range changes {
			if yes {
				out = append(out, int32(m.mbar+mbarFields*o+field))
			}
		}
	}
	for i := m.named; i < m.size; i++ {
		out = append(out, int32(i))
	}
	return out
}
