package library

import (
	"slices"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library/order"
)

// table.sort. How items are sorted is in package order.

// tableSort is table.sort. The items are sorted outside of the table, so a comparison may
// change the table, and a wrong one cannot reach past an end.
func (lib *Library) tableSort(c *machine.Call) {
	a := args{c}
	given := lib.proxy(a, 1)
	t := lib.unwrap(given)
	by := sorter{a, machine.Nil}
	if !a.Arg(2).IsNil() {
		by.less = machine.OfFunction(a.function(2))
	}
	n := listLength(t)
	a.Alloc(2 * 16 * n)
	if by.less.IsNil() && lib.sortNumbers(a, given, t, n) {
		a.Return(0)
		return
	}
	both := make([]machine.Value, 2*n)
	items := both[:n]
	for i := range items {
		items[i] = t.GetInt(i + 1)
	}
	if !by.sort(items, both[n:]) {
		a.raise("invalid order function for sorting")
	}
	for i, item := range items {
		lib.put(a, given, machine.Number(float64(i+1)), item)
	}
	a.Return(0)
}

// sort sorts items, and reports whether the comparison may be an order.
func (s sorter) sort(items, buffer []machine.Value) bool {
	fn := s.less.Function()
	if fn == nil || !fn.Fixed() {
		return order.Sort(items, buffer, s.before)
	}
	by := &sortingBy{order.New(items, buffer), s.args, false}
	s.Each(fn, by)
	return !by.Wrong
}

// sortingBy is a sort that asks a function of Lua. It calls it for each two items, one call after
// the other, without a call of Go between them.
type sortingBy struct {
	*order.Sorting[machine.Value]
	args
	asked bool
}

// Turn implements machine.Turns.
func (s *sortingBy) Turn(results, arguments []machine.Value) bool {
	if s.asked {
		s.Answer(len(results) > 0 && results[0].Truth())
	}
	if s.asked = s.Next(); !s.asked {
		return false
	}
	s.Charge(1)
	for i := range arguments {
		switch i {
		case 0:
			arguments[i] = s.X
		case 1:
			arguments[i] = s.Y
		default:
			arguments[i] = machine.Nil
		}
	}
	return true
}

// sortNumbers sorts a list that holds only numbers, which needs no calls, and reports
// whether it did.
func (lib *Library) sortNumbers(a args, given, t *machine.Table, n int) bool {
	items := make([]float64, n)
	for i := range items {
		v := t.GetInt(i + 1)
		if !v.IsNumber() {
			return false
		}
		items[i] = v.Float()
	}
	a.Charge(order.NumberSteps(n))
	slices.SortFunc(items, func(x, y float64) int {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for i, x := range items {
		lib.put(a, given, machine.Number(float64(i+1)), machine.Number(x))
	}
	return true
}

// sorter compares items, and charges for it.
type sorter struct {
	args
	less machine.Value // nil means the operator <
}

// before reports whether x comes before y: by the comparison, or by the operator <.
func (s sorter) before(x, y machine.Value) bool {
	s.Charge(1)
	switch {
	case !s.less.IsNil():
		return s.Call1(s.less, x, y).Truth()
	case x.Kind() != y.Kind():
		s.raise("attempt to compare %s with %s", machine.TypeName(x), machine.TypeName(y))
	case x.IsString():
		left, right := x.Str().String(), y.Str().String()
		s.comparing(left, right)
		return left < right
	}
	return s.Thread().Less(x, y)
}
