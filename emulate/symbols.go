package emulate

import "sync"

// computation is what a symbol stands for: an operation on the functions of other symbols and on constants.
type computation struct {
	op   opcode
	t, u typ
	a, b symbol
	k    int64
}

// maxSymbols bounds the table; beyond it results are unknown.
const maxSymbols = 1 << 20

// firstSymbol is the first number of a symbol; below it are known integers, told apart by their width where they are
// written.
const firstSymbol = 64

// symbols numbers computations, so that lanes, warps and CTAs agree on which values are surely the same.
type symbols struct {
	mu    sync.Mutex
	table map[computation]symbol
}

func newSymbols() *symbols { return &symbols{table: map[computation]symbol{}} }

func (s *symbols) of(c computation) symbol {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.table[c]
	if !ok {
		if len(s.table) >= maxSymbols {
			return unknown
		}
		n = symbol(len(s.table)) + firstSymbol
		s.table[c] = n
	}
	return n
}
