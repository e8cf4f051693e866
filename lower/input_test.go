package lower

import (
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// lowerPython lowers one kernel body over the head of python.
func lowerPython(t *testing.T, body string) *Kernel {
	t.Helper()
	return Kernels(read("k.py", python(body)), dialect.New(program.CuTe), Options{})[0]
}

// Elements of what the kernel is given are unknowns; neighbours are a beginning and a length, which is not negative.
func TestInputs(t *testing.T) {
	const twice = `    cute.arch.mbarrier_arrive(bar)
    cute.arch.mbarrier_wait(bar, i & 1)
`
	tests := []struct{ name, body, bound, opaque string }{
		{"length", "for i in range(flag[0]):\n" + twice, "flag[0]", ""},
		{"offsets", "lo = flag[n]\nhi = flag[n + 1]\nfor i in range(hi - lo):\n" + twice, "length of part n of flag", ""},
		{"tiles of offsets", "lo = flag[0]\nfor i in range((flag[1] - lo + n - 1) // n):\n" + twice, "length of part 0 of flag", ""},
		{"its shape says where another is written", "for i in range(flag[0]):\n" + twice + "cute.make_tensor(smem.iterator, (8, 8, flag.shape[0]))[0, 0, 0] = 1\n", "flag[0]", ""},
		{"written", "flag[0] = 1\nfor i in range(flag[0]):\n" + twice, "", "trip count"},
		{"written later", "for i in range(flag[0]):\n" + twice + "flag[2] = n\n", "", "trip count"},
		{"of each thread", "for i in range(flag[tid]):\n" + twice, "", "trip count"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := lowerPython(t, tt.body)
			if tt.opaque != "" {
				if len(k.Opaque) == 0 || !strings.Contains(k.Opaque[0].Why.Text, tt.opaque) {
					t.Errorf("opaque %v, want %q", k.Opaque, tt.opaque)
				}
				return
			}
			if len(k.Opaque) > 0 || len(k.Instances) < 4 {
				t.Fatalf("opaque %v, %d instances", k.Opaque, len(k.Instances))
			}
			if k.Bounds[tt.bound] == "" || strings.Contains(k.Bounds[tt.bound], "-") || k.Bounds["n"] != "" && strings.HasPrefix(k.Bounds["n"], "0") {
				t.Errorf("bounds %v, want %q among them", k.Bounds, tt.bound)
			}
			if !strings.Contains(k.Bounds["assumed"], "flag does not change") {
				t.Errorf("assumed %q", k.Bounds["assumed"])
			}
		})
	}
}

// What divides a tile into parts divides it without a remainder.
func TestPartsOfTiles(t *testing.T) {
	k := lowerPython(t, "for i in range(128 // n):\n    cute.arch.mbarrier_arrive(bar)\n")
	if len(k.Opaque) > 0 || k.Bounds["n"] != "32, 64, 128" || !strings.Contains(k.Bounds["assumed"], "n divides 128") {
		t.Errorf("opaque %v, bounds %v", k.Opaque, k.Bounds)
	}
}

// The lanes of a warp initialise an mbarrier in one instruction, which is assumed; warps do not.
func TestInitByLanes(t *testing.T) {
	k := lowerPython(t, "own = smem.alloc_array(Int64, 2)\ncute.arch.mbarrier_init(own, 32)\ncute.arch.sync_threads()\ncute.arch.mbarrier_arrive(own)\n")
	if len(k.Opaque) > 0 || len(k.Open) != 1 || k.Open[0].Property != "lifetime" {
		t.Errorf("opaque %v, open %v", k.Opaque, k.Open)
	}
	text := strings.Replace(python("own = smem.alloc_array(Int64, 2)\ncute.arch.mbarrier_init(own, 32)\n"), "block=(32,", "block=(64,", 1)
	if k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]; len(k.Opaque) == 0 {
		t.Error("two warps initialise one mbarrier, and it is modelled")
	}
	if k := lowerPython(t, "own = smem.alloc_array(Int64, 2)\nif tid < 2:\n    if tid == 0:\n        cute.arch.mbarrier_init(own, 32)\n    else:\n        cute.arch.mbarrier_init(own, 32)\n"); len(k.Opaque) == 0 {
		t.Error("two lanes initialise one mbarrier in two places, and it is modelled")
	}
}

// A condition on threads and unknowns together is decided where synchronization depends on it.
func TestMixedConditions(t *testing.T) {
	for _, body := range []string{
		"if tid < n:\n    cute.arch.mbarrier_arrive(bar)\n",
		"if n > 1 and tid < 4:\n    cute.arch.mbarrier_arrive(bar)\n",
		"if not (n == 0 or tid >= 4):\n    cute.arch.mbarrier_arrive(bar)\n",
	} {
		k := lowerPython(t, body)
		if len(k.Opaque) > 0 {
			t.Fatalf("%s: opaque %v", body, k.Opaque)
		}
		arrivals := map[int]bool{}
		for _, p := range k.Instances {
			n := 0
			for _, c := range p.Classes {
				for _, o := range c.Ops {
					if strings.HasPrefix(p.Sites[o.Site].Text, "arrive on") {
						n += len(c.Threads)
					}
				}
			}
			arrivals[n] = true
		}
		if !arrivals[0] || len(arrivals) < 2 || arrivals[32] {
			t.Errorf("%s: arrivals %v", body, arrivals)
		}
	}
}

// A member of an IntEnum on the right is its number.
func TestIntEnumOnTheRight(t *testing.T) {
	text := strings.Replace(python("if tid // 16 == Role.LOAD:\n    cute.arch.mbarrier_arrive(bar)\n"), "@cute.kernel", "from enum import IntEnum\nclass Role(IntEnum):\n    LOAD = 0\n    MATH = 1\n\n@cute.kernel", 1)
	k := Kernels(read("k.py", text), dialect.New(program.CuTe), Options{})[0]
	if len(k.Opaque) > 0 || len(k.Instances) != 1 || len(k.Instances[0].Classes) < 3 {
		t.Errorf("opaque %v; the two halves of the warp are not told apart", k.Opaque)
	}
}
