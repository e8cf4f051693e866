package check

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program/cuda"
)

// maxHeaders bounds how many headers one name is looked for in.
const maxHeaders = 512

// elsewhere is what is known of names where a file is read: behind headers that it includes as far as all these, and what they include, are files of the tree.
func (s *Sources) elsewhere(from string) *cuda.Elsewhere {
	known := map[string]cuda.Meaning{}
	return &cuda.Elsewhere{
		Built: s.built,
		Behind: func(headers []cuda.Header, name string) cuda.Meaning {
			return (&lookup{sources: s, reading: map[string]bool{}}).behind(from, headers, name, map[string]bool{})
		},
		Above: func(name string) cuda.Meaning {
			m, met := known[name]
			if !met {
				m = s.aboveOf(from, from, name, map[string]bool{from: true})
				known[name] = m
			}
			return m
		},
	}
}

// maxAsked bounds how many files that include one, directly or through others, are asked what they make of a name: a header that all include has none of its own.
const maxAsked = 64

// aboveOf is what a name is where files include one: they may define it before they do. Where they do not agree it is not known. asks is the file that asks, and does so where it is read
// for the first time: what it defines itself, a guard against being included again, does not count. seen are those that were asked.
func (s *Sources) aboveOf(asks, of, name string, seen map[string]bool) cuda.Meaning {
	none := cuda.Meaning{Known: true}
	var found *cuda.Meaning
	for _, from := range nearestTo(of, s.including(of)) {
		if len(seen) > maxAsked {
			break
		}
		if seen[from] {
			continue
		}
		seen[from] = true
		l := &lookup{sources: s, reading: map[string]bool{}}
		left := l.directives(from)
		if left == nil {
			continue
		}
		m, is, headers := left.Before(func(h cuda.Header) bool {
			at, _ := s.resolve(from, h)
			return at == of
		}, name)
		if !is {
			if m = l.behind(from, headers, name, map[string]bool{asks: true, of: true}); !m.Known && m.Foreign {
				m = none
			}
		}
		if m.Known && !m.Defined {
			m = s.aboveOf(asks, from, name, seen)
		}
		if found != nil && *found != m {
			return cuda.Meaning{}
		}
		found = &m
	}
	if found == nil {
		return none
	}
	return *found
}

// built is what the build makes of a name.
func (s *Sources) built(name string) cuda.Meaning {
	if slices.Contains(s.names, name) {
		return cuda.Meaning{Known: true, Defined: true, Text: "1"}
	}
	return cuda.Meaning{}
}

// lookup looks for one macro. What it reads on its way asks for others.
type lookup struct {
	sources *Sources
	reading map[string]bool // headers whose directives are being read: they include each other
	circle  bool            // one of these was asked for
	read    int
}

// behind is what a name is behind headers; seen are those that are known to say nothing of it.
func (l *lookup) behind(from string, headers []cuda.Header, name string, seen map[string]bool) cuda.Meaning {
	foreign := false
	for _, h := range slices.Backward(headers) {
		at, of := l.sources.resolve(from, h)
		if at == "" && of == 0 && !h.Quoted {
			foreign = true
			continue
		}
		if at == "" || of > 1 {
			return cuda.Meaning{}
		}
		if seen[at] {
			continue
		}
		if seen[at] = true; len(seen) > maxHeaders {
			return cuda.Meaning{}
		}
		if l.reading[at] {
			l.circle = true
			continue
		}
		left := l.directives(at)
		if left == nil {
			return cuda.Meaning{}
		}
		if m, found := left.Macro(name); found {
			return m
		}
		sure, perhaps := left.Headers()
		m := l.behind(at, sure, name, seen)
		if !m.Known && !m.Foreign || m.Defined {
			return m
		}
		foreign = foreign || m.Foreign
		if m = l.behind(at, perhaps, name, seen); !m.Known && !m.Foreign || m.Defined {
			return cuda.Meaning{}
		}
		foreign = foreign || m.Foreign
	}
	return cuda.Meaning{Known: !foreign, Foreign: foreign}
}

// directives are those of a file of the tree; nil: it is not read. They are kept, unless they are those of a circle that was entered elsewhere.
func (l *lookup) directives(name string) *cuda.Directives {
	s := l.sources
	s.mu.Lock()
	left, known := s.left[name]
	s.mu.Unlock()
	if known {
		return left
	}
	if l.read++; l.read > maxHeaders {
		return nil
	}
	o := s.outline(name)
	if o == nil {
		return nil
	}
	around := l.circle
	l.reading[name], l.circle = true, false
	left = o.Directives(&cuda.Elsewhere{Built: s.built, Behind: func(headers []cuda.Header, asked string) cuda.Meaning {
		return l.behind(name, headers, asked, map[string]bool{})
	}})
	delete(l.reading, name)
	if !l.circle || len(l.reading) == 0 {
		s.mu.Lock()
		s.left[name] = left
		s.mu.Unlock()
	}
	l.circle = l.circle || around
	return left
}

// keptOutlines bounds the text of files of which it is kept where their directives stand.
const keptOutlines = 64 << 20

// outline is where the directives of a file of the tree stand; nil: it is not read. Files that include each other are asked for by each lookup that enters their
// circle at another place.
func (t *texts) outline(name string) *cuda.Outline {
	t.outlining.Lock()
	o := t.outlines[name]
	t.outlining.Unlock()
	if o != nil {
		return o
	}
	f, err := t.tree.Read(name)
	if err != nil {
		return nil
	}
	o = cuda.OutlineOf(f)
	t.outlining.Lock()
	defer t.outlining.Unlock()
	if t.outlined += o.Size(); t.outlined > keptOutlines {
		clear(t.outlines)
		t.outlined = o.Size()
	}
	t.outlines[name] = o
	return o
}
