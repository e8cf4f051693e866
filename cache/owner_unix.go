//go:build unix

package cache

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether a directory is the user's and nobody else can write to it.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
