package config

import (
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaKeys: the schema has the keys that are read, and no others.
func TestSchemaKeys(t *testing.T) {
	s := compiledSchema(t)
	p := parser{config: &Config{}}
	for name, c := range map[string]struct {
		read   []field
		schema *jsonschema.Schema
	}{"top": {p.top(), s}, "limits": {p.limits(), s.Properties["limits"]}} {
		var read, told []string
		for _, f := range c.read {
			read = append(read, f.key)
		}
		for key := range c.schema.Properties {
			told = append(told, key)
		}
		sort.Strings(read)
		sort.Strings(told)
		if !slices.Equal(read, told) {
			t.Errorf("%s: read %v, in the schema %v", name, read, told)
		}
	}
}

// TestSchemaAgrees: an editor with the schema says of a file what fencepost says of it.
func TestSchemaAgrees(t *testing.T) {
	s := compiledSchema(t)
	started, err := os.ReadFile("../cli/init/fencepost.yaml")
	if err != nil {
		t.Fatal(err)
	}
	uncommented := strings.NewReplacer("fail-on: error\n# fail-on", "fail-on", "# require", "require", "# strict", "strict", "# include", "include", "# rules", "rules").Replace(string(started))
	for text, right := range map[string]bool{
		whole: true, "": true, string(started): true, uncommented: true, "rules: {FP101: false}\n": true,
		"fail-on: inconclusive\n": true, "fail-on: warning, inconclusive\n": true, "fail-on: inconclusive,never\n": true, "strict: true\n": true, "require-holds: [gemm*, 'src/**:k']\n": true,
		"fail-on: often\n": false, "fail-on: error,warning\n": false, "strict: maybe\n": false, "require-holds: k\n": false, "require-holds: ['']\n": false,
		"excludes: []\n": false, "limits: {state: 4}\n": false, "engine: spinn\n": false, "rules: {literal-wait-phase: off}\n": false, "rules: {FP101: fatal}\n": false,
		"rules: [FP101]\n": false, "- a\n": false, "include: '*.py'\n": false, "include-dirs: [../other]\n": false, "include-dirs: [/usr]\n": false, "include: ['/x']\n": false,
		"limits: {states: 0}\n": false, "limits: {memory: lots}\n": false, "limits: {time: 5}\n": false, "wrappers: {'a b': mbarrier_wait(ptr=$0)}\n": false, "wrappers: {a: mbarrier_wait}\n": false,
		"launch: {block: [8]}\n": false, "launch: [{block: [8]}]\n": false, "launch: [{kernel: k}]\n": false, "launch: [{kernel: k, block: []}]\n": false, "launch: [{kernel: k, block: 8}]\n": false,
		"launch: [{kernel: k, grid: [4, 0]}]\n": false, "launch: [{kernel: k, blocks: [8]}]\n": false, "launch: [{kernel: k, block: [1, 2, 3, 4]}]\n": false,
	} {
		_, err := parse(text)
		var v any
		if e := yaml.Unmarshal([]byte(text), &v); e != nil {
			t.Fatalf("%q: %v", text, e)
		}
		if invalid := s.Validate(v); (err == nil) != right || (invalid == nil) != right {
			t.Errorf("%q: want right %v\nfencepost: %v\nschema: %v", text, right, err, invalid)
		}
	}
}
