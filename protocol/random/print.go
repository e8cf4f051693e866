package random

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/fencepost-dev/fencepost/protocol"
)

// Print is a protocol as a person reads it, and as JSON without what is zero, for a file of testdata.
func Print(p *protocol.Protocol) string {
	return fmt.Sprintf("%s%s\n", p, JSON(p))
}

// JSON is a protocol without what is zero, a line for each object and class.
func JSON(p *protocol.Protocol) []byte {
	whole, err := json.Marshal(p)
	if err != nil {
		panic(err) // a protocol is numbers and strings
	}
	var tree map[string]any
	if err := json.Unmarshal(whole, &tree); err != nil {
		panic(err)
	}
	for key, v := range tree {
		if tree[key] = plain(v); tree[key] == nil {
			delete(tree, key)
		}
	}
	return lines(tree)
}

// plain leaves zero fields out of objects; nil is a zero value.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, field := range v {
			if v[key] = plain(field); v[key] == nil {
				delete(v, key)
			}
		}
		return v
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			if _, number := v[i].(float64); !number {
				v[i] = plain(v[i]) // an empty block becomes null: its place counts
			}
		}
		return v
	case float64:
		if v == 0 {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}

// order is the fields as package protocol has them.
var order = []string{"Kernel", "Values", "CTAs", "Cluster", "GPUs", "Mbars", "Named", "Flags", "Buffers", "Across", "Classes", "Sites"}

func lines(tree map[string]any) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for _, key := range order {
		v, ok := tree[key]
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n%q: ", key)
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		} else {
			b.WriteString("[")
		}
		for i, e := range list {
			text, err := json.Marshal(e)
			if err != nil {
				panic(err)
			}
			if i > 0 {
				b.WriteString(",\n  ")
			}
			b.Write(text)
		}
		if _, ok := v.([]any); ok {
			b.WriteString("]")
		}
	}
	b.WriteString("\n}")
	return b.Bytes()
}
