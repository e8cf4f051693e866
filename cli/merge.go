package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/report"
)

func (a *app) mergeCommand(ctx context.Context, args []string) (int, error) {
	var format, color string
	var statistics, verbose bool
	var fails failOn
	var outs list
	f := a.newFlags("merge")
	f.Var(choice{&format, formats}, "format", "")
	f.Var(&outs, "output", "")
	f.Var(choice{&color, []string{"auto", "always", "never"}}, "color", "")
	f.Var(&fails, "fail-on", "")
	f.BoolVar(&statistics, "statistics", false, "")
	f.BoolVar(&verbose, "v", false, "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(mergeUsage)
	}
	if err != nil {
		return 0, err
	}
	if len(paths) == 0 {
		return 0, usagef("merge needs at least one report; for example: fencepost merge shard-1.json shard-2.json")
	}
	where, err := outputs(format, outs)
	if err != nil {
		return 0, err
	}
	merged, err := joined(paths)
	if err != nil {
		return 0, err
	}
	if fails.Inconclusive {
		merged.Findings = finding.Dedupe(append(merged.Findings, finding.Undecided(merged.Kernels)...))
		merged.Count()
	}
	if err := a.writeReports(where, merged, rendering{color: color, statistics: statistics, verbose: verbose}); err != nil {
		return ExitInternal, err
	}
	return fails.code(merged), nil
}

// joined reads reports and joins them into one.
func joined(paths []string) (finding.Report, error) {
	var reports []finding.Report
	for _, p := range paths {
		r, err := readReport(p)
		if err != nil {
			return finding.Report{}, usagef("%v", err)
		}
		reports = append(reports, r)
	}
	return finding.Merge(reports...), nil
}

// readReport reads a report that `--format json` wrote.
func readReport(path string) (finding.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return finding.Report{}, fmt.Errorf("read report: %w", err)
	}
	defer f.Close()
	r, err := report.ReadJSON(f)
	if err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
