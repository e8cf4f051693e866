//go:build !unix || !cgo

package main

import "os"

func standardOutput() *os.File { return os.Stdout }
