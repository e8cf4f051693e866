package source

// File is one source file, decoded. Data is UTF-8 with the byte count of what the decoder produced; Name is the
// slash-separated path shown to the user, relative to the root that was opened.
type File struct {
	Name string
	Data []byte
}
