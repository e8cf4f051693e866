package check

import (
	"sync"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// shelvedBytes bounds the text of files that stand on the shelf at a time. A file is asked for by those of its folder, which are
// checked at about the same time.
const shelvedBytes = 8 << 20

// shelf has files parsed, for whoever asks for them next: a file is checked, and looked at beside others. Several goroutines may
// ask.
type shelf struct {
	mu    sync.Mutex
	files map[string]*shelved
	size  int
}

type shelved struct {
	mu   sync.Mutex
	tree *program.File
}

// read is Read, once for each file as long as it stands on the shelf.
func (s *shelf) read(f *source.File) (*program.File, error) {
	on := s.place(f)
	on.mu.Lock()
	defer on.mu.Unlock()
	var err error
	if on.tree == nil {
		on.tree, err = Read(f)
	}
	return on.tree, err
}

func (s *shelf) place(f *source.File) *shelved {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on := s.files[f.Name]; on != nil {
		return on
	}
	if s.size += len(f.Data); s.files == nil || s.size > shelvedBytes {
		s.files, s.size = map[string]*shelved{}, len(f.Data)
	}
	on := &shelved{}
	s.files[f.Name] = on
	return on
}
