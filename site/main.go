// Command site makes the documentation site: static pages of the rules, the reasons of inconclusive, the documents and the tables, which
// need no server and fetch nothing.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./site REPOSITORY OUT")
		os.Exit(2)
	}
	if err := Build(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}
