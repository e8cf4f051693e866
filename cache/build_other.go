//go:build !linux

package cache

import "os"

func executable() (string, error) { return os.Executable() }
