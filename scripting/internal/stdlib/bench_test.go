//go:build !machine

package stdlib_test

import (
	"context"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// each runs a function of a script b.N times in one loop, so that the figures
// are per round.
func each(b *testing.B, m *machine, opts syntax.Options, env *lua.LTable, body string) {
	b.Helper()
	src := "local n = ... local s, t, f = 'abc', {}, function() end for i = 1, n do " + body + " end"
	tree, err := syntax.Parse("b", []byte(src), opts)
	if err != nil {
		b.Fatal(err)
	}
	program, err := tree.Compile(syntax.Additions{})
	if err != nil {
		b.Fatal(err)
	}
	fn := m.L.NewFunctionFromProto(program.Proto)
	fn.Env = env
	b.ReportAllocs()
	b.ResetTimer()
	if err := m.L.CallByParam(lua.P{Fn: fn, Protect: true}, lua.LNumber(b.N)); err != nil {
		b.Fatal(err)
	}
}

// The cost of contexts per round of a small loop of six instructions.
func BenchmarkContext(b *testing.B) {
	const body = `local x = i * 2 + 1 local y = x - i if y < 0 then t = nil end`
	for _, bench := range []struct {
		name string
		ctx  func() context.Context
	}{
		{"none", nil},
		{"Budget", func() context.Context { return endless(nil) }},
		{"Budget+Watch", func() context.Context { return endless(func() error { return nil }) }},
		{"WithCancel", func() context.Context {
			ctx, cancel := context.WithCancel(context.Background())
			b.Cleanup(cancel)
			return ctx
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			m := newMachine(stdlib.Options{})
			if bench.ctx != nil {
				m.L.SetContext(bench.ctx())
			}
			each(b, m, syntax.Options{}, m.lib.Env(), body)
		})
	}
}

func endless(watch func() error) *stdlib.Budget {
	budget := &stdlib.Budget{Watch: watch}
	budget.Reset(1<<62, 0)
	return budget
}

// Our functions beside gopher-lua's.
func BenchmarkFunctions(b *testing.B) {
	for _, bench := range []struct{ name, body string }{
		{"loop only", ``},
		{"pcall", `pcall(f)`},
		{"pcall raising", `pcall(error)`},
		{"concat", `local x = s .. i`},
		{"concat of texts", `local x = s .. s .. s`},
		{"find", `local x = s:find("b(%w)")`},
		{"gsub", `local x = s:gsub("b", "x")`},
		{"format", `local x = string.format("%d %s %5.2f", i, s, 1.5)`},
		{"insert and pop", `t[#t + 1] = i t[#t] = nil`},
		{"coroutine", `local co = coroutine.wrap(function() coroutine.yield() end) co() co()`},
		{"resume and yield", `if i == 1 then co = coroutine.wrap(function() while true do coroutine.yield() end end) end co()`},
	} {
		b.Run(bench.name+"/ours", func(b *testing.B) {
			m := newMachine(stdlib.Options{})
			each(b, m, syntax.Options{Concat: m.lib.Concat(), Pop: m.lib.Pop()}, m.lib.Env(), bench.body)
		})
		b.Run(bench.name+"/stock", func(b *testing.B) {
			m := &machine{L: lua.NewState()}
			each(b, m, syntax.Options{}, m.L.G.Global, bench.body)
		})
	}
}

// An environment is made for each script and each reload of it.
func BenchmarkEnv(b *testing.B) {
	m := newMachine(stdlib.Options{})
	b.ReportAllocs()
	for b.Loop() {
		m.lib.Env()
	}
}
