package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/report"
)

// isTerminal reports whether a stream is a terminal. A character device that is none (/dev/null) gets neither colour
// nor progress either, because TERM is checked beside it.
func (a *app) isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || a.getenv("TERM") == "" || a.getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// colored decides whether text on standard output has colour.
func (a *app) colored(flag string) bool {
	return report.UseColor(flag, a.getenv, a.isTerminal(a.stdout))
}

// bar is the progress line: on a terminal, and only once a run has taken a second.
type bar struct {
	w     io.Writer
	start time.Time
	mu    sync.Mutex
	last  time.Time
	shown bool
}

func (a *app) progress(quiet bool) *bar {
	b := &bar{start: time.Now()}
	if !quiet && a.isTerminal(a.stderr) {
		b.w = a.stderr
	}
	return b
}

func (b *bar) step(done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.w == nil || now.Sub(b.start) < time.Second || now.Sub(b.last) < 100*time.Millisecond {
		return
	}
	b.last, b.shown = now, true
	fmt.Fprintf(b.w, "\r\x1b[Kfencepost: %d of %d files", done, total)
}

func (b *bar) clear() {
	if b.shown {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

func (a *app) print(text string) error {
	_, err := io.WriteString(a.stdout, text)
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
