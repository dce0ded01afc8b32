package wasm_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/internal/formula"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/wasm"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// TestFormulasDoWithoutTheHost calls the function for a row of each formula's module, with
// arguments that games have: the host is for others, and thirty times as slow. What the
// functions return is compared elsewhere.
func TestFormulasDoWithoutTheHost(t *testing.T) {
	names := []wasm.Formula{"sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log10", "pow", "ordinaryPow", "fmod", "mod"}
	hosted := 0
	for _, name := range names {
		asked, described := 0, formulaOf(t, name)
		ctx := context.Background()
		runtime := wazero.NewRuntime(ctx)
		host := runtime.NewHostModuleBuilder(wasm.Host)
		for _, f := range names {
			of := formulaOf(t, f)
			host.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) { asked++ }), floats(of.Params), floats(of.Results)).Export(string(f))
		}
		if _, err := host.Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
		m, err := runtime.Instantiate(ctx, name.Encode())
		if err != nil {
			t.Fatal(name, err)
		}
		call := func(args ...float64) {
			stack := make([]uint64, 2)
			for i, a := range args[:described.Params] {
				stack[i] = math.Float64bits(a)
			}
			if err := m.ExportedFunction("one").CallWithStack(ctx, stack); err != nil {
				t.Fatal(name, err)
			}
		}
		for x := 0.0625; x < 1; x += 0.0625 {
			call(x, 3)
		}
		if asked > 0 {
			t.Errorf("%s asks the host about ordinary numbers", name)
		}
		if call(math.Inf(1), math.NaN()); asked > 0 {
			hosted++
		}
		if err := runtime.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if hosted < 8 {
		t.Errorf("only %d formulas ask the host about what is beyond them", hosted)
	}
}

// formulaOf is the description of a module's function.
func formulaOf(t *testing.T, name wasm.Formula) formula.Formula {
	t.Helper()
	f, ok := ir.FormulaNamed(string(name))
	if !ok {
		t.Fatalf("%s has no formula", name)
	}
	return f
}

// floats is the type of so many numbers.
func floats(n int) []api.ValueType { return slices.Repeat([]api.ValueType{api.ValueTypeF64}, n) }
