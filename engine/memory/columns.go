package memory

import (
	"fmt"
	"strings"
)

// Columns writes threads, each with its place and its instructions, as the table of a litmus test.
func Columns(threads [][]string) string {
	var b strings.Builder
	width, rows := make([]int, len(threads)), 0
	for i, c := range threads {
		rows = max(rows, len(c))
		for _, cell := range c {
			width[i] = max(width[i], len(cell))
		}
	}
	for row := range rows {
		for i, c := range threads {
			cell, end := "", " |"
			if row < len(c) {
				cell = c[row]
			}
			if i == len(threads)-1 {
				end = " ;\n"
			}
			fmt.Fprintf(&b, " %-*s%s", width[i], cell, end)
		}
	}
	return b.String()
}
