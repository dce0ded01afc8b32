package stdlib

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/fault"
	lua "github.com/yuin/gopher-lua"
)

// table.sort. The order that it leaves depends only on the items and the comparison,
// not on a random choice, so it is the same in each run.

// tableSort is table.sort, by merging: stable, and O(n log n) comparisons whatever the
// comparison says. The items are sorted outside of the table, so a comparison may change
// the table, and a wrong one cannot reach past an end.
func tableSort(a args) int {
	proxy, t := a.proxy(1), a.table(1)
	order := sorter{args: a}
	if a.Get(2) != lua.LNil {
		order.less = a.function(2)
	}
	n := listLength(a.LState, t)
	alloc(a.LState, 2*16*n)
	items := make([]lua.LValue, n)
	for i := range items {
		items[i] = t.RawGetInt(i + 1)
	}
	if order.less != nil || !order.numbers(items) {
		order.merge(items, make([]lua.LValue, n))
		order.verify(items)
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
	steps := 0
	for n := len(items); n > 0; n >>= 1 {
		steps += len(items) / 4
	}
	charge(s.LState, steps)
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

// merge sorts items with a buffer of the same length.
// An item of the right half goes first only if it is before the left one: this keeps
// equal items in their order.
func (s sorter) merge(items, buffer []lua.LValue) {
	if len(items) < 2 {
		return
	}
	middle := len(items) / 2
	s.merge(items[:middle], buffer[:middle])
	s.merge(items[middle:], buffer[middle:])
	copy(buffer, items)
	left, right := buffer[:middle], buffer[middle:]
	for i := range items {
		if len(left) == 0 || len(right) > 0 && s.before(right[0], left[0]) {
			items[i], right = right[0], right[1:]
		} else {
			items[i], left = left[0], left[1:]
		}
	}
}

// verify raises an error if neighbours show that a comparison is no order. A comparison
// that is true for equal items, which is a common mistake, passes.
func (s sorter) verify(items []lua.LValue) {
	for i := 1; i < len(items); i++ {
		if s.before(items[i], items[i-1]) && !s.before(items[i-1], items[i]) {
			raise(s.LState, "invalid order function for sorting")
		}
	}
}

// before reports whether x comes before y: by the comparison, or by the operator <.
func (s sorter) before(x, y lua.LValue) bool {
	charge(s.LState, 1)
	if s.less != nil {
		return lua.LVAsBool(s.callOne(s.less, x, y))
	}
	if x.Type() != y.Type() {
		raise(s.LState, "attempt to compare %s with %s", fault.TypeName(x), fault.TypeName(y))
	}
	if text, ok := x.(lua.LString); ok {
		comparing(s.LState, string(text), string(y.(lua.LString)))
		return text < y.(lua.LString)
	}
	return s.LessThan(x, y)
}
