// Package ir is the kernel program that analyses run on: typed instructions over virtual registers, with explicit memory,
// synchronization and asynchronous operations, and the place in the source of each (docs/ir.md).
//
// It knows no source language: front ends make it, package exec executes it.
package ir
