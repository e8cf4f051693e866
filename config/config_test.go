package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/launch"
	"github.com/fencepost-dev/fencepost/source"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const whole = `# everything
include: ["kernels/**/*.py", "src/**/*.{cu,cuh}"]
exclude:
  - third_party/
rules:
  FP101: off
  FP202: warning
wrappers:
  my_wait: mbarrier_wait(ptr=$0, phase=$1)
  ns::arrive: mbarrier_arrive(ptr=$0)
limits:
  states: 2_000_000
  memory: 512MiB
  time: 30s
  file-size: 4 MiB
engine: both
fail-on: warning
launch:
  - {kernel: "*gemm*", grid: [4, 1], block: [128]}
  - kernel: "*"
    block: [32, 2, 2]
    cluster: [2]
`

func parse(text string) (*Config, error) {
	return Parse(source.Decode(".fencepost.yaml", []byte(text)))
}

func TestParse(t *testing.T) {
	got, err := parse(whole)
	want := &Config{
		Path: ".fencepost.yaml", Include: []string{"kernels/**/*.py", "src/**/*.{cu,cuh}"}, Exclude: []string{"third_party/"},
		Rules: map[string]Level{"FP101": Off, "FP202": Warning},
		Wrappers: []Wrapper{
			{Name: "my_wait", Meaning: "mbarrier_wait(ptr=$0, phase=$1)", Line: 9},
			{Name: "ns::arrive", Meaning: "mbarrier_arrive(ptr=$0)", Line: 10},
		},
		Limits: Limits{States: 2_000_000, Memory: 512 << 20, Time: 30 * time.Second, FileSize: 4 << 20}, Engine: "both", FailOn: "warning",
		Launches: launch.List{{Pattern: "*gemm*", Grid: [3]int{4, 1, 1}, Block: [3]int{128, 1, 1}}, {Pattern: "*", Block: [3]int{32, 2, 2}, Cluster: [3]int{2, 1, 1}}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{}, launch.Stated{})); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, text := range []string{"", "# nothing\n", "---\n", "\xEF\xBB\xBFengine: auto\n", "rules: {FP101: false}\n"} {
		if _, err := parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"engine: auto\nexcludes: []\n", `.fencepost.yaml:2: unknown key "excludes" (did you mean exclude?)`},
		{"colour: red\n", "1: unknown key \"colour\" (known: include, exclude"},
		{"limits:\n  state: 4\n", "2: unknown key \"state\" (did you mean states?)"},
		{"engine: spinn\n", "1: \"spinn\" is none of auto, explore, spin, both, none (did you mean spin?)"},
		{"fail-on: often\n", "want one of error, warning, note, never"},
		{"rules:\n  literal-wait-phase: off\n", "2: \"literal-wait-phase\" is no rule identifier"},
		{"rules: {FP101: fatal}\n", "none of off"},
		{"rules: [FP101]\n", "rules must be a mapping"},
		{"rules: {FP101: off, FP101: error}\n", "given twice"},
		{"- a\n", "the file must be a mapping"},
		{"include: '*.py'\n", "a list of patterns"},
		{"include-dirs: include\n", "a list of at most 64 directories"},
		{"include-dirs: [include, ../other]\n", `"../other" is no directory below the root`},
		{"include-dirs: [/usr/include]\n", "no directory below the root"},
		{"include:\n- '[a'\n", "2: \"[a\" is no pattern"},
		{"include: ['../x']\n", "names are relative"},
		{"include: ['/x']\n", "names are relative"},
		{"include: ['" + strings.Repeat("{a,aa}", 22) + "']\n", "more than 3 braces"},
		{"include: ['{" + strings.Repeat("a,", 30) + "}']\n", "commas"},
		{"include: ['" + strings.Repeat("a", 300) + "']\n", "longer than 256"},
		{"include: [" + strings.Repeat("a,", 65) + "]\n", "more than 64"},
		{"include: [[a]]\n", "one value"},
		{"limits: {states: 0}\n", "from 1 to"},
		{"limits: {states: .nan}\n", "from 1 to"},
		{"limits: {states: 99999999999999999999}\n", "from 1 to"},
		{"limits: {memory: lots}\n", "no size"},
		{"limits: {memory: 999999999999999GiB}\n", "out of bounds"},
		{"limits: {memory: 1B}\n", "out of bounds"},
		{"limits: {time: 1000h}\n", "24h"},
		{"limits: {time: 5}\n", "such as 30s"},
		{"wrappers: {'a b': mbarrier_wait(ptr=$0)}\n", "no name of a function"},
		{"wrappers: {a: mbarrier_wait}\n", "no operation"},
		{"launch: {block: [8]}\n", "1: launch must be a list"},
		{"launch:\n- {kernel: k, blocks: [8]}\n", `2: unknown key "blocks" (did you mean block?)`},
		{"launch:\n- {block: [8]}\n", `2: the launch does not say of which kernels it is (write kernel: "*" for all)`},
		{"launch:\n- {kernel: k}\n", "2: the launch of k says nothing (write block: [128]"},
		{"launch:\n- {kernel: '[k', block: [8]}\n", "no pattern of kernel names"},
		{"launch:\n- {kernel: '', block: [8]}\n", "no pattern of kernel names"},
		{"launch:\n- kernel: k\n  block: 128\n", "3: extents are a list of one to three numbers (write [128]"},
		{"launch:\n- kernel: k\n  block: []\n", "one to three numbers"},
		{"launch:\n- kernel: k\n  block: [1, 2, 3, 4]\n", "one to three numbers"},
		{"launch:\n- kernel: k\n  grid: [4, 0]\n", `3: an extent is a whole number from 1 to 2147483647, not "0"`},
		{"launch:\n- {kernel: k, cluster: [two]}\n", `not "two"`},
		{"launch:\n- {kernel: k, cluster: [99999999999]}\n", "whole number"},
		{"launch:\n- {kernel: k, block: [8], block: [8]}\n", "given twice"},
		{"launch: [" + strings.Repeat("{kernel: k, block: [8]},", 65) + "]\n", "more than 64 launches"},
		{"a: &a [x]\ninclude: *a\n", "unknown key"},
		{"include: &a [x]\nexclude: *a\n", "2: a list of patterns"},
		{"engine: auto\n---\nengine: none\n", "more than one"},
		{"engine: [\n", "line"},
		{"include: [" + strings.Repeat("[", 20000) + "\n", ""},
		{strings.Repeat("#", maxSize+1), "at most 65536"},
	} {
		_, err := parse(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), ".fencepost.yaml:") {
			t.Errorf("%.60q: %v, want %q", test.text, err, test.want)
		}
	}
}

// The classic bomb: nine levels of ten aliases each.
func TestAliasBomb(t *testing.T) {
	text := "a0: &a0 [x]\n"
	for i := range 9 {
		alias := "*a" + string(rune('0'+i)) + ", "
		text += "a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.Repeat(alias, 10) + "x]\n"
	}
	if _, err := parse(text); err == nil {
		t.Error("accepted")
	}
}

func TestMatch(t *testing.T) {
	c, err := parse("include: ['**/*.py', src/*.cu]\nexclude: [gen/, '**/*_test.py']\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"k.py": true, "a/b/k.py": true, "src/k.cu": true, "src/a/k.cu": false, "gen/k.py": false, "gen/a/k.py": false, "a/k_test.py": false, "k.cuh": false,
	} {
		if got := c.Match(name); got != want {
			t.Errorf("Match(%s) = %v", name, got)
		}
	}
	if !new(Config).Match("anything") {
		t.Error("a configuration that says nothing leaves files out")
	}
}

// The worst pattern the caps let through must still match in no time; unbounded, this would run for minutes.
func TestWorstPattern(t *testing.T) {
	c, err := parse("include: ['**/" + strings.Repeat("{a,aa,aaa,*a,?}", 3) + "*b']\n")
	if err != nil {
		t.Fatal(err)
	}
	if c.Match(strings.Repeat("a/", 500) + strings.Repeat("a", 200)) {
		t.Error("matched")
	}
}

func TestCheckRules(t *testing.T) {
	c, err := parse("rules:\n  FP101: off\n  FP110: off\n  FP999: off\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CheckRules([]string{"FP101", "FP110", "FP999"}); err != nil {
		t.Error(err)
	}
	if err := c.CheckRules([]string{"FP101"}); err == nil || !strings.Contains(err.Error(), ".fencepost.yaml:3: there is no rule FP110") {
		t.Error(err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if c, err := Load(tree, ""); err != nil || c.Path != "" {
		t.Errorf("no file: %+v, %v", c, err)
	}
	if _, err := Load(tree, "mine.yaml"); err == nil {
		t.Error("a missing file that was asked for is no error")
	}
	if err := os.WriteFile(filepath.Join(dir, ".fencepost.yml"), []byte("engine: none\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(tree, ""); err != nil || c.Engine != "none" || c.Path != ".fencepost.yml" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, ".fencepost.yaml")); err != nil {
		t.Skip(err)
	}
	if _, err := Load(tree, ""); err == nil {
		t.Error("a link was read")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("include: &a [*a]\n? x\n: y\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parse(text)
		if err == nil {
			c.Match("a/b/kernel.cu")
		} else if !strings.HasPrefix(err.Error(), ".fencepost.yaml:") {
			t.Fatalf("%v does not name the file", err)
		}
	})
}
