package cuda

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// TestCorpus reads every CUDA file below the directories in FENCEPOST_TREES and prints the error rates that
// notes/cuda.md, section 3, compares. It checks that nothing crashes and that spans stay inside their files.
func TestCorpus(t *testing.T) {
	trees := os.Getenv("FENCEPOST_TREES")
	if trees == "" {
		t.Skip("FENCEPOST_TREES names no directories")
	}
	list := os.Getenv("FENCEPOST_ERRORS") != ""
	for _, tree := range filepath.SplitList(trees) {
		var files, bytes, functions, skipped, broken, notes, badFiles, asmRead, asmWritten int
		var parse time.Duration
		slowest, slowName := time.Duration(0), ""
		err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !cudaFile(path) {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return nil
			}
			start := time.Now()
			f := Read(&source.File{Name: path, Data: data}, nil)
			took := time.Since(start)
			parse += took
			if took > slowest {
				slowest, slowName = took, path
			}
			files++
			bytes += len(data)
			functions += len(f.Functions) + len(f.Skipped)
			skipped += len(f.Skipped)
			notes += len(f.Notes)
			asmRead += countAsm(f)
			for _, tok := range prepare(data, &memory{}, nil).tokens {
				if tok.kind == word && strings.Trim(string(data[tok.start:tok.end]), "_") == "asm" {
					asmWritten++
				}
			}
			hit := map[string]bool{}
			for _, n := range f.Notes {
				if strings.HasPrefix(n.Text, "does not parse") {
					in := "?"
					for _, fn := range f.Functions {
						if fn.Span.Start <= n.Span.Start && n.Span.End <= fn.Span.End {
							in = fn.Qualified
						}
					}
					hit[in] = true
					if list {
						fmt.Printf("%s: in %s: %.120q\n", where(path, data, n.Span), in, data[n.Span.Start:n.Span.End])
					}
				}
			}
			if list {
				for _, s := range f.Skipped {
					fmt.Printf("%s: skipped %s\n", where(path, data, s.Span), s.Name)
				}
			}
			broken += len(hit)
			if len(hit)+len(f.Skipped) > 0 {
				badFiles++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Printf("%-16s files %4d  MB %5.1f  functions %6d  skipped %4d (%.2f%%)  with opaque statement %4d (%.2f%%)  bad files %4d (%.1f%%)  asm %d/%d  notes %d  %.2f MB/s  slowest %v %s\n",
			filepath.Base(tree), files, float64(bytes)/1e6, functions, skipped, 100*float64(skipped)/float64(functions+1), broken,
			100*float64(broken)/float64(functions+1), badFiles, 100*float64(badFiles)/float64(files+1), asmRead, asmWritten, notes, float64(bytes)/1e6/parse.Seconds(), slowest.Round(time.Millisecond), slowName)
	}
}

func where(path string, data []byte, s source.Span) string {
	return fmt.Sprintf("%s:%d", path, 1+strings.Count(string(data[:s.Start]), "\n"))
}

func cudaFile(path string) bool {
	exts := []string{".cu", ".cuh", ".h", ".hpp", ".inl"}
	i := sort.SearchStrings(exts, filepath.Ext(path))
	return i < len(exts) && exts[i] == filepath.Ext(path)
}

// countAsm counts the asm statements of a file that became Asm nodes.
func countAsm(f *program.File) int {
	seen := map[*program.Asm]bool{}
	for _, fn := range f.Functions {
		for _, s := range fn.Body {
			program.Walk(s, func(n program.Node) bool {
				if a, ok := n.(*program.Asm); ok {
					seen[a] = true
				}
				return true
			})
		}
	}
	return len(seen)
}
