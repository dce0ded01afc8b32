//go:build !machine

package stdlib

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/scripting/internal/library/order"
	lua "github.com/yuin/gopher-lua"
)

// table.sort. How items are sorted is in package order.

// tableSort is table.sort. The items are sorted outside of the table, so a comparison may change
// the table, and a wrong one cannot reach past an end.
func tableSort(a args) int {
	proxy, t := a.proxy(1), a.table(1)
	by := sorter{args: a}
	if a.Get(2) != lua.LNil {
		by.less = a.function(2)
	}
	n := listLength(a.LState, t)
	alloc(a.LState, 2*16*n)
	items := make([]lua.LValue, n)
	for i := range items {
		items[i] = t.RawGetInt(i + 1)
	}
	if by.less != nil || !by.numbers(items) {
		if !order.Sort(items, make([]lua.LValue, n), by.before) {
			raise(a.LState, "invalid order function for sorting")
		}
	}
	for i, item := range items {
		a.put(proxy, lua.LNumber(i+1), item)
	}
	return 0
}

// sorter compares items, and charges for it.
type sorter struct {
	args
	less *lua.LFunction // nil means the operator <
}

// numbers sorts a list that holds only numbers, which needs no calls, and reports whether
// it did.
func (s sorter) numbers(items []lua.LValue) bool {
	for _, item := range items {
		if item.Type() != lua.LTNumber {
			return false
		}
	}
	charge(s.LState, order.NumberSteps(len(items)))
	slices.SortFunc(items, func(x, y lua.LValue) int {
		a, b := x.(lua.LNumber), y.(lua.LNumber)
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	return true
}

// before reports whether x comes before y: by the comparison, or by the operator <.
func (s sorter) before(x, y lua.LValue) bool {
	charge(s.LState, 1)
	if s.less != nil {
		return lua.LVAsBool(s.callOne(s.less, x, y))
	}
	if x.Type() != y.Type() || x.Type() == lua.LTUserData { // values of the host have no order
		raise(s.LState, "attempt to compare %s with %s", fault.TypeName(x), fault.TypeName(y))
	}
	if text, ok := x.(lua.LString); ok {
		comparing(s.LState, string(text), string(y.(lua.LString)))
		return text < y.(lua.LString)
	}
	return s.LessThan(x, y)
}
