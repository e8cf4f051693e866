package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// build tells builds of fencepost apart by the bytes of the running program. A version number would have to be thought of
// with every change to an engine; the revision of the sources says nothing of changes that are not committed, and a
// program built without version control or by "go install" has none. What the running program itself knows of its build
// is added, for systems where the file may have been replaced since the program started.
func build() (string, error) {
	name, err := executable()
	if err != nil {
		return "", fmt.Errorf("which build this is cannot be told: %w", err)
	}
	sum, err := digest(name)
	if err != nil {
		return "", fmt.Errorf("which build this is cannot be told: %w", err)
	}
	return sum, nil
}

func digest(name string) (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("the program does not say how it was built")
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	io.WriteString(h, info.String())
	return string(h.Sum(nil)), nil
}
