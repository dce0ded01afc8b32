package library

import (
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/internal/numbers"
)

// The table table.

// lists lists the functions of the table table.
func (lib *Library) lists() []builtin {
	return []builtin{
		native("concat", lib.tableConcat),
		native("insert", lib.tableInsert),
		native("maxn", lib.tableMaxN),
		native("remove", lib.tableRemove),
		native("sort", lib.tableSort),
	}
}

// tableConcat is table.concat. It measures the text as it grows.
func (lib *Library) tableConcat(c *machine.Call) {
	a := args{c}
	t, separator := lib.table(a, 1), ""
	if !a.Arg(2).IsNil() {
		separator = a.text(2)
	}
	first, last := a.integerOr(3, 1), a.integerOr(4, -1)
	if a.Arg(4).IsNil() {
		last = listLength(t)
	}
	out := lib.take()
	for i := first; i <= last; i++ {
		value := t.GetInt(i)
		if !isText(value) {
			a.raise("invalid value (%s) at index %d in table for \"concat\"", machine.TypeName(value), i)
		}
		have := len(out)
		if value.IsNumber() {
			out = numbers.Append(out, value.Float())
			a.writing(value.Float())
		} else {
			a.fits(have + value.Str().Len() + len(separator)) // before it is copied
			out = append(out, value.Str().String()...)
		}
		a.Text(have, len(out)-have+len(separator))
		a.Charge(1)
		if i == last { // before i could overflow
			break
		}
		out = append(out, separator...)
	}
	a.pushBytes(out)
	lib.keep(out)
}

// tableInsert is table.insert. A plain table moves its items by one copy. A proxy is
// assigned to item by item, so that the host notices each change.
func (lib *Library) tableInsert(c *machine.Call) {
	a := args{c}
	given := lib.proxy(a, 1)
	t := lib.unwrap(given)
	end := listLength(t) + 1
	switch a.Len() {
	case 2:
		lib.put(a, given, machine.Number(float64(end)), a.Arg(2))
	case 3:
		position := a.integer(2)
		if position >= 1 && position < end && !a.Arg(3).IsNil() && lib.own(given) {
			a.Charge(copySteps(end - position))
			t.Insert(position, a.Arg(3))
			break
		}
		for i := end; i > position && i > end-maxShift; i-- {
			a.chargeMove(end - i)
			lib.put(a, given, machine.Number(float64(i)), t.GetInt(i-1))
		}
		lib.put(a, given, machine.Number(float64(position)), a.Arg(3))
	default:
		a.raise("wrong number of arguments to \"insert\"")
	}
	a.Return(0)
}

// maxShift bounds the work of an insert far before the first item. Such an insert makes no
// sense, but is allowed.
const maxShift = 1 << 20

// copySteps is what it takes to move items by one copy, which moves about 16 for a step.
func copySteps(items int) int { return max(items, 0) / 16 }

// chargeMove charges for items that are moved one by one, each of which is looked up and
// assigned: 8 steps for each, at every sixteenth, so that a call stops soon after its
// limit, however far it was to go.
func (a args) chargeMove(moved int) {
	if moved%16 == 15 {
		a.Charge(8 * 16)
	}
}

// tableRemove is table.remove.
func (lib *Library) tableRemove(c *machine.Call) {
	a := args{c}
	given := lib.proxy(a, 1)
	t := lib.unwrap(given)
	length := listLength(t)
	position := a.integerOr(2, length)
	if position < 1 || position > length {
		a.Return(0)
		return
	}
	if lib.own(given) {
		a.Charge(copySteps(length - position))
		a.Push(t.Remove(position))
		return
	}
	removed := t.GetInt(position)
	for i := position; i <= length; i++ {
		a.chargeMove(i - position + 1)
		lib.put(a, given, machine.Number(float64(i)), t.GetInt(i+1))
	}
	a.Push(removed)
}

// tableMaxN is table.maxn: the largest number that is a key. It goes through the whole
// table.
func (lib *Library) tableMaxN(c *machine.Call) {
	a := args{c}
	t := lib.table(a, 1)
	a.Charge(t.Entries() / 4)
	a.pushNumber(t.MaxN())
}

// popLast is the statement t[#t] = nil.
func (lib *Library) popLast(c *machine.Call) {
	a := args{c}
	v := a.Arg(1)
	if t := v.Table(); t != nil && t.Metatable() == nil {
		t.SetInt(t.Len(), machine.Nil)
		a.Return(0)
		return
	}
	a.Thread().SetIndex(v, a.Thread().Length(v), machine.Nil)
	a.Return(0)
}
