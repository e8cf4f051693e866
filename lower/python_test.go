package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// result runs f() of a Python file as host code and spells what it returns; an exception nobody catches is "raises X".
func result(t *testing.T, text string) string {
	t.Helper()
	f := read("t.py", text)
	if len(f.Skipped) > 0 || len(f.Notes) > 0 {
		t.Fatalf("does not parse: %v %v", f.Skipped, f.Notes)
	}
	l := newLowering(f, dialect.New(program.CuTe), Options{})
	m := l.hostMachine()
	l.ready(l.main)
	m.enter(l.main)
	out := "no function f"
	l.protect(func() {
		if fn, ok := m.globals.Lookup("f"); ok {
			out = shown(m.callWith(fn.Get(), &value.Arguments{}, program.Place{}))
		}
	}, func(r any) {
		switch r := r.(type) {
		case raised:
			out = "raises " + r.describe()
		case opaque:
			out = "opaque " + r.why.Text
		case combination.Need:
			out = "needs " + r.Key
		}
	})
	return out
}

func shown(v value.Value) string {
	if _, ok := v.(value.Data); ok {
		return "data"
	}
	return value.Canonical(v)
}

// body makes a snippet whose last line is an expression the body of f.
func body(snippet string) string {
	lines := strings.Split(strings.TrimRight(snippet, "\n"), "\n")
	last := len(lines) - 1
	lines[last] = "return " + lines[last]
	return "import math, enum, functools, itertools, operator\nfrom enum import Enum, IntEnum, auto\nfrom dataclasses import dataclass, field, replace\nfrom typing import NamedTuple, Optional, Protocol, Type\nimport cutlass\nimport cutlass.cute as cute\nfrom functools import partial\ndef f():\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestPython(t *testing.T) {
	for name, c := range pythonCases {
		for i, tt := range c {
			if got := result(t, body(tt[0])); got != tt[1] {
				t.Errorf("%s %d: %s\ngot  %s\nwant %s", name, i, tt[0], got, tt[1])
			}
		}
	}
}

var pythonCases = map[string][][2]string{
	"numbers": {
		{"(7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3, 2 ** 10, 1 << 4, 6 / 4)", "(3, -4, 1, 2, -2, 1024, 16, 1.5)"},
		{"(int(3.9), int('12'), round(2.5), round(3.5), math.ceil(7 / 2), math.floor(-0.5), abs(-3), divmod(7, 3))", "(3, 12, 2, 4, 4, -1, 3, (2, 1))"},
		{"math.floor(228 * 1024 / 49152)", "4"},
		{"(math.log2(8), math.gcd(12, 18), math.sqrt(16.0), float(3), bool(0), bool([]), True + True)", "(3, 6, 4, 3, 0, 0, 2)"},
		{"(min(3, 1, 2), max([4, 9]), min(2.5, 1), max('ab', key=lambda c: c), sum([1, 2], 10))", "(1, 9, 1, \"b\", 13)"},
		{"1 < 2 < 3, 3 > 2 > 2, not 0, 1 if [] else 2", "(1, 0, 1, 2)"},
		{"cutlass.Float16.width, cutlass.Float8E4M3FN.width, cutlass.Int32(5), cutlass.Float16 == cutlass.BFloat16, cutlass.Int32 is cutlass.Int32, cutlass.const_expr(3)", "(16, 8, 5, 0, 1, 3)"},
	},
	"own functions": {
		{"pow(3, 4, 7)", "data"},
		{"len(list(itertools.combinations(range(5), 2)))", "data"},
		{"try:\n        x = 1 // 0\n    except ZeroDivisionError:\n        x = 5\nx", "5"},
		{"5 % 0", "raises ZeroDivisionError: division by zero"},
		{"class A:\n        g = staticmethod(lambda x: x + 1)\n        h = classmethod(lambda cls, x: x + 2)\n(A().g(4), A.h(4))", "(5, 6)"},
		{"try:\n        import nosuchmodule\n        x = 1\n        y = 3\n    except ImportError:\n        x = 2\n        y = 3\n(x, y)", "((1 if there is a module nosuchmodule else 2), 3)"},
	},
	"implicit calls": {
		{"n = []\n@functools.lru_cache\ndef g(x):\n        n.append(x)\n        return x\n(g(1), g(1), n)", "(?, ?, ())"},
		{"@functools.lru_cache(maxsize=None)\ndef g(x):\n        y = []\n        y.append(x)\n        return len(y) + x\ng(1) + g(1)", "4"},
		{"class A:\n        n = 0\n        @functools.cached_property\n        def v(self):\n            A.n += 1\n            return 5\na = A()\n(a.v, a.v, A.n)", "(5, 5, 1)"},
		{"class A:\n        def __setattr__(self, k, v):\n            pass\na = A()\na.x = 4\na.x", "data"},
		{"x = [[1], 2]\nimport copy\ny = copy.deepcopy(x)\nz = copy.copy(x)\nz[0].append(3)\nz.append(4)\n(x, y)", "(((1, 3), 2), ((1), 2))"},
	},
	"in place": {
		{"x = [1]\ny = x\ny += (2,)\ny *= 2\nz = y\nz = z + [3]\n(x, z)", "((1, 2, 1, 2), (1, 2, 1, 2, 3))"},
		{"x = (1,)\ny = x\ny += (2,)\n(x, y)", "((1), (1, 2))"},
		{"x = {1}\ny = x\ny |= {2}\nz = frozenset(x)\nw = z\nw |= {3}\nv = {'a': 1}\nu = v\nu |= {'b': 2}\n(len(x), len(z), len(w), len(v))", "(2, 2, 3, 2)"},
		{"x = list(range(10))\nx[2:5] = [7]\ndel x[0]\ndel x[-1]\nx[1:1] = 'ab'\nx[::4] = [0, 0]\nx", "(0, \"a\", \"b\", 7, 0, 6, 7, 8)"},
		{"x = list(range(10))\ndel x[1:4], x[::-3]\nd = {'a': 1, 'b': 2}\ndel d['a']\n(x, len(d))", "((4, 5, 7, 8), 1)"},
		{"del [1][1]\n1", "raises IndexError: list assignment index out of range"},
		{"x = [1]\ny = [1]\nz = x\n(x == y, x is y, x is z, [] is None, {} is {}, x is not y)", "(1, 0, 1, 0, 0, 1)"},
		{"x = [1, 2]\ny = x\ny += math.foo\nlen(x)", "data"},
		{"x = [1, 2]\nx.unheard(3)\nlen(x)", "data"},
	},
	"collections": {
		{"x = [1, 2]\nx.append(3)\nx.extend((4,))\nx.insert(0, 0)\ny = x.pop()\n(x, y, x.index(2), x.count(1), len(x))", "((0, 1, 2, 3), 4, 2, 1, 4)"},
		{"x = list(range(10))\n(x[2:8:3], x[::-1][:2], x[-3:], x[-1], (1, 2) + (3,), [0] * 3)", "((2, 5), (9, 8), (7, 8, 9), 9, (1, 2, 3), (0, 0, 0))"},
		{"a, *b, c = range(5)\n(a, b, c)", "(0, (1, 2, 3), 4)"},
		{"d = {'a': 1, **{'b': 2}}\nd['c'] = 3\nd.update(e=5)\n([k for k in d], d.get('z'), d.get('z', 7), d.pop('a'), d.setdefault('q', 9), len(d), 'b' in d)", "((\"a\", \"b\", \"c\", \"e\"), None, 7, 1, 9, 4, 1)"},
		{"from types import SimpleNamespace\np = SimpleNamespace(a=1, b=(2, 3))\np.c = p.a + 4\n(p.b, p.c, hasattr(p, 'd'))", "((2, 3), 5, 0)"},
		{"d = {(0, 1): 'x', 2: 'y'}\n(d[0, 1], d[2], [k for k, v in d.items()], sum(k[1] for k in d if isinstance(k, tuple)))", "(\"x\", \"y\", ((0, 1), 2), 1)"},
		{"d = {'a': 1}\nd['b']", "raises KeyError: \"b\""},
		{"s = {1, 2, 2}\ns.add(3)\n(len(s), 2 in s, s - {1}, sorted(s | {0}))", "(3, 1, {2: None, 3: None}, (0, 1, 2, 3))"},
		{"{i: j for i in range(3) for j in range(i) if j > 0}", "{2: 1}"},
		{"list(zip([1, 2], 'ab')), list(enumerate('ab', start=1)), list(map(lambda x, y: x + y, [1], [2])), list(reversed([1, 2]))", "(((1, \"a\"), (2, \"b\")), ((1, \"a\"), (2, \"b\")), (3), (2, 1))"},
		{"sorted([3, 1, 2], reverse=True), sorted(['bb', 'a'], key=len), any(x > 1 for x in (1, 2)), all([]), functools.reduce(operator.mul, (2, 3), 4)", "((3, 2, 1), (\"a\", \"bb\"), 1, 1, 24)"},
		{"list(itertools.product((0, 1), (2,))), list(itertools.chain([1], [2])), next(iter([5, 6]))", "(((0, 2), (1, 2)), (1, 2), 5)"},
		{"(1, 'a', None) == (1, 'a', None), [1] != [2], (1, 2) < (1, 3), 2 not in (1, 3), None is None, 'x' is not None, 1 == 'a'", "(1, 1, 1, 1, 1, 1, 0)"},
		{"x = {'a': {'b': [1]}}\nx['a']['b'][0] += 4\ndel x['a']['c' if False else 'b'][0:0]\nx", "{\"a\": {\"b\": (5)}}"},
		{"x = {'a': 1, 'b': 2}\ndel x['a']\nx", "{\"b\": 2}"},
	},
	"containers that hold themselves": {
		{"x = [1]\nx.append(x)\nd = {}\nd['d'] = d\nx[0] = [x]\n(len(x), x == x, str(d), x)", "(2, 1, ?, (?, ?))"},
		{"x = [0]\nfor i in range(60):\n    x = [x, x]\n(x == [x, 1], len(x))", "(0, 2)"},
		{"@dataclass\nclass N:\n    n: int = 0\na, b = N(), N()\na.n, b.n = a, b\na == b", "data"},
	},
	"text": {
		{"n = 3\nf'a{n}b{n + 1}{{}}', 'a,b'.split(','), '-'.join(['x', 'y']), 'Ab'.lower(), 'abc'.startswith(('x', 'ab')), 'abc'[1], str(4), 'ab' + 'c' * 2", "(\"a3b4{}\", (\"a\", \"b\"), \"x-y\", \"ab\", 1, \"b\", \"4\", \"abcc\")"},
	},
	"functions": {
		{"def g(a, b=2, *c, d, e=5, **k):\n    return (a, b, c, d, e, k)\n(g(1, d=4), g(1, 2, 3, d=4, z=0), g(*[1, 9], **{'d': 8}))", "((1, 2, (), 4, 5, {}), (1, 2, (3), 4, 5, {\"z\": 0}), (1, 9, (), 8, 5, {}))"},
		{"x = 1\ndef g(a=x):\n    return a\nx = 2\ng()", "1"},
		{"fs = [lambda: i for i in range(3)]\ngs = [lambda i=i: i for i in range(3)]\n([f() for f in fs], [g() for g in gs])", "((2, 2, 2), (0, 1, 2))"},
		{"n = 0\ndef g():\n    nonlocal n\n    n += 5\ng()\nn", "5"},
		{"def g(a, b, c):\n    return (a, b, c)\np = partial(g, 1, c=3)\nq = partial(p, c=4)\n(p(2), q(2), p(b=7))", "((1, 2, 3), (1, 2, 4), (1, 7, 3))"},
		{"def twice(fn):\n    @functools.wraps(fn)\n    def inner(*a, **k):\n        return fn(*a, **k) * 2\n    return inner\n@twice\ndef g(x):\n    return x + 1\ng(2)", "6"},
		{"table = {'a': lambda x: x + 1, 'b': max}\ntable['a'](1), table['b'](1, 2)", "(2, 2)"},
		{"def g():\n    for i in range(5):\n        if i == 9:\n            break\n    else:\n        return 'else'\n    return 'break'\ng()", "\"else\""},
		{"i = 0\nwhile i < 3:\n    i += 1\nelse:\n    i = 10\ni", "10"},
		{"if (n := 5) > 4:\n    m = n\nm", "5"},
	},
	"exceptions": {
		{"try:\n    raise ValueError('x')\nexcept (KeyError, ValueError) as e:\n    r = str(e)\nelse:\n    r = 'no'\nfinally:\n    q = 1\n(r, q)", "(\"x\", 1)"},
		{"class Mine(RuntimeError):\n    pass\ntry:\n    try:\n        raise Mine('a')\n    except ValueError:\n        r = 1\nexcept Exception:\n    r = 2\nr", "2"},
		{"def g():\n    assert 1 > 2, 'no'\ng()", "raises AssertionError: no"},
		{"try:\n    1\nfinally:\n    raise TypeError\n1", "raises TypeError"},
		{"class M:\n    def __enter__(self):\n        self.x = 1\n        return self\n    def __exit__(self, a, b, c):\n        self.x = 2\n        return True\nwith M() as m:\n    y = m.x\n    raise ValueError\n(y, m.x)", "(1, 2)"},
	},
	"classes": {
		{"class A:\n    k = 1\n    def __init__(self, n):\n        self.n = n\n    def g(self):\n        return ('A', self.n)\nclass B(A):\n    def __init__(self, n):\n        super().__init__(n + 1)\n    def g(self):\n        return ('B',) + super().g()\nb = B(1)\n(b.g(), A.g(b), B.k, b.k, isinstance(b, A), issubclass(B, A), type(b) is B)", "((\"B\", \"A\", 2), (\"A\", 2), 1, 1, 1, 1, 1)"},
		{"class X:\n    def g(self):\n        return 'X'\nclass Y(X):\n    def g(self):\n        return 'Y' + super().g()\nclass Z(X):\n    def g(self):\n        return 'Z' + super().g()\nclass W(Y, Z):\n    pass\nW().g()", "\"YZX\""},
		{"class A:\n    @property\n    def p(self):\n        return self.x * 2\n    @p.setter\n    def p(self, v):\n        self.x = v\n    @staticmethod\n    def s(a):\n        return a\n    @classmethod\n    def c(cls, v):\n        o = cls()\n        o.p = v\n        return o\n    def __call__(self, y):\n        return y\n    def __getitem__(self, i):\n        return i\n    def __len__(self):\n        return 2\n    def __add__(self, o):\n        return 'add'\n    def __eq__(self, o):\n        return True\na = A.c(4)\n(a.p, a.x, A.s(1), a.s(2), a(3), a[5], a[1, 2], len(a), list(a), a + 1, a == 3, a != 3)", "(8, 4, 1, 2, 3, 5, (1, 2), 2, (0, 1), \"add\", 1, 0)"},
		{"@dataclass(frozen=True)\nclass P:\n    a: int\n    b: int = 2\n    c: list = field(default_factory=list)\n    d: int = field(init=False, default=4)\n    def __post_init__(self):\n        object.__setattr__(self, 'e', self.a + self.b)\n@dataclass\nclass Q(P):\n    b: int = 9\n    z: int = 1\np = P(1)\nq = Q(5, z=0)\nr = replace(p, b=7)\n(p.a, p.b, p.c, p.d, p.e, q.b, q.z, q.e, r.b, r.e, p == P(1), p == r)", "(1, 2, (), 4, 3, 9, 0, 14, 7, 8, 1, 0)"},
		{"class T(NamedTuple):\n    a: int\n    b: int = 2\nt = T(1)\nx, y = t\n(x, y, t.b, t[0], len(t), t._replace(b=5).b, t == (1, 2))", "(1, 2, 2, 1, 2, 5, 1)"},
		{"class A:\n    pass\nclass B:\n    def g(self):\n        return 'B'\na = A()\nobject.__setattr__(a, '__class__', B)\nsetattr(a, 'k', 4)\n(a.g(), a.k, hasattr(a, 'k'), getattr(a, 'no', 0), hasattr(a, 'no'))", "(\"B\", 4, 1, 0, 0)"},
		{"n = 3\nclass S:\n    size = n * 2\n    class Inner:\n        y = 5\n    z = size + 1\n(S.size, S.Inner.y, S.z, S().size)", "(6, 5, 7, 6)"},
		{"class A:\n    def __init__(self):\n        self.__x = 3\n    def get(self):\n        return self.__x\na = A()\n(a.get(), a._A__x)", "(3, 3)"},
		{"class A:\n    def run(self):\n        return self.helper()\n    helper = lambda self: 4\nA().run()", "4"},
	},
	"enums": {
		{"class E(Enum):\n    A = auto()\n    B = auto()\n    def g(self):\n        return self.value * 10\n(E.A.value, E.B.name, E.B == E.B, E.A == E.B, E.A != E.B, [e.name for e in E], E(2).name, E['A'].value, E.B.g(), {E.A: 'x'}[E.A], E.A is E.A, E.A in (E.B,), len(E))", "(1, \"B\", 1, 0, 1, (\"A\", \"B\"), \"B\", 1, 20, \"x\", 1, 0, 2)"},
		{"class P(Enum):\n    A = 3\n    @property\n    def g(self):\n        return self.value * 10\nP.A.g", "30"},
		{"class P(Protocol):\n    def f(self): ...\n    def g(self): ...\nclass A:\n    def f(self): return 1\n    def g(self): return 2\nclass B:\n    def f(self): return 1\n(isinstance(A(), P), isinstance(B(), P))", "(1, 0)"},
		{"class T(IntEnum):\n    A = 42\n    @property\n    def tens(self):\n        return self.value // 10\n(T.A.tens, hex(255), divmod(7, cute.FastDivmodDivisor(3)), divmod(8, cute.fast_divmod_create_divisor(3, loc=None)))", "(4, \"0xff\", (2, 1), (2, 2))"},
		{"from types import SimpleNamespace\nn = SimpleNamespace(a=1, b=2)\nn.a + n.b", "3"},
		{"class B(IntEnum):\n    X = 3\n    Y = auto()\n(B.X + 1, int(B.Y), B.Y == 4, B.X < B.Y, list(range(B.X)), [10, 11, 12, 13, 14][B.Y], {3: 'k'}[B.X], max(B), isinstance(B.X, int))", "(4, 4, 1, 1, (0, 1, 2), 14, \"k\", 4, 1)"},
	},
	"unknowns": {
		{"import os\n(os.getenv('FAST'), os.getenv('FAST', '1'), os.environ.get('FAST', 2), hasattr(cutlass.dialects, 'Mode'))", "(None, \"1\", 2, 1)"},
		{"isinstance(cutlass.Float16, str), isinstance(cutlass.Float16, type), cutlass.Float16.is_same_kind(cutlass.Float8E5M2), cutlass.Int8.is_same_kind(cutlass.Float16)", "(0, 1, 1, 0)"},
		{"isinstance(1, int), isinstance((1,), (tuple, list)), isinstance(None, int), isinstance('a', str), isinstance(1, cutlass.Int32), isinstance(1, (str, tuple))", "(1, 1, 0, 1, 1, 0)"},
		{"def g(x):\n    return x if x is None else 1\ng(None)", "None"},
		{"import cutlass.cute as cute\nr = cute.make_rmem_tensor((4,), cutlass.Float16).load()\ns = (r.to(cutlass.Float32) * 2.0).reduce(cute.ReductionOp.ADD)\n(isinstance(r, cute.TensorSSA), isinstance(s, cute.TensorSSA), isinstance(r, tuple), isinstance(s, tuple), r.dtype, (1 - r.to(cutlass.Float32)).dtype, r is None)", "(1, 0, 0, 0, cutlass.Float16, cutlass.Float32, 0)"},
		{"(cute.arch.fmax is max, operator.add is operator.mul, operator.add is operator.add)", "(0, 0, 1)"},
	},
}

// FuzzPython: no program makes the evaluator panic.
func FuzzPython(f *testing.F) {
	for _, cases := range pythonCases {
		for _, c := range cases {
			f.Add(c[0])
		}
	}
	f.Fuzz(func(t *testing.T, snippet string) {
		file := read("t.py", body(snippet))
		l := newLowering(file, dialect.New(program.CuTe), Options{})
		m := l.hostMachine()
		l.ready(l.main)
		m.enter(l.main)
		m.fuel = 20_000
		l.protect(func() {
			if fn, ok := m.globals.Lookup("f"); ok {
				value.Canonical(m.callWith(fn.Get(), &value.Arguments{}, program.Place{}))
			}
		}, func(any) {})
	})
}
