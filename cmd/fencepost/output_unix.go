//go:build unix && cgo

package main

/*
#include <fcntl.h>

static int closed;

// Go's runtime opens /dev/null where a standard stream is closed; this runs before it.
__attribute__((constructor)) static void look(void) { closed = fcntl(1, F_GETFD) == -1; }

static int output_closed(void) { return closed; }
*/
import "C"

import "os"

// standardOutput is where reports go. Where it was closed it is a file that takes nothing, so that losing a report is an error.
func standardOutput() *os.File {
	if C.output_closed() == 0 {
		return os.Stdout
	}
	if none, err := os.Open(os.DevNull); err == nil {
		return none
	}
	return os.Stdout
}
