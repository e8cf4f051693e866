package cli

import (
	"bytes"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/report"
	"github.com/fencepost-dev/fencepost/sarif"
	"github.com/fencepost-dev/fencepost/source"
)

// formats are the ways a report is written.
var formats = []string{"text", "json", "sarif", "github", "markdown", "rdjson", "junit", "gitlab", "checkstyle", "html", "outputs"}

// output is one report to write: a format and a file, "-" for standard output.
type output struct{ format, path string }

// outputs reads --format and every --output. Without either it is text on standard output.
func outputs(format string, given []string) ([]output, error) {
	var outs []output
	if format != "" {
		outs = append(outs, output{format, "-"})
	}
	for _, g := range given {
		name, path, ok := strings.Cut(g, "=")
		if !ok || path == "" {
			return nil, usagef("flag --output: %q: want FORMAT=PATH, for example sarif=fencepost.sarif (a path of - is standard output)", g)
		}
		known := false
		for _, f := range formats {
			known = known || f == name
		}
		if !known {
			return nil, usagef("flag --output: no format %q; the formats are %s", name, strings.Join(formats, ", "))
		}
		outs = append(outs, output{name, path})
	}
	if len(outs) == 0 {
		outs = []output{{"text", "-"}}
	}
	return outs, nil
}

// rendering is what a report is written with besides itself.
type rendering struct {
	tree       *source.Tree // for snippets; nil without
	color      string       // the flag
	incomplete bool         // the run did not finish
	statistics bool         // counts in the place of findings
	verbose    bool         // all bounds, and engines with their times
}

// writeReports writes every output. A file is written whole or not at all: it is composed first, and replaces what was there.
func (a *app) writeReports(outs []output, r finding.Report, with rendering) error {
	for _, o := range outs {
		if o.path == "-" {
			if err := a.writeReport(a.stdout, o.format, r, with, a.colored(with.color)); err != nil {
				return fmt.Errorf("write %s to standard output: %w", o.format, err)
			}
			continue
		}
		var text bytes.Buffer
		if err := a.writeReport(&text, o.format, r, with, false); err != nil {
			return fmt.Errorf("write %s: %w", o.path, err)
		}
		if err := a.replace(o.path, text.Bytes(), with.tree); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) writeReport(w io.Writer, format string, r finding.Report, with rendering, color bool) error {
	switch format {
	case "json":
		return report.JSON(w, r)
	case "sarif":
		return sarif.Write(w, r, sarifMeta(with.incomplete))
	case "github":
		return report.GitHub(w, r)
	case "markdown":
		return report.Markdown(w, r)
	case "rdjson":
		return report.RDJSON(w, r, snippets(with.tree))
	case "junit":
		return report.JUnit(w, r)
	case "gitlab":
		return report.GitLab(w, r)
	case "checkstyle":
		return report.Checkstyle(w, r)
	case "html":
		return report.HTML(w, r, report.Options{Snippet: snippets(with.tree)})
	case "outputs":
		return writeOutputs(w, r)
	}
	return report.Text(w, r, report.Options{Color: color, Snippet: snippets(with.tree), Statistics: with.statistics, Verbose: with.verbose})
}

// writeOutputs prints lines for GITHUB_OUTPUT. They hold numbers and fixed words only: a value from the source could
// otherwise set further outputs.
func writeOutputs(w io.Writer, r finding.Report) error {
	verdicts := make([]string, 0, len(r.Summary.Verdicts))
	for v, n := range r.Summary.Verdicts {
		verdicts = append(verdicts, fmt.Sprintf("%s=%d", v, n))
	}
	if n := r.Summary.Open; n > 0 {
		verdicts = append(verdicts, fmt.Sprintf("open=%d", n))
	}
	sort.Strings(verdicts)
	shown := 0
	for _, f := range r.Findings {
		if !f.Cleared {
			shown++
		}
	}
	_, err := fmt.Fprintf(w, "findings=%d\nverdicts=%s\n", shown, strings.Join(verdicts, " "))
	return err
}

// snippets returns a reader of single source lines that keeps the file it read last.
func snippets(tree *source.Tree) func(path string, line int) string {
	files := map[string]*source.File{}
	return func(path string, line int) string {
		if tree == nil {
			return ""
		}
		f, ok := files[path]
		if !ok {
			f, _ = tree.Read(path) // a file that went away has no snippet
			files[path] = f
		}
		if f == nil {
			return ""
		}
		return f.Line(line)
	}
}
