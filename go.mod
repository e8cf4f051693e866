module github.com/fencepost-dev/fencepost

go 1.24.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4
	github.com/google/go-cmp v0.7.0
	github.com/owenrumney/go-sarif/v2 v2.3.3
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
	github.com/sethvargo/go-githubactions v1.3.0
	github.com/tree-sitter-grammars/tree-sitter-cuda v0.21.1
	github.com/tree-sitter/go-tree-sitter v0.25.0
	github.com/tree-sitter/tree-sitter-python v0.23.6
	github.com/yuin/goldmark v1.7.8
	gopkg.in/yaml.v3 v3.0.1
)

require (
	github.com/mattn/go-pointer v0.0.1 // indirect
	golang.org/x/text v0.14.0 // indirect
)
