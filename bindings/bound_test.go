package bindings

import (
	stdcontext "context" // the package has a context of its own
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// counter is a context that counts instructions.
type counter struct {
	stdcontext.Context
	n int
}

func (c *counter) Done() <-chan struct{} { c.n++; return nil }

// function loads a chunk that returns one.
func function(t *testing.T, L *lua.LState, text string) *lua.LFunction {
	t.Helper()
	if err := L.DoString(text); err != nil {
		t.Fatal(err)
	}
	f := L.Get(-1).(*lua.LFunction)
	L.Pop(1)
	return f
}

// TestUncounted demands that the context is away during the call and back after
// a return, an error and a panic.
func TestUncounted(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	spare := true
	m := New(ecs.NewWorld(), L, Options{Spare: func(int64) bool { return spare }})
	c := &counter{Context: stdcontext.Background()}
	for _, body := range []string{"return 1", "error('no')", "crash()"} {
		L.SetGlobal("crash", L.NewFunction(func(*lua.LState) int { panic("crash") }))
		f := function(t, L, "return function() "+body+" end")
		L.SetContext(c)
		for _, spare = range []bool{true, false} {
			before := c.n
			err := pcall(L, m.function(func(L *lua.LState) {
				m.uncounted(L, 10, func() { L.Push(f); L.Call(0, 0) })
			}))
			if counted := c.n > before; counted == spare || L.Context() != c {
				t.Errorf("%s: counted %v with spare instructions %v, context %v afterwards", body, counted, spare, L.Context())
			}
			if (err != nil) != (body != "return 1") {
				t.Errorf("%s: error %v", body, err)
			}
			L.SetTop(0)
		}
		L.RemoveContext()
	}
}

// TestHolds checks each condition alone.
func TestHolds(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	m := New(ecs.NewWorld(), L, Options{
		Spare: func(int64) bool { return true },
		Math: func(string) *lua.LFunction {
			return L.GetGlobal("math").(*lua.LTable).RawGetString("abs").(*lua.LFunction)
		},
	})
	ctx := L.NewTable()
	for _, name := range []string{"dt", "time", "tick"} {
		ctx.RawSetString(name, lua.LNumber(1))
	}
	for text, want := range map[string]bool{
		"local v, t = 1, { a = 1 }":                        true,
		"local v, t = 'text', 3":                           true,
		"local v, t = nil, {}":                             true,
		"local v, t = {}, {}":                              false,
		"local v, t = print, {}":                           false,
		"local v, t = ('x'):rep(65), {}":                   false,
		"local v, t = 1, { {} }":                           false,
		"local v, t = 1, { a = ('x'):rep(65) }":            false,
		"local v, t = 1, setmetatable({}, {})":             false,
		"local v, t = coroutine.create(print), {}":         false,
		"local v, t = newproxy(), {}":                      false,
		"local v, t = 1, {} for i = 1, 64 do t[i] = i end": true,
		"local v, t = 1, {} for i = 1, 65 do t[i] = i end": false,
		"local v, t, math = 1, {}, math":                   false, // the name is a local
	} {
		f := function(t, L, text+" return function() return v, t.a, math.abs(1) end")
		(&Bound{Math: []string{"abs"}, Values: []string{"v"}, Tables: []string{"t"}}).Attach(f.Proto)
		if got := m.holds(boundOf(f, false), f, ctx); got != want {
			t.Errorf("%s: holds is %v", text, got)
		}
	}
}
