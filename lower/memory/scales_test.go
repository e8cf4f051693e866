package memory

import (
	"testing"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// TestSharedScaleLayout: the layouts that nvidia-cutlass-dsl 4.8.1 prints.
func TestSharedScaleLayout(t *testing.T) {
	for _, c := range []struct {
		ctas, m, n, step, depth, vector value.Int
		ofB                             bool
		shape, stride                   string
	}{
		{1, 128, 192, 64, 256, 16, false, "((((32, 4), 1), (16, 4)), 1, 4, 3)", "((((16, 4), 0), (0, 1)), 0, 512, 2048)"},
		{1, 128, 192, 64, 256, 16, true, "((((32, 4), 2), (16, 4)), 1, 4, 3)", "((((16, 4), 2048), (0, 1)), 0, 512, 4096)"},
		{2, 256, 128, 32, 128, 32, false, "((((32, 4), 1), (32, 1)), 1, 4, 3)", "((((16, 4), 0), (0, 0)), 0, 1, 512)"},
		{1, 128, 128, 32, 256, 32, true, "((((32, 4), 1), (32, 1)), 1, (4, 2), 3)", "((((16, 4), 0), (0, 0)), 0, (1, 512), 1024)"},
		{1, 128, 256, 64, 128, 32, true, "((((32, 4), 2), (32, 2)), 1, 2, 3)", "((((16, 4), 512), (0, 1)), 0, 2, 1024)"},
		{1, 128, 128, 64, 512, 32, false, "((((32, 4), 1), (32, 2)), 1, (2, 4), 3)", "((((16, 4), 0), (0, 1)), 0, (2, 512), 2048)"},
	} {
		mma := &cute.TiledMMA{Kind: "tcgen05", Ctas: c.ctas, Shape: cute.Tuple(c.m, c.n, c.step)}
		args := &value.Arguments{Vals: []value.Value{mma, cute.Tuple(c.m, c.n, c.depth), c.vector, value.Int(3)}}
		got, ok := SharedScaleLayout(c.ofB, args, func(v value.Value) value.Value { return v })
		if !ok || value.Canonical(got.Shape) != c.shape || value.Canonical(got.Stride) != c.stride {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// TestScaleLayout: the layouts that nvidia-cutlass-dsl 4.8.1 prints.
func TestScaleLayout(t *testing.T) {
	for _, c := range []struct {
		ctas, m, n, step, depth, vector value.Int
		ofB                             bool
		shape, stride                   string
	}{
		{1, 128, 192, 64, 256, 16, false, "((((32, 4), 4), (16, 4)), 1, 4)", "((((262144, 4), 8388608), (0, 1)), 0, 16)"},
		{1, 128, 192, 64, 256, 16, true, "((((32, 8), 4), (16, 4)), 1, 4)", "((((262144, 4), 8388608), (0, 1)), 0, 32)"},
		{2, 256, 128, 32, 128, 32, false, "((((32, 4), 4), (32, 1)), 1, 4)", "((((262144, 4), 8388608), (0, 0)), 0, 1)"},
		{1, 128, 128, 32, 256, 32, true, "((((32, 4), 4), (32, 1)), 1, (4, 2))", "((((262144, 4), 8388608), (0, 0)), 0, (1, 16))"},
		{1, 128, 256, 64, 128, 32, true, "((((32, 8), 4), (32, 2)), 1, 2)", "((((262144, 4), 8388608), (0, 1)), 0, 2)"},
		{1, 128, 128, 64, 512, 32, false, "((((32, 4), 4), (32, 2)), 1, (2, 4))", "((((262144, 4), 8388608), (0, 1)), 0, (2, 16))"},
	} {
		mma := &cute.TiledMMA{Kind: "tcgen05", Ctas: c.ctas, Shape: cute.Tuple(c.m, c.n, c.step)}
		got, ok := ScaleLayout(c.ofB, &value.Arguments{Vals: []value.Value{mma, cute.Tuple(c.m, c.n, c.depth), c.vector}}, func(v value.Value) value.Value { return v }).(*cute.Layout)
		if !ok || value.Canonical(got.Shape) != c.shape || value.Canonical(got.Stride) != c.stride {
			t.Errorf("%+v: got %s : %s", c, value.Canonical(got.Shape), value.Canonical(got.Stride))
		}
	}
}
