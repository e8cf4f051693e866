package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/fencepost-dev/fencepost/source"
)

// Fingerprint fills LineHash and Identity of every finding whose file can be had; file may return nil. The list must be
// sorted: equal identities in one file are numbered in order.
func Fingerprint(fs []Finding, file func(path string) *source.File) {
	hashes := map[string][]string{}
	seen := map[string]int{}
	type place struct {
		path string
		line int
	}
	words := map[place]string{} // of each line, its blanks evened out: a long line may have a finding for every few bytes
	for i := range fs {
		f := &fs[i]
		src := file(f.Path)
		if src == nil {
			continue
		}
		lines, ok := hashes[f.Path]
		if !ok {
			lines = LineHashes(src)
			hashes[f.Path] = lines
		}
		if f.Line >= 1 && f.Line <= len(lines) {
			f.LineHash = lines[f.Line-1]
		}
		at := place{f.Path, f.Line}
		if _, ok := words[at]; !ok {
			words[at] = strings.Join(strings.Fields(src.Line(f.Line)), " ")
			if sum := sha256.Sum256([]byte(words[at])); len(words[at]) > longLine {
				words[at] = string(sum[:])
			}
		}
		key := identity(f, words[at])
		seen[key]++
		f.Identity = key + ":" + strconv.Itoa(seen[key])
	}
}

// identity names a finding by what it is about and not by where it stands, so that it survives lines moving above it.
func identity(f *Finding, line string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", f.Rule, f.Path, f.Kernel, line))
	return hex.EncodeToString(sum[:16])
}

const (
	longLine  = 4096 // bytes: of more, the digest stands for the words
	hashBlock = 100
	hashBase  = 37
	hashEnd   = 65535 // stands for the end of the file
)

// LineHashes returns GitHub's primaryLocationLineHash of every line, counted as GitHub counts them here: "\n", "\r\n" and
// a lone "\r" end a line, and a final terminator begins another one.
//
// GitHub's definition (codeql-action, src/fingerprints.ts, re-derived in notes/anchors.md B3): leave out blanks and tabs,
// turn every line end into "\n", take the text as UTF-16 code units followed by 65535 and zeros; a line's hash is that of the
// 100 units u from its start, Σ u[i]·37^(99-i) mod 2^64, and the running number of that hash in the file is added.
func LineHashes(f *source.File) []string {
	h := lineHasher{top: 1, seen: map[uint64]int{}}
	for range hashBlock {
		h.top *= hashBase
	}
	h.startsLine = true
	if f.BOM {
		h.unit(0xFEFF) // GitHub reads the mark as a character of the first line
	}
	for _, r := range string(f.Written()) {
		if r1, r2 := utf16.EncodeRune(r); r > 0xFFFF {
			h.unit(uint16(r1))
			h.unit(uint16(r2))
		} else {
			h.unit(uint16(r))
		}
	}
	h.unit(hashEnd)
	for range hashBlock {
		h.push(0, false)
	}
	return h.hashes
}

// lineHasher rolls the hash over a window of hashBlock units; a line's hash is known when its first unit leaves the window.
type lineHasher struct {
	window     [hashBlock]uint16
	first      [hashBlock]bool // the unit is the first of a line
	at         int
	sum, top   uint64
	startsLine bool // the next unit is
	afterCR    bool
	seen       map[uint64]int
	hashes     []string
}

func (h *lineHasher) unit(u uint16) {
	if u == ' ' || u == '\t' || h.afterCR && u == '\n' {
		h.afterCR = false
		return
	}
	if h.afterCR = u == '\r'; h.afterCR {
		u = '\n'
	}
	first := h.startsLine
	h.startsLine = u == '\n'
	h.push(u, first)
}

func (h *lineHasher) push(u uint16, first bool) {
	if h.first[h.at] {
		h.seen[h.sum]++
		h.hashes = append(h.hashes, strconv.FormatUint(h.sum, 16)+":"+strconv.Itoa(h.seen[h.sum]))
	}
	h.sum = h.sum*hashBase + uint64(u) - h.top*uint64(h.window[h.at])
	h.window[h.at], h.first[h.at] = u, first
	h.at = (h.at + 1) % hashBlock
}
