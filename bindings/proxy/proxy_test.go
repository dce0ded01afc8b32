package proxy

import (
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// proxyOf makes a proxy whose writes go to the content.
func proxyOf(L *lua.LState, content *lua.LTable) *lua.LTable {
	return lua.Empty(Meta(L, content, content, content, L.NewFunction(Length)))
}

// TestProxyReadsAsItsContent: reads, writes and the length go through, what goes past
// metatables finds the content by Unwrap, and scripts do not see the metatable.
func TestProxyReadsAsItsContent(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	content := L.NewTable()
	content.Append(lua.LString("a"))
	p := proxyOf(L, content)
	L.SetGlobal("p", p)
	if err := L.DoString(`p[2] = "b"; n = #p; first = p[1]`); err != nil {
		t.Fatal(err)
	}
	L.SetGlobal("meta", L.GetMetaField(p, "__metatable"))
	for name, want := range map[string]lua.LValue{"n": lua.LNumber(2), "first": lua.LString("a"), "meta": lua.LFalse} {
		if got := L.GetGlobal(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if Unwrap(p) != content || Unwrap(content) != content || content.RawGetInt(2) != lua.LString("b") {
		t.Error("the content is not what was written through the proxy")
	}
	if got, ok := TableOf(p); !ok || got != content {
		t.Errorf("TableOf: %v, %v", got, ok)
	}
}

// TestTableThatIsOver: it is no table for functions that read one.
func TestTableThatIsOver(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	meta, over := L.NewTable(), L.NewTable()
	meta.RawSetString(OverKey, lua.LString("this row is over"))
	lua.SetMetatable(over, meta)
	if _, ok := TableOf(over); ok || Over(over) != "this row is over" || Over(L.NewTable()) != "" {
		t.Errorf("%q, %v", Over(over), ok)
	}
}

// TestForwardedTablesAreOneStepAway: after many versions the first table shows the newest
// content, removed keys are gone, tables inside follow, and no look-up takes more than one
// step.
func TestForwardedTablesAreOneStepAway(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	var f Forwarding
	version := func(n int) *lua.LTable {
		all, inner := L.NewTable(), L.NewTable()
		inner.RawSetString("n", lua.LNumber(n))
		all.RawSetString("inner", inner)
		all.RawSetString("n", lua.LNumber(n))
		all.RawSetString("__call", lua.LNumber(n))
		if n == 0 {
			all.RawSetString("removed", lua.LTrue)
		}
		return all
	}
	first := version(0)
	inside := first.RawGetString("inner").(*lua.LTable)
	old, held := first, []*lua.LTable{first}
	for n := 1; n <= 20; n++ {
		next := version(n)
		f.Forward(L, old, next)
		old = next
		held = append(held, next)
		for i, table := range held {
			if to := Unwrap(table); to != next {
				t.Fatalf("version %d leads to another table than version %d", i, n)
			}
			if L.GetField(table, "n") != lua.LNumber(n) || table.RawGetString("__call") != lua.LNumber(n) && table != next {
				t.Fatalf("version %d shows %v after version %d", i, L.GetField(table, "n"), n)
			}
		}
		if L.GetField(first, "removed") != lua.LNil || L.GetField(inside, "n") != lua.LNumber(n) {
			t.Fatalf("after version %d: removed is %v, inner is %v", n, L.GetField(first, "removed"), L.GetField(inside, "n"))
		}
	}
	L.SetField(first, "written", lua.LTrue)
	if old.RawGetString("written") != lua.LTrue {
		t.Error("what is written into the first table is not in the newest")
	}
}
