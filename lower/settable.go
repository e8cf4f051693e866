package lower

import (
	"maps"
	"slices"
	"sync"
)

// Settable collects the constants and parameters of kernels that Options.Set may replace, and which of them it did. Files that are lowered
// side by side share one. A nil one collects nothing.
type Settable struct {
	mu    sync.Mutex
	names map[string]bool // whether it was set
}

// Note says that a kernel has a constant or a parameter, and whether it was set.
func (s *Settable) Note(name string, set bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]bool{}
	}
	s.names[name] = s.names[name] || set
}

// Unused lists the names that were given and that nothing asked for, and all that could have been given.
func (s *Settable) Unused(given map[string]string) (unused, known []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !s.names[name] {
			unused = append(unused, name)
		}
	}
	return unused, slices.Sorted(maps.Keys(s.names))
}
