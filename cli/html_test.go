package cli

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// browser is a Chromium that is installed, as CI has one (make tools).
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" && runtime.GOOS == "linux" {
		t.Fatal("no Chromium; make tools installs it")
	}
	t.Skip("no Chromium")
	return ""
}

// TestPageInBrowser: Chromium opens the page of a kernel that hangs, under a name and with a text that would like to be markup.
// The page's own script and style get past its policy and nothing else does; the picture is there, and a link leads to a step of it.
func TestPageInBrowser(t *testing.T) {
	chromium := browser(t)
	kernel, err := os.ReadFile("../testdata/ring/broken_parity_per_iteration.cu")
	if err != nil {
		t.Fatal(err)
	}
	const name = `a"><img src=x onerror=document.title='gone'>.cu`
	const evil = `gate_wait(&full[s], k & 1); // </pre></script><script>document.title='gone'</script>`
	text := strings.Replace(string(kernel), "gate_wait(&full[s], k & 1);", evil, 1)
	dir := write(t, map[string]string{name: text})
	page := filepath.Join(dir, "report.html")
	if r := invoke(t, dir, nil, "check", "--engine", "explore", "--no-cache", "--output", "html="+page, name); r.code != ExitFindings {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	open := func(fragment string, flags ...string) string {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		at := url.URL{Scheme: "file", Path: page, Fragment: fragment}
		// Its sandbox wants rights that a container does not give.
		flags = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + t.TempDir()}, flags...)
		cmd := exec.CommandContext(ctx, chromium, append(flags, at.String())...)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, errs.String())
		}
		return string(out)
	}

	dom := open("finding-1-step-12", "--dump-dom")
	for _, want := range []string{
		"<title>fencepost: 1 error, 0 warnings</title>",
		"<div class=\"go\">", // the script has run: the buttons are shown
		`<li class="step now" data-step="12"`, `<li class="step later" data-step="13"`,
		"// &lt;/pre&gt;&lt;/script&gt;&lt;script&gt;document.title",
		"threads 32-95 of CTA 0, line 33 (called at line 98): mbarrier.wait: full[1] is in phase 1", "phase 0 → 1", "0 of 1 pending",
		"12 of 17 steps: ",
	} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if m := regexp.MustCompile(`(?i)<(img|iframe|object)\b`).FindString(dom); m != "" || strings.Count(dom, "<script") != 1 {
		t.Errorf("the page has %q, and %d scripts", m, strings.Count(dom, "<script"))
	}

	shot := filepath.Join(dir, "shot.png")
	open("", "--screenshot="+shot, "--window-size=1500,2400")
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	// The style has been taken: a lane's colour for steps, for what goes on by itself, for who is stuck, and for a barrier that completes.
	for what, shade := range map[string]color.RGBA{"steps": {0xd8, 0xe5, 0xf2, 0xff}, "operations in flight": {0xea, 0xe0, 0xf1, 0xff}, "who is stuck": {0xc0, 0x26, 0x2d, 0xff}, "a phase that completes": {0xc4, 0xde, 0xcc, 0xff}} {
		if n := alike(picture, shade); n < 40 {
			t.Errorf("%d points have the colour of %s", n, what)
		}
	}
}

// alike counts the points of a colour, or of nearly that.
func alike(picture image.Image, want color.RGBA) (n int) {
	near := func(a uint32, b uint8) bool { return max(a>>8, uint32(b))-min(a>>8, uint32(b)) < 8 }
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); near(r, want.R) && near(g, want.G) && near(b, want.B) {
				n++
			}
		}
	}
	return n
}
