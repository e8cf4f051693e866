package rules

import (
	"fmt"
	"regexp"
	"strings"
)

// headings are the sections every page has, in order.
var headings = []string{"What it finds", "Why it hangs or corrupts", "Bad", "Good", "How it is proved", "Limits", "References"}

var (
	idPattern   = regexp.MustCompile(`^FP[1-9][0-9]{2}$`)
	namePattern = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
)

// validate checks the registry: IDs in order and unique, names, and a complete page for every rule.
func validate() error {
	names := map[string]bool{}
	for i, r := range all {
		switch {
		case !idPattern.MatchString(r.ID):
			return fmt.Errorf("rule %q: IDs have the form FP101", r.ID)
		case i > 0 && all[i-1].ID >= r.ID:
			return fmt.Errorf("rule %s: listed after %s; keep All sorted, IDs are never reused", r.ID, all[i-1].ID)
		case !namePattern.MatchString(r.Name) || names[r.Name]:
			return fmt.Errorf("rule %s: name %q is not a unique lower-case-with-dashes name", r.ID, r.Name)
		case r.Run != nil && r.Property != "":
			return fmt.Errorf("rule %s: has both Run and Property", r.ID)
		case r.Run == nil && r.Property == "" && !r.Lowered && !strings.HasPrefix(r.ID, "FP9"):
			return fmt.Errorf("rule %s: nothing runs it", r.ID)
		}
		names[r.Name] = true
		if err := r.validatePage(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) validatePage() error {
	page, at := r.Page(), 0
	if !strings.HasPrefix(page, "# "+r.ID+": "+r.Name+"\n") {
		return fmt.Errorf("rule %s: doc/%s.md must begin with \"# %s: %s\"", r.ID, r.ID, r.ID, r.Name)
	}
	for _, h := range headings {
		i := strings.Index(page[at:], "\n## "+h+"\n")
		if i < 0 {
			return fmt.Errorf("rule %s: doc/%s.md lacks the heading \"## %s\" in its place", r.ID, r.ID, h)
		}
		at += i + 1
	}
	return nil
}
