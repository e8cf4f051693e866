package config

import (
	"fmt"
	"strings"
)

// suggest names the key that was probably meant, or lists all of them.
func suggest(given string, known []string) string {
	best, distance := "", 4
	for _, k := range known {
		if d := edits(given, k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" && distance < len(best) {
		return fmt.Sprintf(" (did you mean %s?)", best)
	}
	if len(known) > 12 {
		return ""
	}
	return fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
}

// edits is the Levenshtein distance, of the first bytes only: a key comes from a stranger.
func edits(a, b string) int {
	const most = 40
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
