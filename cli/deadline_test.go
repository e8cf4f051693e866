package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// TestEndedRuns: a run that is ended before it is through writes its report in every format, with what was left in it.
func TestEndedRuns(t *testing.T) {
	dir := write(t, map[string]string{"a.py": zeroCount, "b.py": clean})
	interrupted, stop := context.WithCancel(context.Background())
	stop()
	for _, format := range formats {
		for how, ctx := range map[string]context.Context{"--deadline=1ns": context.Background(), "--deadline=1h": interrupted} {
			t.Chdir(dir)
			var out, errs bytes.Buffer
			args := []string{"check", "--no-cache", "-q", "--select", "FP1", "--format", format, how}
			code := Main(ctx, args, strings.NewReader(""), &out, &errs, func(string) string { return "" })
			told := "FP907"
			if format == "outputs" {
				told = "findings=1"
			}
			if code != ExitInternal || !strings.Contains(out.String(), told) || !strings.Contains(errs.String(), "stopped before the end") {
				t.Errorf("%s %s: exit code %d, want %d and %q\n%s%s", format, how, code, ExitInternal, told, out.String(), errs.String())
			}
			if !wellFormed(format, out.Bytes()) {
				t.Errorf("%s %s is cut short\n%s", format, how, out.String())
			}
		}
	}
}

func wellFormed(format string, text []byte) bool {
	switch format {
	case "json", "sarif", "rdjson", "gitlab":
		return json.Valid(text)
	case "junit", "checkstyle":
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); err != nil {
				return err == io.EOF
			}
		}
	}
	return bytes.HasSuffix(text, []byte("\n"))
}

// TestDeadlineLater: a run that is through before its deadline is like any other.
func TestDeadlineLater(t *testing.T) {
	dir := write(t, map[string]string{"a.py": zeroCount})
	if r := invoke(t, dir, nil, "check", "--no-cache", "--engine", "none", "--deadline", "1h"); r.code != ExitFindings || strings.Contains(r.stdout, "FP907") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
