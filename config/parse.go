package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/launch"
	"github.com/fencepost-dev/fencepost/source"
	"gopkg.in/yaml.v3"
)

const (
	maxPatterns      = 64
	maxPatternLength = 256
	// doublestar tries every way through the braces, which doubles with each pair (notes/anchors.md B6).
	maxBraces  = 3
	maxCommas  = 16
	maxEntries = 1000
	maxScalar  = 1024
)

var (
	ruleID = regexp.MustCompile(`^FP[0-9]{3}$`)
	// A wrapper's name is an identifier, with dots or colons between its parts: "arch.my_wait", "ns::wait".
	wrapperName = regexp.MustCompile(`^[A-Za-z_]\w*((\.|::)[A-Za-z_]\w*)*$`)
	size        = regexp.MustCompile(`^([0-9]{1,15}) ?(B|KiB|MiB|GiB)?$`)
)

// Parse reads a configuration file. The document is walked node by node rather than decoded into a struct, so that every
// error has its line, and so that aliases (which can blow a small file up) are never followed.
func Parse(f *source.File) (c *Config, err error) {
	p := parser{name: f.Name, config: &Config{Path: f.Name, Rules: map[string]Level{}, ruleLines: map[string]int{}}}
	defer func() {
		// yaml.v3 is no longer maintained and has panicked on odd input before.
		if r := recover(); r != nil {
			c, err = nil, fmt.Errorf("%s: the YAML cannot be read: %v", f.Name, r)
		}
	}()
	if len(f.Data) > maxSize {
		return nil, fmt.Errorf("%s: %d bytes, at most %d are read (shorten the lists)", f.Name, len(f.Data), maxSize)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(f.Data))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return p.config, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %s", f.Name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one YAML document (keep the first)", f.Name)
	}
	if len(document.Content) == 1 && document.Content[0].Tag != "!!null" {
		if err := p.fields(document.Content[0], "the file", p.top()); err != nil {
			return nil, err
		}
	}
	return p.config, nil
}

type parser struct {
	name   string
	config *Config
}

type field struct {
	key  string
	read func(*yaml.Node) error
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.name, n.Line, fmt.Sprintf(format, args...))
}

func (p *parser) top() []field {
	c := p.config
	return []field{
		{"include", func(n *yaml.Node) (err error) { c.Include, err = p.patterns(n); return err }},
		{"exclude", func(n *yaml.Node) (err error) { c.Exclude, err = p.patterns(n); return err }},
		{"include-dirs", p.directories},
		{"rules", p.rules},
		{"wrappers", p.wrappers},
		{"launch", p.launches},
		{"limits", func(n *yaml.Node) error { return p.fields(n, "limits", p.limits()) }},
		{"engine", func(n *yaml.Node) (err error) {
			c.Engine, err = p.choice(n, "auto", "explore", "spin", "both", "none")
			return err
		}},
		{"fail-on", func(n *yaml.Node) (err error) {
			if c.FailOn, err = p.scalar(n); err != nil {
				return err
			}
			if _, err = finding.ParseFailOn(c.FailOn); err != nil {
				return p.fail(n, "fail-on: %v", err)
			}
			return nil
		}},
		{"require-holds", p.require},
		{"strict", func(n *yaml.Node) error {
			v, err := p.choice(n, "true", "false")
			c.Strict = v == "true"
			return err
		}},
	}
}

func (p *parser) limits() []field {
	l := &p.config.Limits
	return []field{
		{"states", func(n *yaml.Node) error {
			v, err := p.scalar(n)
			if err != nil {
				return err
			}
			l.States, err = strconv.Atoi(strings.ReplaceAll(v, "_", ""))
			if err != nil || l.States < 1 || l.States > 1_000_000_000 {
				return p.fail(n, "states must be a whole number from 1 to 1000000000, not %q", v)
			}
			return nil
		}},
		{"memory", func(n *yaml.Node) (err error) { l.Memory, err = p.bytes(n, 1<<20, 1<<40); return err }},
		{"file-size", func(n *yaml.Node) (err error) { l.FileSize, err = p.bytes(n, 1<<10, 64<<20); return err }},
		{"time", func(n *yaml.Node) error {
			v, err := p.scalar(n)
			if err != nil {
				return err
			}
			l.Time, err = time.ParseDuration(v)
			if err != nil || l.Time < time.Millisecond || l.Time > 24*time.Hour {
				return p.fail(n, "time must be a duration from 1ms to 24h such as 30s, not %q", v)
			}
			return nil
		}},
	}
}

// fields reads a mapping whose keys are all known.
func (p *parser) fields(n *yaml.Node, what string, known []field) error {
	var keys []string
	for _, f := range known {
		keys = append(keys, f.key)
	}
	return p.mapping(n, what, func(key, value *yaml.Node) error {
		i := slices.Index(keys, key.Value)
		if i < 0 {
			return p.fail(key, "unknown key %q%s", key.Value, suggest(key.Value, keys))
		}
		return known[i].read(value)
	})
}

// mapping calls fn for every entry of a mapping without repeated keys.
func (p *parser) mapping(n *yaml.Node, what string, fn func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return p.fail(n, "%s must be a mapping of keys to values", what)
	}
	if len(n.Content) > 2*maxEntries {
		return p.fail(n, "%s has more than %d entries", what, maxEntries)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, err := p.scalar(key); err != nil {
			return err
		}
		if seen[key.Value] {
			return p.fail(key, "%q is given twice", key.Value)
		}
		seen[key.Value] = true
		if err := fn(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) scalar(n *yaml.Node) (string, error) {
	switch {
	case n.Kind == yaml.AliasNode:
		return "", p.fail(n, "aliases are not read (write the value out)")
	case n.Kind != yaml.ScalarNode:
		return "", p.fail(n, "one value is expected here")
	case len(n.Value) > maxScalar:
		return "", p.fail(n, "the value is longer than %d bytes", maxScalar)
	}
	return n.Value, nil
}

func (p *parser) choice(n *yaml.Node, choices ...string) (string, error) {
	v, err := p.scalar(n)
	if err != nil {
		return "", err
	}
	if !slices.Contains(choices, v) {
		return "", p.fail(n, "%q is none of %s%s", v, strings.Join(choices, ", "), suggest(v, choices))
	}
	return v, nil
}

func (p *parser) bytes(n *yaml.Node, lo, hi int64) (int64, error) {
	v, err := p.scalar(n)
	if err != nil {
		return 0, err
	}
	m := size.FindStringSubmatch(v)
	if m == nil {
		return 0, p.fail(n, "%q is no size (write 512MiB or 2GiB)", v)
	}
	amount, _ := strconv.ParseInt(m[1], 10, 64) // at most 15 digits
	unit := map[string]int64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[m[2]]
	if amount > hi/unit || amount*unit < lo {
		return 0, p.fail(n, "%s is out of bounds: from %d to %d bytes", v, lo, hi)
	}
	return amount * unit, nil
}

func (p *parser) rules(n *yaml.Node) error {
	return p.mapping(n, "rules", func(key, value *yaml.Node) error {
		if !ruleID.MatchString(key.Value) {
			return p.fail(key, "%q is no rule identifier (such as FP101)", key.Value)
		}
		v, err := p.scalar(value)
		if err == nil && v == "false" { // YAML 1.1 tools rewrite off so
			v = string(Off)
			value.Value = v
		}
		if err == nil {
			v, err = p.choice(value, string(Off), string(Note), string(Warning), string(Error))
		}
		p.config.Rules[key.Value], p.config.ruleLines[key.Value] = Level(v), key.Line
		return err
	})
}

func (p *parser) wrappers(n *yaml.Node) error {
	return p.mapping(n, "wrappers", func(key, value *yaml.Node) error {
		if !wrapperName.MatchString(key.Value) {
			return p.fail(key, "%q is no name of a function", key.Value)
		}
		v, err := p.scalar(value)
		if err != nil {
			return err
		}
		if open := strings.IndexByte(v, '('); open < 1 || !strings.HasSuffix(v, ")") {
			return p.fail(value, "%q is no operation (write mbarrier_wait(ptr=$0, phase=$1))", v)
		}
		p.config.Wrappers = append(p.config.Wrappers, Wrapper{Name: key.Value, Meaning: v, Line: key.Line})
		return nil
	})
}

// launches reads a list of what --launch says for one pattern each: kernel: PATTERN with grid, block and cluster.
func (p *parser) launches(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return p.fail(n, `launch must be a list of launches (write - {kernel: "*", block: [128]})`)
	}
	if len(n.Content) > maxPatterns {
		return p.fail(n, "more than %d launches", maxPatterns)
	}
	for _, item := range n.Content {
		s := &launch.Stated{}
		err := p.fields(item, "a launch", []field{
			{"kernel", func(n *yaml.Node) (err error) {
				if s.Pattern, err = p.scalar(n); err == nil && launch.CheckPattern(s.Pattern) != nil {
					err = p.fail(n, "%v", launch.CheckPattern(s.Pattern))
				}
				return err
			}},
			{"grid", p.extent(&s.Grid)}, {"block", p.extent(&s.Block)}, {"cluster", p.extent(&s.Cluster)},
		})
		switch {
		case err != nil:
			return err
		case s.Pattern == "":
			return p.fail(item, `the launch does not say of which kernels it is (write kernel: "*" for all)`)
		case s.Grid[0]+s.Block[0]+s.Cluster[0] == 0:
			return p.fail(item, "the launch of %s says nothing (write block: [128], grid: [4, 1] or cluster: [2])", s.Pattern)
		}
		p.config.Launches = append(p.config.Launches, s)
	}
	return nil
}

func (p *parser) extent(to *[3]int) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.SequenceNode || len(n.Content) < 1 || len(n.Content) > 3 {
			return p.fail(n, "extents are a list of one to three numbers (write [128] or [32, 4])")
		}
		*to = [3]int{1, 1, 1}
		for k, item := range n.Content {
			v, err := p.scalar(item)
			if err != nil {
				return err
			}
			if to[k], err = strconv.Atoi(v); err != nil || to[k] < 1 || to[k] > 1<<31-1 {
				return p.fail(item, "an extent is a whole number from 1 to %d, not %q", 1<<31-1, v)
			}
		}
		return nil
	}
}

// directories reads names of directories below the root.
func (p *parser) directories(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxPatterns {
		return p.fail(n, "a list of at most %d directories is expected here", maxPatterns)
	}
	for _, item := range n.Content {
		v, err := p.scalar(item)
		if err != nil {
			return err
		}
		if !filepath.IsLocal(v) || len(v) > maxPatternLength {
			return p.fail(item, "%q is no directory below the root (write csrc/include)", v)
		}
		p.config.Includes = append(p.config.Includes, path.Clean(v))
	}
	return nil
}

// require reads patterns of kernels that have to hold.
func (p *parser) require(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxPatterns {
		return p.fail(n, "a list of at most %d patterns of kernels is expected here", maxPatterns)
	}
	for _, item := range n.Content {
		v, err := p.scalar(item)
		if err != nil {
			return err
		}
		if err := finding.CheckPattern(v); err != nil {
			return p.fail(item, "%v", err)
		}
		p.config.Require = append(p.config.Require, v)
	}
	return nil
}

func (p *parser) patterns(n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.fail(n, "a list of patterns is expected here")
	}
	if len(n.Content) > maxPatterns {
		return nil, p.fail(n, "more than %d patterns", maxPatterns)
	}
	var patterns []string
	for _, item := range n.Content {
		v, err := p.scalar(item)
		if err != nil {
			return nil, err
		}
		switch {
		case len(v) > maxPatternLength:
			return nil, p.fail(item, "the pattern is longer than %d bytes", maxPatternLength)
		case strings.Count(v, "{") > maxBraces || strings.Count(v, ",") > maxCommas:
			return nil, p.fail(item, "the pattern has more than %d braces or %d commas (write several patterns)", maxBraces, maxCommas)
		case v == "" || v[0] == '/' || slices.Contains(strings.Split(v, "/"), ".."):
			return nil, p.fail(item, "%q cannot match: names are relative to the root", v)
		case !doublestar.ValidatePattern(v):
			return nil, p.fail(item, "%q is no pattern (see the syntax of doublestar: *, **, ?, [a-z], {a,b})", v)
		}
		patterns = append(patterns, v)
	}
	return patterns, nil
}
