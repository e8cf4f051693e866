package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/cuda"
	"github.com/fencepost-dev/fencepost/source"
)

// written is the constant that the kernel of a text writes; known is false where it is none.
func written(t *testing.T, text string) (n int64, known bool) {
	t.Helper()
	file := cuda.Read(source.Decode("k.cu", []byte(text)), nil)
	for _, fn := range file.Functions {
		if !fn.Kernel {
			continue
		}
		k, _, err := Translate(file, dialect.New(program.CUDA), fn, nil, 32)
		if err != nil {
			return 0, false
		}
		for _, in := range k.Insts {
			if in.Op == ir.Store && in.B.Reg == -1 {
				return in.B.Imm, true
			}
		}
	}
	return 0, false
}

// TestMacrosStayTogether: a macro that is followed as a function, or a constant, is what its tokens are in its place (C++17 [cpp.replace]).
func TestMacrosStayTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 1))
	operators := []string{"+", "-", "*", "/", "%", "<<", ">>", "<", "==", "&", "^", "|", "&&", "||"}
	var expr func(depth int, atoms []string) string
	expr = func(depth int, atoms []string) string {
		if depth == 0 || r.IntN(4) == 0 {
			return atoms[r.IntN(len(atoms))]
		}
		x, y := expr(depth-1, atoms), expr(depth-1, atoms)
		text := x + " " + operators[r.IntN(len(operators))] + " " + y
		switch r.IntN(10) {
		case 0, 1, 2:
			return "(" + text + ")"
		case 3:
			return text + " ? " + expr(depth-1, atoms) + " : " + expr(depth-1, atoms)
		case 4:
			return "-" + x
		}
		return text
	}
	numbers := []string{"1", "2", "3", "5", "7"}
	followed, compared := 0, 0
	for range 1200 {
		body, constant := expr(2, append([]string{"a", "b", "a", "b"}, numbers...)), expr(1, numbers)
		args := [2]string{expr(1, numbers), expr(1, numbers)}
		use := expr(2, append([]string{"M", "N"}, numbers...))
		expanded := strings.NewReplacer("a", args[0], "b", args[1]).Replace(body)
		kernel := func(m, n string) string {
			return "__global__ void k(int* out) { constexpr int x = " + strings.NewReplacer("M", m, "N", n).Replace(use) + "; out[0] = x; }\n"
		}
		want, is := written(t, kernel(expanded, constant))
		if !is {
			continue
		}
		compared++
		text := fmt.Sprintf("#define MAC(a, b) %s\n#define NUM %s\n%s", body, constant, kernel("MAC("+args[0]+", "+args[1]+")", "NUM"))
		if got, is := written(t, text); is {
			if followed++; got != want {
				t.Fatalf("%d, want %d:\n%s", got, want, text)
			}
		}
	}
	if compared < 400 || followed < compared/2 {
		t.Errorf("%d of %d were followed", followed, compared)
	}
}
