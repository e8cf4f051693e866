// Package cache keeps small answers from one run to the next, under the user's cache directory. What it is given, it gives
// back unchanged or not at all: an entry that is cut short, damaged, or made by another build of fencepost is as good as
// none. It fails by forgetting, never by an error, since whatever it does not know can be worked out again.
//
// It has to be the user's own. No option names its place, as a repository that is checked might give that option; a
// directory that another user may write to is not used, nor one inside of a repository, which may have come with it.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/fencepost-dev/fencepost/wholefile"
)

// Key says what an answer is to. Whatever the answer depends on has to be in it, but for fencepost itself, whose build
// the cache adds.
type Key [sha256.Size]byte

// Cache is safe for several goroutines, and its directory for several processes. A nil Cache holds nothing.
type Cache struct {
	dir     string
	build   func() (string, error)
	mu      sync.Mutex
	shards  [shards]*shard // nil: not read yet
	trouble error
}

// shards is how many files there are: a run that asks little reads little.
const shards = 16

// Open opens the user's cache. tree is the directory that is checked. The error says why there is none.
func Open(tree string) (*Cache, error) {
	under, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no cache: %w", err)
	}
	dir := filepath.Join(under, "fencepost")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("no cache: %w", err)
	}
	if dir, err = own(dir, tree); err != nil {
		return nil, fmt.Errorf("no cache: %w", err)
	}
	return &Cache{dir: dir, build: sync.OnceValues(build)}, nil
}

// own resolves the directory's links and refuses it where someone else than the user may have filled it.
func own(dir, tree string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is no directory", dir)
	case !owned(info):
		return "", fmt.Errorf("%s is another user's, or others may write to it: remove it or make it private (chmod 700)", dir)
	}
	if tree, err = filepath.Abs(tree); err == nil {
		tree, err = filepath.EvalSymlinks(tree)
	}
	if err != nil {
		return "", err
	}
	if inside(dir, tree) {
		return "", fmt.Errorf("%s is inside of the tree that is checked", dir)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s is inside of the repository %s", dir, at)
		}
		if at == filepath.Dir(at) {
			return dir, nil
		}
	}
}

func inside(dir, tree string) bool {
	rel, err := filepath.Rel(tree, dir)
	return err == nil && filepath.IsLocal(rel)
}

// Get returns what was put under a key by this build.
func (c *Cache) Get(key Key) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	value, ok := c.shard(key).get(key)
	c.mu.Unlock()
	if !ok {
		return nil, false
	}
	build, err := c.build() // only now: it takes longer than most kernels
	if err != nil || len(value) < len(build) || string(value[:len(build)]) != build {
		return nil, false
	}
	return value[len(build):], true
}

// Put keeps a value until Close writes it.
func (c *Cache) Put(key Key, value []byte) {
	if c == nil || len(value) > mostValue {
		return
	}
	build, err := c.build()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.trouble = err
		return
	}
	c.shard(key).put(key, append([]byte(build), value...))
}

// Drop forgets a value that means nothing to whoever put it there.
func (c *Cache) Drop(key Key) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shard(key).drop(key)
}

func (c *Cache) shard(key Key) *shard {
	i := key[0] % shards
	if c.shards[i] == nil {
		c.shards[i] = read(c.file(i))
	}
	return c.shards[i]
}

func (c *Cache) file(i uint8) string { return filepath.Join(c.dir, hex.EncodeToString([]byte{i})[1:]) }

// Close writes what is new. The error says why the next run will not know it.
func (c *Cache) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.shards {
		if s == nil || !s.changed {
			continue
		}
		name := c.file(uint8(i))
		if err := wholefile.Write(name, s.over(read(name)), 0o600); err != nil && c.trouble == nil {
			c.trouble = err
		}
		s.changed = false
	}
	wholefile.Sweep(c.dir)
	if c.trouble != nil {
		return fmt.Errorf("nothing is cached: %w", c.trouble)
	}
	return nil
}
