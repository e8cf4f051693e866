package source

import (
	"bytes"
	"strings"
	"testing"
)

func TestHasSync(t *testing.T) {
	for _, text := range []string{
		"__syncthreads();", "cute.arch.mbarrier_wait(p, 0)", "bar.sync 1, 64;", "atomicAdd(&x, 1);", "__threadfence();", "cp.async.bulk", "cp_async",
		"if elect_one():", "PipelineTmaAsync.create()", "ld.acquire.gpu", "st.release.sys", "red.global.add.u32", "griddepcontrol", "tcgen05.ld",
		"cute.arch.cluster_arrive()", "FULL_BARRIER", "x.sync_threads()", "mapa.shared::cluster", "volatile int *flag", "sync", "xsync", "elect.sync",
	} {
		if !HasSync([]byte(text)) {
			t.Errorf("HasSync(%q) = false", text)
		}
		padded := strings.Repeat("q", 7) + text + strings.Repeat("q", 5)
		if !HasSync([]byte(padded)) {
			t.Errorf("HasSync(%q) = false", padded)
		}
	}
	for _, text := range []string{"", "s", "syn", "def add(a, b):\n    return a + b\n", "shared.x = fenc", "barrie", "int syn c"} {
		if HasSync([]byte(text)) {
			t.Errorf("HasSync(%q) = true", text)
		}
	}
	if !HasSync([]byte("go(my_hold)"), "", "my_hold") || HasSync([]byte("go()"), "", "my_hold") {
		t.Error("extra words are not searched for")
	}
}

// The search must agree with the plain one on every text.
func FuzzHasSync(f *testing.F) {
	f.Add([]byte("abc Sync"))
	f.Add([]byte("tcgen0 bar.re mapa"))
	f.Fuzz(func(t *testing.T, data []byte) {
		want := false
		lower := bytes.Map(func(r rune) rune {
			if 'A' <= r && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, Decode("", data).Data)
		for _, token := range syncTokens {
			want = want || bytes.Contains(lower, []byte(token))
		}
		if got := HasSync(Decode("", data).Data); got != want {
			t.Errorf("HasSync(%q) = %v, want %v", data, got, want)
		}
	})
}

func BenchmarkHasSync(b *testing.B) {
	line := "    acc[i] = fma(left[row * stride + i], right[i * stride + col], acc[i]);  // one product of the tile\n"
	data := []byte(strings.Repeat(line, 10_000))
	b.SetBytes(int64(len(data)))
	for range b.N {
		if HasSync(data) {
			b.Fatal("the text has no token")
		}
	}
}
