package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/report"
	"github.com/fencepost-dev/fencepost/rules"
	"github.com/fencepost-dev/fencepost/sarif"
)

func (a *app) explainCommand(ctx context.Context, args []string) (int, error) {
	rest, err := a.newFlags("explain").parse(args)
	switch {
	case errors.Is(err, errHelp):
		return ExitClean, a.print("usage: fencepost explain ID\n\nPrints the page of a rule, or of a reason why a kernel is inconclusive, or what a property of a kernel is.\n\nexamples:\n  fencepost explain FP101\n  fencepost explain L007\n  fencepost explain lifetime\n")
	case err != nil:
		return 0, err
	case len(rest) != 1:
		return 0, usagef("explain takes one rule, or one reason of inconclusive; for example: fencepost explain FP101")
	}
	var known []string
	for _, r := range rules.All() {
		if strings.EqualFold(r.ID, rest[0]) || strings.EqualFold(r.Name, rest[0]) {
			return ExitClean, a.print(r.Page())
		}
		known = append(known, r.ID, r.Name)
	}
	for _, c := range limit.All() {
		if strings.EqualFold(c.String(), rest[0]) || strings.EqualFold(c.Name(), rest[0]) {
			return ExitClean, a.print(c.Page())
		}
		known = append(known, c.String(), c.Name())
	}
	for _, p := range finding.Properties {
		if strings.EqualFold(p.Name, rest[0]) {
			return ExitClean, a.print(property(p))
		}
		known = append(known, p.Name)
	}
	near := nearest(rest[0], known)
	if id := nearest(strings.ToUpper(rest[0]), known); near == "" {
		near = id
	}
	if near == "" {
		return 0, usagef("no rule and no reason %q; `fencepost rules` lists them", rest[0])
	}
	return 0, usagef("no rule %q; did you mean %s?", rest[0], near)
}

// property is the page of a property.
func property(p finding.Property) string {
	text := fmt.Sprintf("# %s: %s\n\n%s\n", p.Name, p.Words, p.Text)
	var told []string
	for _, r := range rules.All() {
		if r.About() == p.Name || slices.Contains(r.Suspects, protocol.Property(p.Name)) {
			told = append(told, fmt.Sprintf("- %s %s\n", r.ID, r.Name))
		}
	}
	if len(told) > 0 {
		text += "\n## Rules that speak of it\n\n" + strings.Join(told, "")
	}
	return text
}

func (a *app) rulesCommand(ctx context.Context, args []string) (int, error) {
	rest, err := a.newFlags("rules").parse(args)
	switch {
	case errors.Is(err, errHelp):
		return ExitClean, a.print("usage: fencepost rules\n\nLists every rule: its ID, severity and name, and how it is decided.\n")
	case err != nil:
		return 0, err
	case len(rest) > 0:
		return 0, usagef("rules takes no argument; for the page of one: fencepost explain %s", rest[0])
	}
	for _, r := range rules.All() {
		how := "pattern"
		switch {
		case len(r.Suspects) > 0:
			how = "pattern, decided by an engine"
		case r.Property != "":
			how = "engine: " + string(r.Property)
		case r.Run == nil:
			how = "the tool's own"
		}
		if _, err := fmt.Fprintf(a.stdout, "%s  %-8s %-36s %s\n", r.ID, r.Severity, r.Name, how); err != nil {
			return ExitInternal, err
		}
	}
	return ExitClean, nil
}

func (a *app) versionCommand(ctx context.Context, args []string) (int, error) {
	line := "fencepost " + version()
	if path, cc, ok := spin.Available(); ok {
		line += fmt.Sprintf("\nSPIN: %s, compiler: %s", path, cc)
	} else {
		line += "\nSPIN: not installed (the embedded engine needs nothing)"
	}
	return ExitClean, a.print(line + "\n")
}

// released is the tag that a release is built from; the linker sets it.
var released string

// version is the tag of a release, or the module version that Go stamped into the program, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	switch {
	case released != "":
		return released
	case !ok:
		return "devel"
	}
	return stamped(info)
}

func stamped(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, edited := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			edited = "-edited"
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision + edited
}

// sarifMeta lists every rule for the SARIF file.
func sarifMeta(incomplete bool) sarif.Meta {
	meta := sarif.Meta{Version: version(), Incomplete: incomplete}
	for _, r := range rules.All() {
		page := r.Page()
		// An engine or a form that is wrong on its face decides the one kind; a suspicion of memory order stays one.
		precision := "high"
		if r.Severity < finding.Error {
			precision = "medium"
		}
		meta.Rules = append(meta.Rules, sarif.Rule{
			ID: r.ID, Name: r.Name, Short: firstSentence(page, r.Name), Help: page, URI: report.RulePage(r.ID), Severity: r.Severity, Precision: precision,
		})
	}
	return meta
}

// firstSentence is the first sentence of a page's first paragraph, or the rule's name where a page has none.
func firstSentence(page, name string) string {
	for _, line := range strings.Split(page, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if i := strings.Index(line, ". "); i > 0 {
			line = line[:i+1]
		}
		return strings.ReplaceAll(line, "`", "")
	}
	return name
}
