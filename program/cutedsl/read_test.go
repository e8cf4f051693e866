package cutedsl

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

func dump(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	if err := program.Dump(&b, Read(&source.File{Name: "k.py", Data: []byte(text)})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestStatements(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"docstring":          {"def f():\n  'what it does'\n", "(func f)\n  \"what it does\"\n"},
		"chain":              {"a = b, c = d", "(= a (tuple b c) d)\n"},
		"augmented":          {"phase ^= 1", "(^= phase 1)\n"},
		"annotated":          {"x: Int32 = 0\ny: T", "(= x \"Int32\" 0)\n(= y decl \"T\")\n"},
		"constexpr":          {"n: cutlass.Constexpr[int] = 4", "(= n const \"cutlass.Constexpr[int]\" 4)\n"},
		"if const_expr":      {"if cutlass.const_expr(a):\n  b\nelif const_expr(not c):\n  d\nelse: e", "(if const a)\n  b\n(else)\n  (if const (! c))\n    d\n  (else)\n    e\n"},
		"const_expr of two":  {"if const_expr(a, b): c", "(if (call const_expr a b))\n  c\n"},
		"for":                {"for i, t in enumerate(x): f(i)", "(for (tuple i t) (call enumerate x))\n  (call f i)\n"},
		"for else":           {"for i in x: a\nelse: b", "(for i x)\n  a\n(else)\n  b\n"},
		"for else and break": {"for i in x: break\nelse: b", "(for i x)\n  (break)\n(else)\n  b\n"},
		"break of inner":     {"for i in x:\n  while y: break\nelse: b", "(for i x)\n  (while y)\n    (break)\n(else)\n  b\n"},
		"while":              {"while not try_wait(b, p): continue", "(while (! (call try_wait b p)))\n  (continue)\n"},
		"with":               {"with elect_one(), f() as (a, b): c", "(with (item (call elect_one)) (item (call f) (tuple a b)))\n  c\n"},
		"try":                {"try:\n  a\nexcept E as e:\n  b\nelse:\n  c\nfinally:\n  d", "(try)\n  a\n(except E e)\n  b\n(else)\n  c\n(finally)\n  d\n"},
		"match":              {"match m.op:\n  case 1 | A.B if g: x\n  case n: y\n  case _: z", "(if (&& (|| (== m.op 1) (== m.op A.B)) g))\n  x\n(else)\n  (if (opaque \"match pattern\"))\n    y\n  (else)\n    (if true)\n      z\n"},
		"negative case":      {"match a:\n  case -1: x", "(if (opaque \"match pattern\"))\n  x\n"},
		"assert and raise":   {"assert n % 2 == 0, 'odd'\nraise E", "(call assert (== (% n 2) 0) \"odd\")\n(raise E)\n"},
		"no effect":          {"pass", ""},
		"del":                {"del x, y[0]", "(del x (index y 0))\n"},
		"bare except":        {"try:\n  a\nexcept:\n  raise", "(try)\n  a\n(except)\n  (raise)\n"},
		"nonlocal":           {"nonlocal a, b\nglobal c", "(outer a b)\n(outer global c)\n"},
		"global":             {"global a", "(outer global a)\n"},
		"return":             {"def f():\n  return a, b\n  return", "(func f)\n  (return (tuple a b))\n  (return)\n"},
		"starred return":     {"def f():\n  return a, *(b,) * n\n", "(func f)\n  (return (tuple a (* (* (tuple b) n))))\n"},
		"imports":            {"import a.b as c, d\nfrom .x import y as z, w\nfrom q import *", "(import \"\" \"a.b\" \"c\")\n(import \"\" \"d\" \"\")\n(import \".x\" \"y\" \"z\")\n(import \".x\" \"w\" \"\")\n(import \"q\" \"*\" \"\")\n"},
		"class":              {"@dataclass\nclass A(B, k=1):\n  x: int = 1\n  if T:\n    y = 2\n  def m(self): pass", "(class A B dataclass)\n  (= x \"int\" 1)\n  (= y 2)\n  (func A.m (params self))\n"},
		"enum":               {"class R(enum.IntEnum):\n  Load = 0", "(class enum R enum.IntEnum)\n  (= Load 0)\n"},
		"nested":             {"class A:\n  def m(self):\n    @cute.struct\n    class S:\n      b: int\n    def f(): pass", "(class A)\n  (func A.m (params self))\n    (class S cute.struct)\n      (= b decl \"int\")\n    (func A.m.f)\n"},
		"comments":           {"f(  # why\n  a, # because\n  b)\\\n .c\n", "(call f a b).c\n"},
	} {
		if got := dump(t, c.in); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestExpressions(t *testing.T) {
	for in, want := range map[string]string{
		"a < b <= c":                          "(&& (< a b) (<= b c))",
		"a is not None":                       "(! (is a none))",
		"a not in (b,)":                       "(! (in a (tuple b)))",
		"not a and b or c":                    "(|| (&& (! a) b) c)",
		"a if b else c":                       "(? b a c)",
		"-x ** 2 // ~y":                       "(// (- (** x 2)) (~ y))",
		"(i // 3) & 1":                        "(& (// i 3) 1)",
		"0x1F + 0b11 + 0o17":                  "(+ (+ 31 3) 15)",
		"1_000_000":                           "1000000",
		"0xFFFFFFFFFFFFFFFF":                  `(opaque "integer of more than 63 bits")`,
		"1e-3 + 2j":                           "(+ 1e-3 2j)",
		"x[i, None, ..., ::2]":                "(index x i none Ellipsis (slice _ _ 2))",
		"x[a:b]":                              "(index x (slice a b _))",
		"f(a, *b, k=c, **d)":                  "(call f a (* b) (** d) k=c)",
		"f(i for i in r)":                     "(call f (comp generator i (for i r)))",
		"[a for a in b if c if d for e in f]": "(comp list a (for a b c d) (for e f))",
		"{k: v for k, v in x}":                "(comp dict k v (for (tuple k v) x))",
		"{1, 2}":                              "(call set (list 1 2))",
		"{**a, 'k': 1}":                       `(dict (** a), "k" 1)`,
		"lambda a, *b, c=1: f(a)":             "(lambda (params a, *b, c = 1) (return (call f a)))",
		"(n := 4) + 1":                        "(+ (:= n 4) 1)",
		"()":                                  "(tuple)",
		"a, ":                                 "(tuple a)",
		"*f(x), 1":                            "(tuple (* (call f x)) 1)",
		`"a\tb" 'c\x41\u00e9\q'`:              `"a\tbcAé\\q"`,
		`r"\n" b'x'`:                          `"\\nx"`,
		"'''a\nb'''":                          `"a\nb"`,
		`""`:                                  `""`,
		`f"{{x}}"`:                            `"{x}"`,
		`f"a{b}c" "d"`:                        `(opaque "f-string" "a" b "c" "d")`,
		`f"{b:>8}{c!r}"`:                      `(opaque "f-string with a format" b c)`,
		"await x":                             `(opaque "await" x)`,
		"é.ß":                                 "é.ß",
	} {
		if got := strings.TrimSuffix(dump(t, in), "\n"); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// Of three operators in a row the closest binds first (Python reference 6.17), from the left but for powers.
func TestPrecedence(t *testing.T) {
	level := map[string]int{"|": 0, "^": 1, "&": 2, "<<": 3, ">>": 3, "+": 4, "-": 4, "*": 5, "/": 5, "//": 5, "%": 5, "@": 5, "**": 6}
	var tree func(ops, operands []string) string
	tree = func(ops, operands []string) string {
		if len(ops) == 0 {
			return operands[0]
		}
		last := 0
		for i, op := range ops {
			if level[op] < level[ops[last]] || level[op] == level[ops[last]] && op != "**" {
				last = i
			}
		}
		return "(" + ops[last] + " " + tree(ops[:last], operands[:last+1]) + " " + tree(ops[last+1:], operands[last+1:]) + ")"
	}
	for a := range level {
		for b := range level {
			for c := range level {
				in := fmt.Sprintf("w %s x %s y %s z", a, b, c)
				if got, want := strings.TrimSuffix(dump(t, in), "\n"), tree([]string{a, b, c}, []string{"w", "x", "y", "z"}); got != want {
					t.Errorf("%s: got %s, want %s", in, got, want)
				}
			}
		}
	}
	for in, want := range map[string]string{"a & (b ^ c) & d": "(& (& a (^ b c)) d)", "a ^ (b & 1 ^ 1)": "(^ a (^ (& b 1) 1))", "(k // 3) & 1 ^ 1": "(^ (& (// k 3) 1) 1)"} {
		if got := strings.TrimSuffix(dump(t, in), "\n"); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestKernels(t *testing.T) {
	for in, want := range map[string]bool{
		"@cute.kernel\ndef k(): pass":                                     true,
		"@cute.experimental.kernel(x=1)\ndef k(): pass":                   true,
		"from cutlass.cute import kernel\n@kernel\ndef k(): pass":         true,
		"from cutlass.cute import kernel as gpu\n@a\n@gpu\ndef k(): pass": true,
		"from other import kernel\n@kernel\ndef k(): pass":                false,
		"from cutlass.cute import kernel as gpu\n@kernel\ndef k(): pass":  false,
		"@cute.jit\ndef k(): pass":                                        false,
		"class A:\n  @cute.kernel\n  async def k(self, a, /, *, b): pass": true,
	} {
		f := Read(&source.File{Data: []byte(in)})
		if len(f.Functions) != 1 || f.Functions[0].Kernel != want {
			t.Errorf("%q: want kernel %v, got %+v", in, want, f.Functions)
		}
	}
}

// TestBroken: a function with a syntax error is skipped and named; what stands around it is read.
func TestBroken(t *testing.T) {
	for name, c := range map[string]struct{ in, functions, skipped string }{
		"open bracket":     {"def a():\n  f(\n\ndef b():\n  pass\n\n@x\ndef c():\n  pass\n", "b c", "a"},
		"open header":      {"def a(x:\n  f(\n\ndef b(): pass\n", "b", "a"},
		"bad statement":    {"def a():\n  x = = 1\n\ndef b(): pass\n", "b", "a"},
		"method":           {"class A:\n  def m(self):\n    x y z\n  def n(self): pass\ndef b(): pass\n", "n b", "A.m"},
		"nested":           {"def a():\n  def i():\n    x y\n  j()\n", "a", "a.i"},
		"module level":     {"x = = 1\ndef a(): pass\n", "a", ""},
		"string with defs": {"def a():\n  s = '''\ndef no(): pass\n'''\n  x y z\n\nw\n", "", "a"},
		"not Python":       {"{%% ( \x00 \xff def", "", ""},
		"empty":            {"", "", ""},
	} {
		f := Read(&source.File{Data: []byte(c.in)})
		var functions, skipped []string
		for _, fn := range f.Functions {
			functions = append(functions, fn.Name)
		}
		for _, s := range f.Skipped {
			skipped = append(skipped, s.Name)
		}
		if strings.Join(functions, " ") != c.functions || strings.Join(skipped, " ") != c.skipped {
			t.Errorf("%s: got %v, skipped %v", name, functions, skipped)
		}
	}
}

func TestSpans(t *testing.T) {
	text := "é = 1\n@cute.kernel\ndef k(bar):\n  for i in range(3):\n    wait(bar + i, 'é')\n"
	f := Read(&source.File{Data: []byte(text)})
	at := func(s source.Span) string { return text[s.Start:s.End] }
	k := f.Functions[0]
	if at(k.NameSpan) != "k" || !strings.HasPrefix(at(k.Span), "@cute.kernel") || at(k.Params[0].Span) != "bar" {
		t.Errorf("got %q, %q, %q", at(k.NameSpan), at(k.Span), at(k.Params[0].Span))
	}
	loop := k.Body[0].(*program.For)
	if at(loop.Header) != "for i in range(3):" {
		t.Errorf("header %q", at(loop.Header))
	}
	call := loop.Body[0].(*program.ExprStmt).X.(*program.Call)
	if at(call.Span) != "wait(bar + i, 'é')" || at(call.Args[0].Where()) != "bar + i" || at(call.Args[1].Where()) != "'é'" {
		t.Errorf("call %q, %q, %q", at(call.Span), at(call.Args[0].Where()), at(call.Args[1].Where()))
	}
}

func TestLimits(t *testing.T) {
	deep := 20 * maxDepth
	for name, in := range map[string]string{
		"brackets":   strings.Repeat("(", deep) + "x" + strings.Repeat(")", deep),
		"sum":        "x" + strings.Repeat(" + x", deep),
		"attributes": "x" + strings.Repeat(".x", deep),
		"not":        strings.Repeat("not ", deep) + "x",
		"elif":       "if a: b\n" + strings.Repeat("elif c: d\n", deep),
		"case":       "match a:\n" + strings.Repeat("  case 1: d\n", deep),
	} {
		f := Read(&source.File{Data: []byte(in + "\ndef after(): pass\n")})
		if len(f.Notes) != 1 || len(f.Functions) != 1 {
			t.Errorf("%s: notes %v, %d functions", name, f.Notes, len(f.Functions))
		}
	}
	f := Read(&source.File{Data: []byte(strings.Repeat("f(a, b)\n", maxNodes/6))})
	if len(f.Notes) != 1 || len(f.Body) < 1000 {
		t.Errorf("many nodes: notes %v, %d statements", f.Notes, len(f.Body))
	}
}

// TestHostile: text that provokes a parser's error recovery ends, with a note or without.
func TestHostile(t *testing.T) {
	var stairs strings.Builder
	for i := range 800 {
		stairs.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	for name, in := range map[string]string{
		"stairs":        stairs.String(),
		"open brackets": strings.Repeat("(", 100_000),
		"open f-string": strings.Repeat("f'{", 20_000),
		"defs":          strings.Repeat("def f(\n", 20_000),
		"quotes":        strings.Repeat("'''\"", 30_000),
		"nul":           strings.Repeat("\x00", 100_000),
		"colons":        strings.Repeat("if:\n\t", 20_000),
	} {
		f := Read(&source.File{Data: []byte(in)})
		if len(f.Functions) != 0 {
			t.Errorf("%s: %d functions", name, len(f.Functions))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"@cute.kernel\ndef k(a: int = 1, *b):\n  if const_expr(a): return a, *(x,)*n\n", "x = f'a{b!r:>{c}}' r'\\n'\n",
		"match x:\n  case 1 | A.B: y\n", "def a():\n  f(\ndef b(): pass\n", "try:\n a\nexcept: b\nfinally: c\n",
		"llvm.inline_asm(None, [a], 'bar.sync $0;', 'r')\n", "[i for i in j if k]; {**a, b: 1}; lambda: 0; a < b < c\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := Read(&source.File{Data: data})
		for e := range program.Exprs(file.Body) {
			if at := e.Where(); at.Start < 0 || at.End > len(data) || at.Start > at.End {
				t.Fatalf("span %v of %d", at, len(data))
			}
		}
		for c := range program.Calls(file.Body) {
			InlineCall(c)
		}
		if err := program.Dump(io.Discard, file); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTrees reads every Python file of some projects, to look at what is skipped and how fast.
func TestTrees(t *testing.T) {
	root := os.Getenv("FENCEPOST_TREES")
	if root == "" {
		t.Skip("set FENCEPOST_TREES to a directory of Python projects")
	}
	files, bytes, skipped, functions, kernels, notes := 0, 0, 0, 0, 0, map[string]int{}
	start := time.Now()
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".py") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		f := Read(&source.File{Name: path, Data: data})
		files, bytes = files+1, bytes+len(data)
		for _, s := range f.Skipped {
			t.Logf("%s: skipped %s", path, s.Name)
		}
		for _, n := range f.Notes {
			notes[n.Text]++
			if !strings.HasPrefix(n.Text, "exception") {
				t.Logf("%s: %s", path, n.Text)
			}
		}
		skipped, functions = skipped+len(f.Skipped), functions+len(f.Functions)
		for _, fn := range f.Functions {
			if fn.Kernel {
				kernels++
			}
		}
		return nil
	})
	t.Logf("%d files, %d functions, %d kernels, %d skipped, %.1f MB/s, notes %v", files, functions, kernels, skipped,
		float64(bytes)/1e6/time.Since(start).Seconds(), notes)
}
