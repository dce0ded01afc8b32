package bridge_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/internal/bridge"
	"github.com/perigee-ecs/perigee/bindings/machine"
	lua "github.com/yuin/gopher-lua"
)

// stage is a machine with a bridge and globals for scripts.
type stage struct {
	*testing.T
	vm  *machine.VM
	b   *bridge.Bridge
	env *machine.Table
	log []string
}

func newStage(t *testing.T) *stage {
	vm := machine.New(machine.Options{})
	s := &stage{T: t, vm: vm, b: newBridge(vm), env: vm.Heap.NewTable(0, 0)}
	h := newHosted(s.b.State())
	h.blind, h.take = true, func(lua.LValue) any { return nil }
	for name, f := range natives(s.b, h) {
		s.env.SetString(name, machine.OfFunction(machine.NewNative(name, f)))
	}
	s.env.SetString("log", machine.OfFunction(machine.NewNative("log", func(c *machine.Call) {
		for i := range c.Len() {
			s.log = append(s.log, shown(c.Arg(i+1)))
		}
	})))
	s.env.SetString("next", machine.OfFunction(vm.Builtin(machine.Next)))
	s.env.SetString("pcall", machine.OfFunction(vm.Builtin(machine.Protect)))
	s.env.SetString("yield", machine.OfFunction(vm.Builtin(machine.Yield)))
	return s
}

func shown(v machine.Value) string {
	switch v.Kind() {
	case machine.KindNumber:
		return lua.LNumber(v.Float()).String()
	case machine.KindString:
		return v.Str().String()
	case machine.KindBoolean:
		return fmt.Sprint(v.Truth())
	}
	return v.Kind().String()
}

// host gives scripts a function of gopher-lua's.
func (s *stage) host(name string, f lua.LGFunction) {
	s.env.SetString(name, s.b.Take(s.b.State().NewFunction(f)))
}

// try runs a text, and returns what it has raised.
func (s *stage) try(text string) *machine.Raised {
	s.Helper()
	_, raised := s.vm.Main().Run(machine.OfFunction(s.vm.Load(compiled(s.T, text), s.env)))
	return raised
}

func (s *stage) run(text string) {
	s.Helper()
	if raised := s.try(text); raised != nil {
		s.Fatal(text, raised.Err.Message, shown(raised.Value))
	}
}

// wantLog demands what scripts have logged since the last look.
func (s *stage) wantLog(want string) {
	s.Helper()
	if got := strings.Join(s.log, " "); got != want {
		s.Fatalf("logged %q, want %q", got, want)
	}
	s.log = nil
}

// wantRaised demands that a text fails with words.
func (s *stage) wantRaised(text, words string) *machine.Raised {
	s.Helper()
	raised := s.try(text)
	if raised == nil || !strings.Contains(raised.Err.Message+shown(raised.Value), words) {
		s.Fatalf("%s: raised %v, want %q", text, raised, words)
	}
	return raised
}

// TestReserved: a table of the runtime's own stays what it is. The host sees it, and what it
// writes there goes the way of scripts.
func TestReserved(t *testing.T) {
	s := newStage(t)
	var kept *lua.LTable
	s.host("look", func(L *lua.LState) int {
		row := L.CheckTable(1)
		if kept != nil && kept != row {
			t.Error("a table has two mirrors")
		}
		kept = row
		L.Push(row.RawGetString("x"))
		L.Push(L.GetField(row, "far"))
		L.Push(lua.LNumber(row.RawGetString("inner").(*lua.LTable).RawGetString("y").(lua.LNumber)))
		return 3
	})
	s.host("change", func(L *lua.LState) int {
		row := L.CheckTable(1)
		row.RawSetString("x", lua.LNumber(5))
		L.SetField(row, "new", lua.LString("n"))
		row.RawSetString("gone", lua.LNil)
		if err := L.CallByParam(lua.P{Fn: L.Get(2), Protect: true}); err != nil {
			t.Error(err)
		}
		L.Push(row.RawGetString("x"))
		L.Push(row)
		return 2
	})
	s.run(`meta = { reserved = true, __index = function(t, k) return k .. "!" end, __newindex = function(t, k, v) log("new", k, v) end }
row = setmetatable({ x = 1, gone = 2, inner = setmetatable({ y = 3 }, meta) }, meta)`)
	s.run(`log(look(row))`)
	s.wantLog("1 far! 3")
	row := s.env.GetString("row").Table()
	s.run(`local x, same = change(row, function() log(row.x, rawget(row, "gone")) row.x = 7 end) log(x, same == row, row.x)`)
	s.wantLog("new new n 5 nil 7 true 7")
	s.host("id", func(L *lua.LState) int { return L.GetTop() })
	s.run(`list = { row } loop = setmetatable({ list = list }, meta) list.loop = loop log(id(list) == list, id({ loop }) == loop, list.loop == loop, loop.list == list, len(list))`)
	s.wantLog("true false true true 1")
	if row.Foreign() != nil {
		t.Error("a table of the runtime's own has its content elsewhere")
	}
}

// TestScriptsUserdata: the host works with a userdata of scripts by its metatable.
func TestScriptsUserdata(t *testing.T) {
	s := newStage(t)
	u := machine.NewUserdata("secret")
	s.env.SetString("u", machine.OfUserdata(u))
	s.run(`meta = { __index = function(u, k) return k .. "?" end, __newindex = function(u, k, v) log(k, v) end,
__call = function(u, x) return x, x end, __add = function(a, b) return 5 end, __eq = function() return true end, __lt = function() return true end,
__concat = function() return "joined" end, __tostring = function() return "shown" end }`)
	u.SetMetatable(s.env.GetString("meta").Table())
	s.host("work", func(L *lua.LState) int {
		u := L.CheckUserData(1)
		L.SetField(u, "k", lua.LNumber(1))
		L.SetGlobal("u", u)
		if err := L.DoString(`return u + 1, u .. "x", u < u, u(7)`); err != nil {
			t.Error(err)
		}
		L.Push(L.GetField(u, "name"))
		L.Push(L.ToStringMeta(u))
		u.Value = "changed"
		L.Push(u)
		return 8
	})
	s.run(`log(work(u))`)
	s.wantLog("k 1 5 joined true 7 7 name? shown userdata")
	s.run(`local a, b, c, d, e, f, g, h = work(u) log(h == u)`)
	s.wantLog("k 1 true")
	if u.Value != "changed" {
		t.Error(u.Value)
	}
}

// TestErrors: errors pass through gopher-lua as they are, unless it makes its own of them.
func TestErrors(t *testing.T) {
	s := newStage(t)
	var caught *lua.ApiError
	call := func(then func(L *lua.LState)) lua.LGFunction {
		return func(L *lua.LState) int {
			err := L.CallByParam(lua.P{Fn: L.Get(1), Protect: true})
			if !errors.As(err, &caught) {
				t.Error(err)
			}
			then(L)
			return 0
		}
	}
	s.host("through", func(L *lua.LState) int { L.Push(L.Get(1)); L.Call(0, 0); return 0 })
	s.host("again", call(func(L *lua.LState) { L.Error(caught.Object, 0) }))
	s.host("whole", call(func(*lua.LState) { panic(caught) }))
	s.host("own", call(func(L *lua.LState) { L.RaiseError("my own: %s", caught.Object) }))
	s.run("function f()\n error('deep')\nend e = {} function g() error(e) end")
	for _, way := range []string{"through", "again", "whole"} {
		raised := s.wantRaised(way+"(f)", "deep")
		if raised.Err.Line != 2 || len(raised.Err.Trace) == 0 {
			t.Errorf("%s: line %d, %d calls", way, raised.Err.Line, len(raised.Err.Trace))
		}
		s.run("local ok, got = pcall(" + way + ", g) log(ok, got == e)")
		s.wantLog("false true")
	}
	s.wantRaised("\nown(f)", "my own: chunk:2: deep")
	if raised := s.try("\nown(f)"); raised.Err.Line != 2 {
		t.Error(raised.Err.Line)
	}
	if !strings.Contains(caught.Error(), "chunk:2: deep\n") || !strings.Contains(caught.StackTrace, "chunk") {
		t.Errorf("the host sees %q", caught.Error())
	}
	s.host("panics", func(*lua.LState) int { panic(errors.New("broken")) })
	if raised := s.wantRaised("panics()", "broken"); !strings.Contains(raised.Err.GoStack, "TestErrors") {
		t.Error(raised.Err.GoStack)
	}
	s.run("log(1)") // all is as before
}

// TestRefused: coroutines stay on their side.
func TestRefused(t *testing.T) {
	s := newStage(t)
	s.env.SetString("co", machine.OfThread(s.vm.NewThread(s.vm.Load(compiled(t, ""), s.env))))
	s.host("id", func(L *lua.LState) int { return L.GetTop() })
	s.host("yields", func(L *lua.LState) int { return L.Yield() })
	s.host("thread", func(L *lua.LState) int { th, _ := L.NewThread(); L.Push(th); return 1 })
	s.host("channel", func(L *lua.LState) int { L.Push(lua.LChannel(make(chan lua.LValue))); return 1 })
	s.host("call", func(L *lua.LState) int { L.Push(L.Get(1)); L.Call(0, 0); return 0 })
	for text, words := range map[string]string{
		"id(co)":                             "a coroutine cannot be given to the host",
		"t = { x = { co } } id(t)":           "a coroutine cannot be given to the host",
		"t = {} id(t) t.x = co":              "a coroutine cannot be given to the host",
		"yields()":                           "the host cannot yield inside of a call from a script",
		"thread()":                           "a coroutine of the host's cannot be given to scripts",
		"channel()":                          "a channel of the host's cannot be given to scripts",
		"call(function() yield(1) end)":      "yield",
		"local function f() call(f) end f()": "too deep",
	} {
		s.wantRaised(text, words)
	}
	s.run(`t = { x = { 5 } } pcall(id, { co, t }) log(id(t) == t, t.x[1])`)
	s.wantLog("true 5")
}

// TestLimits: what the bridge does is counted before it is done.
func TestLimits(t *testing.T) {
	s := newStage(t)
	s.host("id", func(L *lua.LState) int { return L.GetTop() })
	s.host("run", func(L *lua.LState) int {
		if err := L.DoString("while true do end"); err != nil {
			panic(err)
		}
		return 0
	})
	bounded := func(text, words string) {
		t.Helper()
		s.vm.Start(1_000_000, 2<<20, nil)
		defer s.vm.Stop()
		s.wantRaised(text, words)
	}
	bounded("run()", "ran too long")
	bounded("t = {} id(t) t[50000000] = 1", "too much memory")
	bounded("t = {} t[50000000] = 1 id(t)", "too much memory")
	bounded("t = {} for i = 1, 100000 do t[i] = { {} } end id(t)", "too much memory")
	bounded("t = {} id(t) i = 0 while true do i = i + 1 t[i] = i end", "too much memory")
	bounded("t = {} id(t) i = 0 while true do i = i + 1 t['k' .. i] = i end", "too much memory")
	s.vm.Heap.MaxEntries, s.vm.Heap.TooLarge = 100, func(n int) { s.vm.Running().Failf("%d entries", n) }
	bounded("t = {} id(t) i = 0 while true do i = i + 1 t[i] = i end", "101 entries")
	bounded("t = {} id(t) t[200] = 1", "entries")
	s.vm.Heap.MaxEntries = 0
}

// TestRemovedKeys: keys that come and go leave nothing behind in gopher-lua.
func TestRemovedKeys(t *testing.T) {
	s := newStage(t)
	var kept *lua.LTable
	s.host("keep", func(L *lua.LState) int { kept = L.CheckTable(1); return 0 })
	s.run(`t = { a = 1 } keep(t)
for i = 1, 20000 do t["k" .. i] = i if i > 10 then t["k" .. i - 10] = nil end end
t.b = 2`)
	if places := bridge.Places(kept); places > 200 {
		t.Errorf("%d places of keys for 12", places)
	}
	s.run(`local n = 0 for k, v in next, t, nil do n = n + 1 end log(n, next(t))`)
	s.wantLog("12 a 1")
	steps := func(text string) int64 {
		s.vm.Start(-1, 0, nil)
		defer s.vm.Stop()
		s.run(text)
		return s.vm.Steps()
	}
	s.run(`for i = 1, 20000 do t[i + 0.5] = i end for i = 1, 20000 do t[i + 0.5] = nil end`)
	if n := steps("for i = 1, 100 do next(t) next(t, 'b') end"); n < 100*20000/16 {
		t.Errorf("to pass 20,000 removed keys a hundred times takes %d steps", n)
	}
}

// TestMove: a table that others have as well gives its content away, and gets some.
func TestMove(t *testing.T) {
	s := newStage(t)
	var kept *lua.LTable
	s.host("keep", func(L *lua.LState) int { kept = L.CheckTable(1); return 0 })
	s.run(`t, m = { 1, 2, k = { 3 } }, {} setmetatable(t, m) keep(t) u = { 9 }`)
	shared, other := s.env.GetString("t").Table(), s.env.GetString("u").Table()
	shared.MoveTo(other)
	s.run(`log(len(t), len(u), u.k[1], getmetatable(u) == m, getmetatable(t))`)
	s.wantLog("0 2 3 true nil")
	if kept.Len() != 0 || kept.Metatable != lua.LNil {
		t.Error("the host still has the content")
	}
	other.MoveTo(shared)
	if kept.Len() != 2 || kept.Metatable == lua.LNil || other.Len() != 0 {
		t.Error("the host has not got the content back")
	}
	shared.Clear()
	s.run(`log(len(t), t.k, getmetatable(t) == m)`)
	s.wantLog("0 nil true")
	if err := shared.Check(); err != nil {
		t.Error(err)
	}
}

// TestWalk: what scripts hold is counted wherever it is, and once.
func TestWalk(t *testing.T) {
	s := newStage(t)
	var kept *lua.LTable
	s.host("keep", func(L *lua.LState) int { kept = L.CheckTable(1); return 0 })
	held := func() int64 {
		w := machine.Walk{}
		w.Begin(s.vm.Heap)
		w.Push(s.env.GetString("t"))
		for w.Step(100) == 0 {
			runtime.GC()
		}
		return w.Bytes()
	}
	s.run(`t = {} for i = 1, 100 do t[i] = { name = "a text of some bytes" .. i, other = t[i - 1] } end t[1].other = t t.f = function() return t end`)
	before := held()
	s.run(`keep(t)`)
	if after := held(); after < before || after > 6*before {
		t.Errorf("%d bytes are %d when the host has them, too", before, after)
	}
	kept.RawSetString("large", lua.LString(strings.Repeat("x", 1<<20)))
	kept.RawSetString("again", kept)
	for range 50 { // tables of the host that nobody has looked at
		inner := s.b.State().NewTable()
		inner.RawSetString("outer", kept.RawGetString("inner"))
		kept.RawSetString("inner", inner)
	}
	kept.RawGetString("inner").(*lua.LTable).RawSetString("inner", kept.RawGetString("inner"))
	if after := held(); after < 1<<20 || after > 2<<20 {
		t.Errorf("with a text of a megabyte they are %d", after)
	}
	kept = nil
}

// TestFlat: what goes over the bridge and comes back leaves nothing behind.
func TestFlat(t *testing.T) {
	s := newStage(t)
	s.host("id", func(L *lua.LState) int { return L.GetTop() })
	s.host("make", func(L *lua.LState) int {
		made := L.NewTable()
		made.RawSetString("f", L.NewFunction(func(L *lua.LState) int { return L.GetTop() }))
		u := L.NewUserData()
		u.Metatable = made
		made.RawSetString("u", u)
		L.Push(made)
		return 1
	})
	day := func() uint64 {
		s.run(`for i = 1, 3000 do
  local t = { i, k = { i } } t.t, t.f = t, function() return t end
  id(t, t.f, t.k)
  local m = make() m.t, m.own = t, {} m.f(m.u, m.own)
  id(m, setmetatable({}, m))
end`)
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	first := day()
	for range 5 {
		day()
	}
	if last := day(); last > first+first/4 {
		t.Errorf("the heap grows from %d to %d bytes", first, last)
	}
}
