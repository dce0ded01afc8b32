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

// formulas are all that kernels call, by Lua's names.
var formulas = []wasm.Formula{"sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log10", "pow", "ordinaryPow", "fmod", "mod"}

// TestFormulasDoWithoutTheHost calls the function for a row of each formula's module, with
// arguments that games have: the host is for others, and takes several times as long. What the
// functions return is compared elsewhere.
func TestFormulasDoWithoutTheHost(t *testing.T) {
	hosted := 0
	for _, name := range formulas {
		asked, call := instance(t, name)
		for x := 0.0625; x < 1; x += 0.0625 {
			call(x, 3)
		}
		if *asked > 0 {
			t.Errorf("%s asks the host about ordinary numbers", name)
		}
		if call(math.Inf(1), math.NaN()); *asked > 0 {
			hosted++
		}
	}
	if hosted < 8 {
		t.Errorf("only %d formulas ask the host about what is beyond them", hosted)
	}
}

// instance makes a formula's module, with a host that counts how often it is asked. call calls
// the function for a row.
func instance(t *testing.T, name wasm.Formula) (asked *int, call func(args ...float64)) {
	t.Helper()
	ctx, asked := context.Background(), new(int)
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = runtime.Close(ctx) })
	host := runtime.NewHostModuleBuilder(wasm.Host)
	for _, f := range formulas {
		of := formulaOf(t, f)
		host.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) { *asked++ }), floats(of.Params), floats(of.Results)).Export(string(f))
	}
	if _, err := host.Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := runtime.Instantiate(ctx, name.Encode())
	if err != nil {
		t.Fatal(name, err)
	}
	return asked, func(args ...float64) {
		stack := make([]uint64, 2)
		for i, a := range args[:formulaOf(t, name).Params] {
			stack[i] = math.Float64bits(a)
		}
		if err := m.ExportedFunction("one").CallWithStack(ctx, stack); err != nil {
			t.Fatal(name, err)
		}
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
