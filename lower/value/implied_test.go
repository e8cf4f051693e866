package value

import "testing"

// TestImplies asks both ways, with the numbers on either side, and what does not follow.
func TestImplies(t *testing.T) {
	n := Atom("n")
	is := func(op string, x, y Value, answer bool) Answered {
		return Answered{Binary(op, x, y).(Symbol).Expr, answer}
	}
	for _, c := range []struct {
		given, then Answered
		want        bool
	}{
		{is("==", n, Int(0), false), is("<", Int(0), n, true), true},
		{is("==", n, Int(0), false), is("<", Int(0), n, false), false},
		{is("==", n, Int(0), false), is("<", Int(1), n, true), false},
		{is(">", n, Int(3), true), is("!=", n, Int(3), true), true},
		{is("<", n, Int(3), false), is(">=", n, Int(2), true), true},
		{is("<", n, Int(3), false), is(">=", n, Int(4), true), false},
		{is("==", n, Int(5), true), is("<", n, Int(6), true), true},
		{is("==", n, Int(0), false), is("<", Int(0), Atom("m"), true), false},
		{is("==", Binary("-", n, Int(2)), Int(0), false), is("<", Int(0), Binary("-", n, Int(2)), true), false},
		{is("==", Binary("+", n, Int(2)), Int(0), false), is("<", Int(0), Binary("+", n, Int(2)), true), true},
		{is("==", Binary("//", Binary("-", Binary("+", n, Int(64)), Int(1)), Int(64)), Int(0), false), is("<", Int(0), Binary("//", Binary("-", Binary("+", n, Int(64)), Int(1)), Int(64)), true), true},
	} {
		if got := c.given.Implies(c.then); got != c.want {
			t.Errorf("%s %v, then %s %v: %v", c.given.Test, c.given.Answer, c.then.Test, c.then.Answer, got)
		}
	}
}
