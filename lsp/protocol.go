package lsp

import "encoding/json"

// What is used of the Language Server Protocol 3.17, in its names.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type extent struct { // Range
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range extent `json:"range"`
}

type diagnostic struct {
	Range              extent           `json:"range"`
	Severity           int              `json:"severity"`
	Code               string           `json:"code,omitempty"`
	CodeDescription    *codeDescription `json:"codeDescription,omitempty"`
	Source             string           `json:"source"`
	Message            string           `json:"message"`
	RelatedInformation []related        `json:"relatedInformation,omitempty"`
	Data               *diagnosticData  `json:"data,omitempty"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type related struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

// diagnosticData comes back with a request for code actions.
type diagnosticData struct {
	Identity string `json:"identity"` // of the finding
	Fix      string `json:"fix,omitempty"`
}

type publishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type initializeParams struct {
	RootPath         *string           `json:"rootPath"`
	RootURI          *string           `json:"rootUri"`
	WorkspaceFolders []workspaceFolder `json:"workspaceFolders"`
	Capabilities     struct {
		General struct {
			PositionEncodings []encoding `json:"positionEncodings"`
		} `json:"general"`
		Window struct {
			WorkDoneProgress bool `json:"workDoneProgress"`
		} `json:"window"`
		Workspace struct {
			WorkspaceEdit struct {
				DocumentChanges bool `json:"documentChanges"`
			} `json:"workspaceEdit"`
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
		} `json:"workspace"`
		TextDocument struct {
			PublishDiagnostics struct {
				RelatedInformation bool `json:"relatedInformation"`
			} `json:"publishDiagnostics"`
			Hover struct {
				ContentFormat []string `json:"contentFormat"`
			} `json:"hover"`
			CodeAction struct {
				CodeActionLiteralSupport *struct{} `json:"codeActionLiteralSupport"`
			} `json:"codeAction"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type workspaceFolder struct {
	URI string `json:"uri"`
}

type didChangeWorkspaceFoldersParams struct {
	Event struct {
		Added   []workspaceFolder `json:"added"`
		Removed []workspaceFolder `json:"removed"`
	} `json:"event"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
}

type didOpenParams struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument   textDocument `json:"textDocument"`
	ContentChanges []struct {
		Range *extent `json:"range"`
		Text  string  `json:"text"`
	} `json:"contentChanges"`
}

// documentParams are those of didSave and didClose.
type documentParams struct {
	TextDocument textDocument `json:"textDocument"`
}

type didChangeWatchedFilesParams struct {
	Changes []struct {
		URI string `json:"uri"`
	} `json:"changes"`
}

type hoverParams struct {
	TextDocument textDocument `json:"textDocument"`
	Position     position     `json:"position"`
}

type hover struct {
	Contents markupContent `json:"contents"`
	Range    extent        `json:"range"`
}

type markupContent struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type codeActionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Range        extent       `json:"range"`
	Context      struct {
		Diagnostics []struct {
			Data json.RawMessage `json:"data"` // of any server
		} `json:"diagnostics"`
		Only []string `json:"only"`
	} `json:"context"`
}

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        workspaceEdit `json:"edit"`
}

const quickFix = "quickfix"

// workspaceEdit has one of the two, as the client can take.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []textDocumentEdit    `json:"documentChanges,omitempty"`
}

type textEdit struct {
	Range   extent `json:"range"`
	NewText string `json:"newText"`
}

type textDocumentEdit struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"` // null: of a file that is not open
	} `json:"textDocument"`
	Edits []textEdit `json:"edits"`
}

type progressParams struct {
	Token string           `json:"token"`
	Value workDoneProgress `json:"value"`
}

type workDoneProgress struct {
	Kind  string `json:"kind"`
	Title string `json:"title,omitempty"`
}

type logMessageParams struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// Kinds of logged messages.
const (
	logError   = 1
	logWarning = 2
	logInfo    = 3
)
