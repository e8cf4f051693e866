package random

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/judge/kernel"
)

// drawn is how many kernels of a language are drawn where nobody says otherwise.
const drawn = 100

// count is how many kernels of a language are drawn: FENCEPOST_KERNELS=100000 is the long run (make random).
func count(t *testing.T) uint64 {
	text := os.Getenv("FENCEPOST_KERNELS")
	if text == "" {
		return drawn
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func first() uint64 {
	n, _ := strconv.ParseUint(os.Getenv("FENCEPOST_SEED"), 10, 32)
	return n
}

// shrinks is how many disagreements are made small, which takes seconds: FENCEPOST_SHRINK says another number.
func shrinks() int32 {
	if n, err := strconv.ParseInt(os.Getenv("FENCEPOST_SHRINK"), 10, 32); err == nil {
		return int32(n)
	}
	return 8
}

// disagreements are those that FENCEPOST_KNOWN lists, "CUDA 17" in a line: faults.sh looks for others.
func disagreements(t *testing.T) map[string]bool {
	known := map[string]bool{}
	if path := os.Getenv("FENCEPOST_KNOWN"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			known[strings.TrimSpace(line)] = true
		}
	}
	return known
}

var numbers = regexp.MustCompile(`"[^"]*"|[a-zA-Z_]*[0-9]+`)

// Every kernel is executed by the reference and checked by fencepost, which must not say that a broken one holds, or find an error in
// a right one.
func TestKernels(t *testing.T) {
	for _, language := range []kernel.Language{kernel.CUDA, kernel.CuTe} {
		t.Run(language.String(), func(t *testing.T) { compareAll(t, language) })
	}
}

func compareAll(t *testing.T, language kernel.Language) {
	n, from, every := count(t), first(), uint64(whole)
	if n > 1000 {
		every *= 8
	}
	once, known := os.Getenv("FENCEPOST_ONCE") != "", disagreements(t)
	var found atomic.Bool
	start := time.Now()
	classes, reasons := map[Class]int{}, map[string]int{}
	var mu sync.Mutex
	var shrunk atomic.Int32
	var group sync.WaitGroup
	seeds := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		b, err := NewBench(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		group.Add(1)
		go func() {
			defer group.Done()
			defer b.Close()
			for seed := range seeds {
				if known[fmt.Sprintf("%s %d", language, seed)] || once && found.Load() {
					continue
				}
				k := Draw(language, seed)
				limit := states
				if seed%every == 0 {
					limit = 0
				}
				class, answer, says, err := b.Compare(k, limit)
				var small *kernel.Kernel
				if class == WrongHolds || class == FalseError {
					found.Store(true)
					small = k
					if shrunk.Add(1) <= shrinks() { // it takes a second
						small = b.Shrink(k, class, limit)
					}
					_, answer, says, _ = b.Compare(small, limit)
				}
				mu.Lock()
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				classes[class]++
				switch class {
				case WrongHolds, FalseError:
					keep(t, language, seed, class, fmt.Sprintf("%v %q\n%s %s\n%s", answer.Break, answer.Undefined, says.Verdict, says.Text, small.Text()))
				case RightOpen, RightDead, BrokenOpen, BrokenBeside, BrokenWarned, RightWarned:
					if os.Getenv("FENCEPOST_KEEP_ALL") != "" {
						keep(t, language, seed, class, fmt.Sprintf("%v %q\n%s %s %s\n%s", answer.Break, answer.Undefined, says.Verdict, says.Reason, says.Text, k.Text()))
					}
					reasons[string(class)+": "+numbers.ReplaceAllString(says.Reason, "…")]++
				case Meaningless:
					reasons[string(class)+": "+numbers.ReplaceAllString(answer.Undefined+answer.Vague, "…")]++
				}
				mu.Unlock()
			}
		}()
	}
	for seed := from; seed < from+n; seed++ {
		seeds <- seed
	}
	close(seeds)
	group.Wait()
	for _, c := range sorted(classes) {
		t.Logf("%6d %s", classes[Class(c)], c)
	}
	for _, r := range sorted(reasons) {
		t.Logf("%6d %s", reasons[r], r)
	}
	t.Logf("%.1f ms a kernel", float64(time.Since(start).Milliseconds())/float64(n))
}

func sorted[K ~string](m map[K]int) (keys []K) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b K) int { return m[b] - m[a] })
	return keys
}

// keep reports a disagreement, and writes it where FENCEPOST_KEEP says.
func keep(t *testing.T, language kernel.Language, seed uint64, class Class, text string) {
	dir := os.Getenv("FENCEPOST_KEEP")
	if class == WrongHolds || class == FalseError {
		t.Errorf("%s, %s %d, %s", class, language, seed, text)
	}
	if dir == "" {
		return
	}
	name := fmt.Sprintf("%.5s-%d%s", class, seed, language.Extension())
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Error(err)
	}
}
