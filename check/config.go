package check

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
)

// withConfig adds what was found in one more configuration to a kernel's line. A violation makes the kernel's verdict, and
// so does a launch of the host code that was not decided, and a configuration that was not and that alone runs some statement;
// any other configuration that was not is named among the bounds, since the verdict does not speak of it.
func withConfig(all, one finding.Kernel, k *kernelResult) finding.Kernel {
	config := k.Config
	needed := k.Asked || len(k.Closes) > 0
	all.States += one.States
	all.Millis += one.Millis
	for _, e := range one.Engines {
		if !slices.Contains(all.Engines, e) {
			all.Engines = append(all.Engines, e)
		}
	}
	all.Properties, all.Only = maps.Clone(all.Properties), maps.Clone(all.Only)
	for p, v := range one.Properties {
		switch {
		case v == engine.Inconclusive.String() && needed && all.Properties[p] == engine.Holds.String():
			all.Properties[p] = v
		case v != engine.Violated.String():
		case all.Properties[p] != v:
			all.Properties[p] = v
			if only := one.Only[p]; only != "" {
				all.Only = withOnly(all.Only, p, only)
			}
		case one.Only[p] == "":
			delete(all.Only, p)
		}
	}
	for _, o := range one.Open {
		if all.Leave(o); all.Properties[o.Property] != engine.Violated.String() {
			all.Properties[o.Property] = finding.IsOpen
		}
	}
	switch one.Verdict {
	case engine.Violated.String():
		all.Verdict = one.Verdict
		all.Reasons, all.Codes = []string{}, nil
	case engine.Inconclusive.String():
		all.Bounds = maps.Clone(all.Bounds)
		const name = "configurations not decided"
		if all.Bounds[name] != "" {
			config = all.Bounds[name] + "; " + config
		}
		all.Bounds[name] = config
		if needed && all.Verdict != engine.Violated.String() {
			all.Verdict, all.Reasons, all.Codes, all.Open = one.Verdict, slices.Concat(all.Reasons, one.Reasons), slices.Concat(all.Codes, one.Codes), nil
		}
	}
	return all
}

func withOnly(all map[string]string, p, only string) map[string]string {
	if all == nil {
		all = map[string]string{}
	}
	all[p] = only
	return all
}
