package main

import "testing"

func TestPut(t *testing.T) {
	const page = "# Page\n\ntext\n\n## One\n\nold\n\n## Two\n\nstays\n"
	for _, c := range []struct{ title, want string }{
		{"One", "# Page\n\ntext\n\n## One\n\nnew\n\n## Two\n\nstays\n"},
		{"Two", "# Page\n\ntext\n\n## One\n\nold\n\n## Two\n\nnew\n"},
		{"Three", page + "\n## Three\n\nnew\n"},
	} {
		if got := put(page, c.title, "\nnew\n\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.title, got, c.want)
		}
	}
}
