package check

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// workers has a token for each worker that is at nothing: whoever checks a file holds one, and its kernels are decided with those that nobody holds. So a run of few
// files, and the last ones of a long one, keep all processors at work, and never more than there are to be.
type workers chan struct{}

func newWorkers(n int) workers {
	w := make(workers, n)
	for range n {
		w <- struct{}{}
	}
	return w
}

// panicked is a panic of another goroutine, and where it happened.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) String() string { return fmt.Sprintf("%v", p.value) }

// each does something for every number below n, and returns when all is done. A panic of one is a panic of the caller's.
func (w workers) each(n int, do func(i int)) {
	var all sync.WaitGroup
	var once sync.Once
	var failed *panicked
	for i := range n {
		one := func() {
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { failed = &panicked{p, debug.Stack()} })
				}
			}()
			do(i)
		}
		if i == n-1 {
			one()
			break
		}
		select {
		case <-w:
			all.Add(1)
			go func() {
				defer func() { w <- struct{}{}; all.Done() }()
				one()
			}()
		default:
			one()
		}
	}
	all.Wait()
	if failed != nil {
		panic(failed)
	}
}
