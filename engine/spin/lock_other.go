//go:build !unix

package spin

import (
	"io/fs"
	"os"
)

func hold(name string) (*os.File, error) { return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600) }

// ours is false: without locks nothing tells whose run still lives.
func ours(fs.FileInfo) bool { return false }
