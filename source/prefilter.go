package source

import (
	"bytes"
	"strings"
)

// Words one of which stands in every text that synchronizes anything, in any of the languages and libraries, upper or
// lower case. They are parts of names: "sync" finds __syncthreads, bar.sync, cp_async and PipelineTmaAsync.
var syncTokens = []string{
	"barrier", "sync", "fence", "atomic", "arrive", "wait", "pipeline", "elect_one", "expect_tx", "complete_tx", "acquire", "release",
	"relaxed", "volatile", "__shared__", "griddepcontrol", "tcgen05", "nanosleep", "red.global", "bar.red", "mapa.", "mapa_",
}

// tokenBlock is the length of the shortest token. The search looks at two bytes and moves on by up to tokenBlock-1
// (Wu and Manber's multi-pattern search), which reads a third of the text and beats one bytes.Contains a token
// several times over.
const tokenBlock = 4

var syncSearch = NewSearch(syncTokens...)

// HasSync reports whether the text may synchronize: whether a token of synchronization, or one of the extra words (the
// user's wrappers), stands anywhere in it. Files without one are not parsed.
func HasSync(data []byte, extra ...string) bool {
	if syncSearch.In(data) {
		return true
	}
	for _, word := range extra {
		if word != "" && bytes.Contains(data, []byte(word)) {
			return true
		}
	}
	return false
}

// Search looks for words in texts, upper or lower case: parts of names, too.
type Search struct {
	shift  [1 << 16]uint8 // by two bytes: how far the window may move; 0: a token may be here
	tokens map[uint16][][]byte
}

// NewSearch takes words of lower-case letters and at least tokenBlock bytes.
func NewSearch(tokens ...string) *Search {
	s := &Search{tokens: map[uint16][][]byte{}}
	for i := range s.shift {
		s.shift[i] = tokenBlock - 1
	}
	for _, token := range tokens {
		for i := 0; i+1 < tokenBlock; i++ {
			for _, key := range cases(token[i], token[i+1]) {
				distance := uint8(tokenBlock - 2 - i)
				s.shift[key] = min(s.shift[key], distance)
				if distance == 0 {
					s.tokens[key] = append(s.tokens[key], []byte(token))
				}
			}
		}
	}
	return s
}

// cases returns the keys of two lower-case bytes in every mix of cases, each once.
func cases(a, b byte) []uint16 {
	var keys []uint16
	for _, x := range both(a) {
		for _, y := range both(b) {
			keys = append(keys, uint16(x)<<8|uint16(y))
		}
	}
	return keys
}

func both(b byte) string {
	s := string(rune(b))
	if upper := strings.ToUpper(s); upper != s {
		return s + upper
	}
	return s
}

// In reports whether one of the words stands in a text.
func (s *Search) In(data []byte) bool {
	for i := tokenBlock - 1; i < len(data); {
		key := uint16(data[i-1])<<8 | uint16(data[i])
		if n := s.shift[key]; n > 0 {
			i += int(n)
			continue
		}
		rest := data[i-tokenBlock+1:]
		for _, token := range s.tokens[key] {
			if len(rest) >= len(token) && bytes.EqualFold(rest[:len(token)], token) {
				return true
			}
		}
		i++
	}
	return false
}
