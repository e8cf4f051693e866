// Package config reads .fencepost.yaml. The file may come from a stranger's pull request: its size, its patterns and its
// numbers are bounded, and whatever is not understood is an error that names the line.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/fencepost-dev/fencepost/launch"
	"github.com/fencepost-dev/fencepost/source"
)

// Config is what the file says. The zero value of a field means that it says nothing.
type Config struct {
	Path     string // the file it was read from, "" if there is none
	Include  []string
	Exclude  []string
	Includes []string         // directories where included files of CUDA C++ are looked for
	Rules    map[string]Level // by identifier
	Wrappers []Wrapper        // in the file's order
	Launches launch.List      // of kernels, in the file's order
	Limits   Limits
	Engine   string   // "auto", "explore", "spin", "both", "none"
	FailOn   string   // as finding.ParseFailOn reads it
	Require  []string // patterns of kernels that have to hold
	Strict   bool

	ruleLines map[string]int
}

// Level is what becomes of a rule's findings: "off", or a severity.
type Level string

// Levels.
const (
	Off     Level = "off"
	Note    Level = "note"
	Warning Level = "warning"
	Error   Level = "error"
)

// Wrapper says what a function of the user's own means, in the form of a row of dialect's tables:
// my_wait: mbarrier_wait(ptr=$0, phase=$1).
type Wrapper struct {
	Name    string
	Meaning string
	Line    int
}

// Limits bound the engines and the reader.
type Limits struct {
	States   int
	Memory   int64
	Time     time.Duration
	FileSize int64
}

// The names looked for when none is given.
var defaultNames = []string{".fencepost.yaml", ".fencepost.yml"}

// Names are the files that a configuration may be in: the one given, or those looked for.
func Names(given string) []string {
	if given != "" {
		return []string{given}
	}
	return defaultNames
}

const maxSize = 64 << 10

// Load reads the configuration at path, or with path "" the tree's own. A tree without one has the zero Config.
func Load(tree *source.Tree, path string) (*Config, error) { return LoadWith(tree.Read, path) }

// LoadWith is Load with files read by read, which returns fs.ErrNotExist for one that is not there.
func LoadWith(read func(name string) (*source.File, error), path string) (*Config, error) {
	for _, name := range Names(path) {
		f, err := read(name)
		if path == "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
		return Parse(f)
	}
	return &Config{}, nil
}

// Match reports whether a file is to be checked: some include pattern matches (or there is none), and no exclude pattern
// does. A pattern matches the whole name from the root on; "dir/" means everything below dir.
func (c *Config) Match(name string) bool {
	if len(c.Include) > 0 && !matchAny(c.Include, name) {
		return false
	}
	return !matchAny(c.Exclude, name)
}

func matchAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if strings.HasSuffix(p, "/") {
			p += "**"
		}
		if doublestar.MatchUnvalidated(p, name) {
			return true
		}
	}
	return false
}

// CheckRules returns an error for the first rule the file names that is not among the known identifiers.
func (c *Config) CheckRules(known []string) error {
	isKnown := map[string]bool{}
	for _, id := range known {
		isKnown[id] = true
	}
	first := ""
	for id := range c.Rules {
		if !isKnown[id] && (first == "" || c.ruleLines[id] < c.ruleLines[first]) {
			first = id
		}
	}
	if first == "" {
		return nil
	}
	return fmt.Errorf("%s:%d: there is no rule %s%s", c.Path, c.ruleLines[first], first, suggest(first, known))
}
