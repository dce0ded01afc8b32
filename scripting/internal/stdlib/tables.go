package stdlib

import (
	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// Why are tables measured by looking, and not at each assignment?
//
// t[k] = v is one instruction of the VM, which asks nobody. To turn it into a
// call would make every assignment twice as slow. A table cannot grow without a
// function that holds it in a register, so the budget looks at the registers of
// the running function now and then, at points that depend on nothing but the
// number of instructions. Functions of the library, which could add many items
// in one instruction, measure before they do.

// entries returns how many entries a table has room for in use: items of its
// list, holes among them included, and keys. It takes the same time for all.
func entries(t *lua.LTable) int {
	content := vmstate.TableOf(t)
	return len(content.Array) + len(content.Dict) + len(content.Strdict)
}

// Inspect looks at the tables that the running function holds, and returns an
// error when one has more entries than a table may have. Call it on the
// goroutine of the state.
func (lib *Library) Inspect() error {
	L := lib.thread
	if L == nil || lib.opts.MaxTable <= 0 {
		return nil
	}
	for i := L.GetTop(); i > 0; i-- {
		t, ok := L.Get(i).(*lua.LTable)
		if ok && t.Metatable != lua.LNil {
			t = bindings.Unwrap(t) // what a table of ecs.state holds
		}
		if ok && entries(t) > lib.opts.MaxTable {
			return lib.tooLarge(entries(t))
		}
	}
	return nil
}

// measure raises an error when a table has grown too large.
func (lib *Library) measure(a args, t *lua.LTable) {
	if limit := lib.opts.MaxTable; limit > 0 && entries(t) > limit {
		raiseAt(a.LState, 1, lib.tooLarge(entries(t)))
	}
}

func (lib *Library) tooLarge(n int) *diag.Error {
	return diag.Reached("Table", "table too large: %s of %s entries", diag.Grouped(int64(n)), diag.Grouped(int64(lib.opts.MaxTable)))
}

// Enter tells the library that calls from now on run on a thread of the host's,
// and Leave that they are over.
func (lib *Library) Enter(L *lua.LState) { lib.thread, lib.callers = L, lib.callers[:0] }

// Leave is the end of what Enter began.
func (lib *Library) Leave() {
	lib.thread = nil
	lib.caught.forget()
}
