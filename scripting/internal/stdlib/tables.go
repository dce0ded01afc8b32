//go:build !machine

package stdlib

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

// Why are tables measured by looking, and not at each assignment?
//
// To measure a table at each assignment would make every assignment slower. But a table
// cannot grow unless a running function holds it in a register. So the budget looks at the
// registers of the running function, about every 4,000 instructions, at points that depend
// only on the number of instructions. Between two looks a table can grow by some thousand
// entries at most. A function of the library could add more in one instruction: it measures
// the table itself.

// entries returns how many entries of a table take memory: the items of its list,
// including holes, and its keys. It takes the same time for all tables.
func entries(t *lua.LTable) int {
	content := vmstate.TableOf(t)
	return len(content.Array) + len(content.Dict) + len(content.Strdict)
}

// Inspect looks at the tables that the running function holds, and returns an error if one
// of them has more entries than Options.MaxTable. Call it on the goroutine of the state.
func (lib *Library) Inspect() error {
	L := lib.thread
	if L == nil || lib.opts.MaxTable <= 0 {
		return nil
	}
	for i := L.GetTop(); i > 0; i-- {
		t, ok := L.Get(i).(*lua.LTable)
		if ok && t.Metatable != lua.LNil {
			t = proxy.Unwrap(t) // the content of a table of ecs.state
		}
		if ok && entries(t) > lib.opts.MaxTable {
			return lib.tooLarge(entries(t))
		}
	}
	return nil
}

// measure raises an error if a function of the library has made a table too large.
func (lib *Library) measure(a args, t *lua.LTable) {
	if limit := lib.opts.MaxTable; limit > 0 && entries(t) > limit {
		raiseAt(a.LState, 1, lib.tooLarge(entries(t)))
	}
}

// tooLarge is the error about a table with n entries.
func (lib *Library) tooLarge(n int) *diag.Error {
	return diag.Reached("Table", "table too large: %s of %s entries", diag.Grouped(int64(n)), diag.Grouped(int64(lib.opts.MaxTable)))
}

// Enter says that the next calls from the host run on a thread. The library needs to know
// it to find the running function.
// Every Enter needs its Leave: without it, errors of one script could reach another
// one.
func (lib *Library) Enter(L *lua.LState) { lib.thread, lib.callers = L, lib.callers[:0] }

// Leave ends what Enter began, and forgets the errors that the scripts have caught.
func (lib *Library) Leave() {
	lib.thread = nil
	lib.caught.Forget()
}
