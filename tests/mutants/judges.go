package main

// Judge is a choice of the tests of one package.
type Judge struct {
	Name string
	Pkg  string // below the module
	Args []string

	longest float64 // seconds of the processor that it may take
}

// A part is some packages that get mistakes, and who judges them.
type part struct {
	below    string // the folder of the packages
	packages []string
	judges   func(programs string, quick bool) []Judge
}

// parts are what -of names.
var parts = map[string]part{
	"compiler":  {"scripting/internal/kernel", []string{"lower", "passes", "vector", "wasm"}, compilerJudges},
	"syntax":    {"scripting/internal", []string{"syntax", "analysis"}, syntaxJudges},
	"bindings":  {"bindings/internal", []string{"value", "decl", "tx", "view", "exec"}, bindingsJudges},
	"hotreload": {"", []string{"hotreload"}, hotreloadJudges},
}

func syntaxJudges(_ string, quick bool) []Judge {
	list := []Judge{
		{Name: "syntax", Pkg: "scripting/internal/syntax"},
		{Name: "analysis", Pkg: "scripting/internal/analysis"},
		{Name: "expected errors", Pkg: "scripting", Args: []string{"-test.run", "Golden|Check|Unknown|Names|Syntax"}},
		{Name: "lower", Pkg: "scripting/internal/kernel/lower"},
		{Name: "conformance", Pkg: "tests", Args: []string{"-test.run", "Conformance|Handbook|LuaPage"}},
	}
	if quick {
		return list
	}
	return append(list, Judge{Name: "scripts", Pkg: "scripting", Args: []string{"-test.short"}})
}

func bindingsJudges(_ string, quick bool) []Judge {
	list := []Judge{
		{Name: "exec", Pkg: "bindings/internal/exec"},
		{Name: "value", Pkg: "bindings/internal/value"},
		{Name: "tx", Pkg: "bindings/internal/tx"},
		{Name: "bindings", Pkg: "bindings"},
		{Name: "conformance", Pkg: "tests", Args: []string{"-test.run", "Conformance|Handbook|LuaPage"}},
		{Name: "rows and limits", Pkg: "scripting", Args: []string{"-test.short", "-test.run", "Rows|Transaction|Undo|Limits|Batch|Array|OwnChanges|EveryPath|Park"}},
	}
	if quick {
		return list
	}
	return append(list, Judge{Name: "scripts", Pkg: "scripting", Args: []string{"-test.short"}})
}

func hotreloadJudges(string, bool) []Judge {
	return []Judge{{Name: "hotreload", Pkg: "hotreload"}}
}

// compilerJudges stand in the order of what they cost; the first that fails ends a mutant.
// The quick ones come first: they notice nearly all that is noticed at all.
func compilerJudges(programs string, quick bool) []Judge {
	const kernel = "scripting/internal/kernel"
	const files = "TestGolden|TestRows|TestRefusals|TestMeddling|TestSafe|TestUnroll|TestStages"
	const slow = "VectorForms|InTheWorld|Semantics|InWorlds|Proofs|SeveralWorkers|Limits|Allocate|Reloads|Beside|Fuzz"
	const quicker = "Kernel|Vectors|Single|IntegersInVectors|Handles|Float32|OfBoth|EqualWrites"
	const tables = "TestRules|StayWithKernels|Reasons|Captured|BesideCalls|BesideFloat64|StoreTheirGuard|AssignmentsBeside|Precision|Stops|LeftIsTold"
	few := []string{"-test.short", "-kernel.shrink=false", "-kernel.programs", "60", "-kernel.random", "60", "-kernel.handles", "50", "-kernel.matrix", "100"}
	list := []Judge{
		{Name: "expected files", Pkg: kernel, Args: []string{"-test.run", files}},
		{Name: "passes", Pkg: kernel + "/passes"},
		{Name: "lower", Pkg: kernel + "/lower"},
		{Name: "wasm", Pkg: kernel + "/wasm"},
		{Name: "aimed programs", Pkg: "tests/kernels", Args: []string{"-test.run", "Aimed|Kept"}},
		{Name: "tables of scripts", Pkg: "scripting", Args: []string{"-test.run", tables}},
		{Name: "kernels of scripts", Pkg: "scripting", Args: append([]string{"-test.run", quicker, "-test.skip", slow + "|" + tables}, few...)},
		{Name: "programs of the handbook, few", Pkg: "tests/kernels", Args: []string{"-test.run", "Handbook", "-kernels.programs", "25", "-kernels.shrink", "0"}},
		{Name: "vector", Pkg: kernel + "/vector", Args: []string{"-test.skip", "TestOneRounding"}}, // which is about numbers alone
		{Name: "kernel", Pkg: kernel, Args: []string{"-test.skip", files}},
	}
	if quick {
		return list
	}
	return append(list,
		Judge{Name: "kernels of scripts, slow", Pkg: "scripting", Args: append([]string{"-test.run", "Kernel.*(InTheWorld|Semantics|InWorlds|Proofs|SeveralWorkers|Limits)|TestBranches|NearTheLimit|BeyondTheRoom"}, few...)},
		Judge{Name: "programs of the handbook", Pkg: "tests/kernels", Args: []string{"-test.run", "Handbook", "-kernels.programs", programs, "-kernels.shrink", "0"}},
		Judge{Name: "forms of vectors", Pkg: "scripting", Args: []string{"-test.short", "-test.run", "VectorForms"}},
	)
}
