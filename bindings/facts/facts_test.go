//go:build !machine

package facts

import (
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// TestSecondFormSharesVariables: what one form writes into a captured variable, the other
// reads, in whatever order they capture; a form that captures a name that the first does
// not have is none.
func TestSecondFormSharesVariables(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	if err := L.DoString(`
		local a, b, c = 1, 10, 100
		function first() a = a + b; return a end
		function second() return b * 1000 + a end
		function other() return c end
	`); err != nil {
		t.Fatal(err)
	}
	get := func(name string) *lua.LFunction { return L.GetGlobal(name).(*lua.LFunction) }
	call := func(fn *lua.LFunction) lua.LValue {
		if err := L.CallByParam(lua.P{Fn: fn, NRet: 1, Protect: true}); err != nil {
			t.Fatal(err)
		}
		defer L.Pop(1)
		return L.Get(-1)
	}
	form := SecondForm(get("first"), lua.Proto(get("second")))
	if form == nil {
		t.Fatal("the forms capture the same names")
	}
	if got := call(form); got != lua.LNumber(10001) {
		t.Errorf("%v", got)
	}
	call(get("first"))
	if got := call(form); got != lua.LNumber(10011) {
		t.Errorf("after a write: %v", got)
	}
	if SecondForm(get("first"), lua.Proto(get("other"))) != nil {
		t.Error("the forms do not capture alike")
	}
}
