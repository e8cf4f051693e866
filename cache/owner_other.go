//go:build !unix

package cache

import "io/fs"

// owned: a user's cache directory is private where permissions are not bits.
func owned(fs.FileInfo) bool { return true }
