package cli

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/ir/exec"
)

// stated is a launch that is stated for the kernels whose names match a pattern: '*gemm*=grid:[4,1],block:[8,8]'.
type stated struct {
	pattern string
	with    func(*exec.Launch)
	used    bool
}

// statedList is a flag that may be given several times.
type statedList []*stated

func (l *statedList) String() string { return "" }

var errLaunch = errors.New("want a pattern of kernel names and extents, for example '*=grid:[1,1],block:[8,8]'")

// Set reads one.
func (l *statedList) Set(text string) error {
	pattern, shape, ok := strings.Cut(text, "=")
	if _, err := path.Match(pattern, ""); err != nil || !ok || pattern == "" || shape == "" {
		return errLaunch
	}
	extents := map[string][3]int{}
	for shape != "" {
		name, rest, ok := strings.Cut(shape, ":[")
		list, rest, closed := strings.Cut(rest, "]")
		_, again := extents[name]
		if !ok || !closed || again || name != "grid" && name != "block" && name != "cluster" {
			return errLaunch
		}
		var e extent
		if err := e.Set(list); err != nil {
			return err
		}
		for _, n := range e {
			if n < 1 {
				return errors.New("extents are 1 or more, not " + strconv.Itoa(n))
			}
		}
		extents[name] = e
		if shape = strings.TrimPrefix(rest, ","); rest != "" && (shape == rest || shape == "") {
			return errLaunch
		}
	}
	*l = append(*l, &stated{pattern: pattern, with: func(l *exec.Launch) {
		for name, to := range map[string]*[3]int{"grid": &l.Grid, "block": &l.Block, "cluster": &l.Cluster} {
			if e, said := extents[name]; said {
				*to = e
			}
		}
	}})
	return nil
}

// apply puts into a launch what the first pattern says that a kernel's name matches.
func (l statedList) apply(kernel string, to *exec.Launch) {
	for _, s := range l {
		if ok, _ := path.Match(s.pattern, kernel); ok {
			s.used = true
			s.with(to)
			return
		}
	}
}

// unused is the first pattern that no kernel matched; "" if there is none.
func (l statedList) unused() string {
	for _, s := range l {
		if !s.used {
			return s.pattern
		}
	}
	return ""
}
