package cuda

import "testing"

// TestLess: a < that nothing closes is a comparison, not a list of template arguments.
func TestLess(t *testing.T) {
	for _, text := range []string{"(bits<E>::value < 8)", "bits<E, 3>::value < 8", "(N < 8)"} {
		if expression(text) == nil {
			t.Errorf("%s is not read", text)
		}
	}
	l := tokens("Vec<A<B, (3 > 2)>, 4>::type")
	if path := l.path(); len(path) != 2 || len(path[0].args) != 2 || path[1].name != "type" || !l.end() {
		t.Errorf("%+v", path)
	}
}
