package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// maxEvent bounds the event file: GitHub's are below 1 MiB.
const maxEvent = 8 << 20

var commitID = regexp.MustCompile(`^[0-9a-f]{40}$`)

// pullRequestBase finds the revision a pull request is compared with, from what GitHub Actions says about the event. It
// is "" where the event is no pull request.
//
// actions/checkout leaves the merge of the head into the base at HEAD, so HEAD^1 is the base as it was merged. Where the
// workflow checks out something else, the base of the event is used.
func pullRequestBase(getenv func(string) string) (string, error) {
	if event := getenv("GITHUB_EVENT_NAME"); event != "pull_request" {
		return "", nil
	}
	if strings.HasSuffix(getenv("GITHUB_REF"), "/merge") {
		return "HEAD^1", nil
	}
	path := getenv("GITHUB_EVENT_PATH")
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the event file: %w (set GITHUB_EVENT_PATH, or give --diff a revision)", err)
	}
	defer f.Close()
	var event struct {
		PullRequest struct {
			Base struct {
				SHA string `json:"sha"`
			} `json:"base"`
		} `json:"pull_request"`
	}
	if err := json.NewDecoder(io.LimitReader(f, maxEvent)).Decode(&event); err != nil {
		return "", fmt.Errorf("read the event file %s: %w (give --diff a revision)", path, err)
	}
	base := event.PullRequest.Base.SHA
	if !commitID.MatchString(base) {
		return "", fmt.Errorf("the event file %s names no base commit of a pull request (give --diff a revision)", path)
	}
	return base, nil
}
