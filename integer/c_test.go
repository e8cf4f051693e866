package integer

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var types = []struct {
	Type
	name string
}{
	{Bool, "bool"}, {Int8, "signed char"}, {Uint8, "unsigned char"}, {Int16, "short"}, {Uint16, "unsigned short"},
	{Int32, "int"}, {Uint32, "unsigned"}, {Int64, "long"}, {Uint64, "unsigned long"},
}

var operators = strings.Fields("+ - * / % << >> & | ^ == != < <= > >= && || min max")

// boundaries are numbers of a type about which operators change their minds.
func boundaries(t Type) []int64 {
	seen, out := map[int64]bool{}, []int64{}
	for _, n := range []int64{0, 1, 2, 3, 7, 31, 32, 63, 64, -1, -2, -3, -7, 1 << 7, 1<<8 - 1, 1 << 15, 1<<16 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, -1 << 63,
		t.Least(), t.Least() + 1, t.Most(), t.Most() - 1} {
		if n = t.Wrap(n); !seen[n] {
			seen[n], out = true, append(out, n)
		}
	}
	return out
}

// program prints, for each pair of types, operator and pair of numbers in the order of eachCase, what C makes of it: the
// bits and sign of the result's type and the number, or "undefined" (C11 6.5, 6.5.5, 6.5.7).
func program() string {
	var b strings.Builder
	b.WriteString(`#include <stdbool.h>
#include <stdio.h>
#define SIGNED(x) ((__typeof__(x))-1 < 0)
#define SHOW(x) do { __typeof__(x) r_ = (x); if (SIGNED(r_)) printf("s%zu %ld\n", 8 * sizeof r_, (long)r_); else printf("u%zu %ld\n", 8 * sizeof r_, (long)r_); } while (0)
#define UNDEFINED() puts("undefined")
#define TRUTH(x) printf("bool %d\n", (x))
#define CHECKED(f, op) do { __typeof__(x op y) r; if (f(x, y, &r) && SIGNED(r)) UNDEFINED(); else SHOW(x op y); } while (0)
#define DIVIDED(op) do { __typeof__(x / y) m = x, d = y; \
	if (d == 0 || SIGNED(m) && d == -1 && m == (__typeof__(m))(1ul << (8 * sizeof m - 1))) UNDEFINED(); else SHOW(x op y); } while (0)
#define SHIFTED(op) do { if (y < 0 || y >= 8 * (long)sizeof(x op 1) || y > 64) UNDEFINED(); else SHOW(x op y); } while (0)
`)
	for i, t := range types {
		fmt.Fprintf(&b, "static const %s v%d[] = {", t.name, i)
		for _, n := range boundaries(t.Type) {
			if n == -1<<63 {
				b.WriteString("(long)(1ul << 63), ")
				continue
			}
			fmt.Fprintf(&b, "%dL, ", n)
		}
		b.WriteString("};\n")
	}
	b.WriteString("int main(void) {\n")
	for i, t := range types {
		fmt.Fprintf(&b, "for (unsigned i = 0; i < sizeof v%d / sizeof *v%d; i++) {\nconst %s x = v%d[i];\n", i, i, t.name, i)
		fmt.Fprintf(&b, "{ __typeof__(-x) r; __typeof__(-x) z = 0; if (__builtin_sub_overflow(z, x, &r) && SIGNED(r)) UNDEFINED(); else SHOW(-x); }\nSHOW(~x); TRUTH(!x);\n")
		for j, u := range types {
			fmt.Fprintf(&b, "for (unsigned j = 0; j < sizeof v%d / sizeof *v%d; j++) {\nconst %s y = v%d[j];\n", j, j, u.name, j)
			fmt.Fprintf(&b, "SHOW((%s)x);\n", u.name)
			for _, op := range operators {
				switch op {
				case "+", "-", "*":
					fmt.Fprintf(&b, "CHECKED(__builtin_%s_overflow, %s);\n", map[string]string{"+": "add", "-": "sub", "*": "mul"}[op], op)
				case "/", "%":
					fmt.Fprintf(&b, "DIVIDED(%s);\n", op)
				case "<<", ">>":
					fmt.Fprintf(&b, "SHIFTED(%s);\n", op)
				case "min":
					b.WriteString("SHOW(x < y ? x : y);\n")
				case "max":
					b.WriteString("SHOW(x < y ? y : x);\n")
				case "&", "|", "^":
					fmt.Fprintf(&b, "SHOW(x %s y);\n", op)
				default:
					fmt.Fprintf(&b, "TRUTH(x %s y);\n", op)
				}
			}
			b.WriteString("}\n")
		}
		b.WriteString("}\n")
	}
	b.WriteString("return 0;\n}\n")
	return b.String()
}

func shown(n Number, ok bool) string {
	if !ok {
		return "undefined"
	}
	return fmt.Sprintf("%s %d", n.Type, n.N)
}

// TestAgainstC compares every operator on every pair of types and boundary numbers with what a C compiler makes of it.
func TestAgainstC(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Fatalf("no C compiler (ci/need.sh cc): %v", err)
	}
	dir := t.TempDir()
	file, binary := filepath.Join(dir, "table.c"), filepath.Join(dir, "table")
	if err := os.WriteFile(file, []byte(program()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, "-w", "-O0", "-std=gnu11", "-o", binary, file).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	table := exec.Command(binary)
	pipe, err := table.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Start(); err != nil {
		t.Fatal(err)
	}
	lines, rows, wrong := bufio.NewScanner(pipe), 0, 0
	is := func(have string, format string, args ...any) {
		if !lines.Scan() {
			t.Fatal("the table ends early")
		}
		rows++
		if want := lines.Text(); have != want {
			if wrong++; wrong <= 20 {
				t.Errorf("%s: have %s, want %s", fmt.Sprintf(format, args...), have, want)
			}
		}
	}
	for _, a := range types {
		for _, x := range boundaries(a.Type) {
			for _, op := range []string{"-", "~", "!"} {
				is(shown(CUnary(op, Number{a.Type, x})), "%s (%s) %d", op, a.name, x)
			}
			for _, b := range types {
				for _, y := range boundaries(b.Type) {
					to := b.Type
					if to == Bool {
						to.Bits = 8 // the size of a bool
					}
					is(shown(Number{to, b.Wrap(x)}, true), "(%s) (%s) %d", b.name, a.name, x)
					for _, op := range operators {
						is(shown(C(op, Number{a.Type, x}, Number{b.Type, y})), "(%s) %d %s (%s) %d", a.name, x, op, b.name, y)
					}
				}
			}
		}
	}
	if err := table.Wait(); err != nil || rows < 100_000 {
		t.Errorf("%d rows compared, %v", rows, err)
	}
	t.Logf("%d rows", rows)
}

// TestClamped holds PTX's shifts against the text of the manual: amounts beyond the width are as the width.
func TestClamped(t *testing.T) {
	for _, c := range []struct {
		t       Type
		op      string
		x, y, r int64
	}{
		{Uint32, ">>", 1<<32 - 1, 16, 1<<16 - 1}, {Uint32, ">>", 1<<32 - 1, 32, 0}, {Uint32, "<<", 1, 32, 0}, {Uint32, "<<", 1, 31, 1 << 31},
		{Int32, "<<", 1, 31, -1 << 31}, {Int32, ">>", -8, 1, -4}, {Int32, ">>", -8, 32, -1}, {Int32, ">>", 8, 40, 0}, {Int32, ">>", -8, -1, -1},
		{Uint16, "<<", 1, 15, 1 << 15}, {Uint16, "<<", 1, 16, 0}, {Int64, ">>", -1 << 63, 64, -1}, {Uint64, ">>", -1, 63, 1}, {Uint64, ">>", -1, 1 << 32, -1},
	} {
		if r := c.t.Clamped(c.op, c.x, c.y); r != c.r {
			t.Errorf("%s: %d %s %d = %d, want %d", c.t, c.x, c.op, c.y, r, c.r)
		}
	}
	for _, c := range []struct {
		t       Type
		x, y, r int64
	}{{Uint32, 1<<32 - 1, 1<<32 - 1, 1<<32 - 2}, {Int32, -1, -1, 0}, {Int64, -1, 2, -1}, {Uint64, -1, 2, 1}, {Uint64, -1, -1, -2}} {
		if r := c.t.Wrap(c.t.High(c.x, c.y)); r != c.t.Wrap(c.r) {
			t.Errorf("%s: high half of %d * %d = %d, want %d", c.t, c.x, c.y, r, c.r)
		}
	}
}
