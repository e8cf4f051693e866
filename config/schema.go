package config

import _ "embed"

// Schema is the JSON schema of the file, for editors. Parse decides; a test compares the two.
//
//go:embed schema.json
var Schema string
