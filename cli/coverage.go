package cli

import (
	"context"
	"errors"
	"path"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/report"
)

// coverageFlags are the flags of coverage.
type coverageFlags struct {
	searchFlags
	format string
	timing bool
}

func (a *app) coverageCommand(ctx context.Context, args []string) (int, error) {
	c := coverageFlags{format: "text"}
	f := a.newFlags("coverage")
	c.register(f, check.Explore)
	c.registerRun(f)
	f.Var(choice{&c.format, []string{"text", "json", "markdown"}}, "format", "")
	f.BoolVar(&c.noCache, "no-cache", false, "")
	f.BoolVar(&c.timing, "timing", false, "")
	paths, err := f.parse(args)
	if errors.Is(err, errHelp) {
		return ExitClean, a.print(coverageUsage)
	}
	if err != nil {
		return 0, err
	}
	c.set = f.given()
	c.set["engine"] = true // the default is coverage's own: asking SPIN of every suspect changes no status
	var r finding.Report
	if written := reportsAmong(paths); len(written) > 0 {
		if len(written) < len(paths) {
			return 0, usagef("coverage counts either reports (FILE.json) or kernels, not both in one run")
		}
		if r, err = joined(written); err != nil {
			return 0, err
		}
		return ExitClean, a.writeCoverage(&c, r)
	}
	r, runErr := a.covered(ctx, &c, paths)
	if isUsage(runErr) {
		return 0, usagef("%v", runErr)
	}
	var usage *usageError
	if errors.As(runErr, &usage) {
		return 0, runErr
	}
	if err := a.writeCoverage(&c, r); err != nil {
		return ExitInternal, err
	}
	return ExitClean, runErr
}

// covered checks the kernels below the paths. What was counted is kept even when the run did not finish.
func (a *app) covered(ctx context.Context, c *coverageFlags, paths []string) (finding.Report, error) {
	tree, cfg, err := c.open(paths)
	if err != nil {
		return finding.Report{}, err
	}
	defer tree.Close()
	opt, err := c.options(tree, cfg, paths)
	if err != nil {
		return finding.Report{}, err
	}
	ctx, stop := c.until(ctx)
	defer stop()
	return a.search(ctx, &c.searchFlags, opt)
}

func (a *app) writeCoverage(c *coverageFlags, r finding.Report) error {
	cover := finding.Cover(r.Kernels)
	switch c.format {
	case "json":
		return report.CoverageJSON(a.stdout, cover, c.timing)
	case "markdown":
		return report.CoverageMarkdown(a.stdout, cover, c.timing)
	}
	return report.CoverageText(a.stdout, cover, c.timing)
}

// reportsAmong picks the reports among the paths: no kernel language has their extension.
func reportsAmong(paths []string) []string {
	var out []string
	for _, p := range paths {
		if path.Ext(p) == ".json" {
			out = append(out, p)
		}
	}
	return out
}
