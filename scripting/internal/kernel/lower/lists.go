package lower

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Lists that are long, lists that grow, and lists of tables are copied into the kernel's memory
// before each run: of tables one field that the text reads, for all items.

// mostItems bounds the copies of one kernel: half of the memory for them, which notes of
// changes need, too. An item takes 8 bytes, see ir.List. The bound is reckoned for all
// lists of a kernel together.
const mostItems = 3840

// listItem is a table in a list, found by an index: list[i], list[i].at.
//
// The path is empty for list[i] itself. The index is used by each look at a field of the
// listItem, so it is in a local or a constant, and again may copy it.
type listItem struct {
	list  Resolved
	path  []string
	index *ir.Expr // in a local, inside of the list
}

// copied is what a list of the kernel is a copy of.
//
// Two looks share a copy if place, path and inner are the same: newList is called once for
// each such triple. Entries stand at the same positions as those of ir.Func.Lists.
type copied struct {
	place any // of the list
	path  []string
	inner int
	truth bool // it is one of booleans
	grows bool // its length is read in each run
}

// member returns what list[i] is where that is no number: a table.
//
// The first item stands for all: what its path leads to decides what the kernel expects of
// the others. If one of them differs by the time of a run, Items returns another kind and
// the kernel does not run that time, see newList.
//
// slices.Clip is needed: two fields of one table would otherwise be appended to the same
// memory.
func (l *lowerer) member(t Resolved, index *ir.Expr, path []string) Resolved {
	inside := t.Inside(path)
	v := Resolved{Kind: inside.Kind, Name: t.Path + "[…]", Path: t.Path + "[…]", item: &listItem{t, path, index}}
	for _, name := range path {
		v.Path += "." + name
	}
	v.Name = v.Path
	switch v.Kind {
	case Number, Truth:
		v.made = func(pos syntax.Pos) val { return l.copied(v.item, 0, index, pos) }
	case Table:
		n := inside.Len()
		v.Field = func(name string) Resolved { return l.member(t, index, append(slices.Clip(path), name)) }
		v.Len = func() int { return n }
		v.Item = func(int) Resolved {
			return Resolved{Kind: Number, made: func(pos syntax.Pos) val { return l.howMany(v.item, n, pos) }}
		}
	default:
		v.Name = "\"" + v.Path + "\", which is no number in the first item,"
	}
	return v
}

// howMany is how many items the lists in a list have: as many as the first one, or the
// kernel cannot run. The copy checks that, since Items with inner returns Other for a list
// of another length; so one is asked for even if nothing of it is read.
func (l *lowerer) howMany(it *listItem, n int, pos syntax.Pos) val {
	if n > 0 {
		l.copied(it, n, ir.Constant(1), pos)
	} else {
		l.refuseNow(pos, "the length of what is in %q, of which the first is empty,", it.list.Path)
	}
	return val{expr: ir.Constant(float64(n))}
}

// copied reads a number of an item, or with inner, the one at an index into all items
// of the lists there, one behind the other.
//
// O(copies) for the search, which are bounded by the looks in the text. Booleans are copied
// as 1 and 0, and compared with 0 to be booleans again.
func (l *lowerer) copied(it *listItem, inner int, index *ir.Expr, pos syntax.Pos) val {
	name := it.list.Path + "[…]"
	for _, field := range it.path {
		name += "." + field
	}
	if inner > 0 {
		name += "[…]"
	}
	at := slices.IndexFunc(l.copies, func(c copied) bool {
		return c.place == it.list.Place && slices.Equal(c.path, it.path) && c.inner == inner
	})
	if at < 0 {
		at = l.newList(name, it, inner, pos)
	}
	if l.err != nil {
		return nothing()
	}
	e := &ir.Expr{Op: ir.Item, Type: ir.Num, List: at, Args: []*ir.Expr{again(index)}}
	if l.copies[at].truth {
		e = binary(ir.Ne, e, ir.Constant(0))
	}
	return val{expr: e}
}

// newList adds a list to the kernel and returns its number. The items are copied once here,
// to see of which kind they are; Read does the same before each run and insists on that
// kind.
func (l *lowerer) newList(name string, it *listItem, inner int, pos syntax.Pos) int {
	left, each := mostItems, max(inner, 1)
	for _, list := range l.f.Lists {
		left -= list.Len
	}
	room := min(l.room(it.list), left/each)
	if l.sig.Ample {
		room = min(room, it.list.Len())
	}
	if room < it.list.Len() {
		l.refuseNow(pos, "%q, with which there are more than %d items of lists,", it.list.Path, mostItems)
		return 0
	}
	kind := it.list.Items(it.path, inner, make([]float64, it.list.Len()*each))
	if kind == Other {
		l.unsettled = l.unsettled || l.err == nil
		l.refuseFor(pos, "give each item a number there, such as 0", "%q, which is not a number in all of the items,", name)
	}
	count := l.count(it.list)
	l.f.Lists = append(l.f.Lists, ir.List{Name: name, Len: room * each, Read: func(items []float64) bool {
		n := count() * each
		return n == 0 || n > 0 && n <= len(items) && it.list.Items(it.path, inner, items[:n]) == kind
	}})
	l.copies = append(l.copies, copied{it.list.Place, it.path, inner, kind == Truth, l.grows(it.list)})
	return len(l.f.Lists) - 1
}

// room is how many items the copy of a list has room for, and how often a loop over it turns
// at most: twice as many as there are, about, so that a list that grows needs few kernels. Of an
// Ample kernel, loops over lists turn as often as any list has items, and the copies get the rest
// of their room in the end, see amply.
func (l *lowerer) room(t Resolved) int {
	switch {
	case !l.grows(t):
		return t.Len()
	case l.sig.Ample:
		return max(mostItems, t.Len())
	}
	return max(16, 1<<bits.Len(uint(t.Len())))
}

// amply shares what room is left among the copies of lists that grow. Up to then those of an Ample
// kernel have room for the items that there are, so that no list is refused for the sake of another.
func (l *lowerer) amply() {
	left, growing := mostItems, 0
	for i, c := range l.copies {
		if left -= l.f.Lists[i].Len; c.grows {
			growing++
		}
	}
	if !l.sig.Ample || growing == 0 {
		return
	}
	for i, c := range l.copies {
		if each := max(c.inner, 1); c.grows {
			l.f.Lists[i].Len += left / growing / each * each
		}
	}
}

// grows reports whether the length of a list is read in each run. Lists in a list have the
// length of the first one, which is part of the kernel.
func (l *lowerer) grows(t Resolved) bool { return l.sig.Growing && t.item == nil && t.Len() > 0 }

// last is the index of the last item.
func (l *lowerer) last(t Resolved, pos syntax.Pos) *ir.Expr {
	if !l.grows(t) {
		return ir.Constant(float64(t.Len()))
	}
	return l.given(pos, t.Item(0)).expr
}

// count returns what counts the items before a run.
func (l *lowerer) count(t Resolved) func() int {
	if !l.grows(t) {
		return t.Len
	}
	return t.Length
}

// standing notes that a table in a list is a value: the text may ask whether it is nil, and
// the answer is no for all items, or the kernel cannot run. The check takes time in
// proportion to the list, here and before each run, and so has the same bound as a copy, and
// is made once for each path.
func (l *lowerer) standing(it *listItem, pos syntax.Pos) {
	same := func(other *listItem) bool {
		return other.list.Place == it.list.Place && slices.Equal(other.path, it.path)
	}
	if slices.ContainsFunc(l.tables, same) {
		return
	}
	if it.list.Len() > mostItems || !it.list.Tables(it.path, it.list.Len()) {
		l.refuseNow(pos, "%q, which has something else than tables, or more than %d items,", it.list.Path, mostItems)
		return
	}
	l.tables = append(l.tables, it)
}

// wholly has the kernel look for tables in lists, where that does not come with the
// copy of a field of them.
//
// Lower calls it after the body, when all copies are known: whether a copy of a field comes
// later in the text cannot be known at the place where the table is named.
func (l *lowerer) wholly() {
	for _, it := range l.tables {
		read := slices.ContainsFunc(l.copies, func(c copied) bool {
			return c.place == it.list.Place && len(c.path) >= len(it.path) && slices.Equal(c.path[:len(it.path)], it.path)
		})
		if !read {
			n := l.count(it.list)
			l.f.Same = append(l.f.Same, ir.Condition{
				Holds: func() bool { return it.list.Tables(it.path, n()) },
				Else:  quoted(it.list.Path) + " has something else than tables",
			})
		}
	}
}

// place translates an index into a list and leaves rows to Lua for which it has no item.
func (l *lowerer) place(t Resolved, key syntax.Expr) *ir.Expr {
	index := l.asNumber(l.value(key), "an index that is")
	if index.Op != ir.Const {
		index = l.keep("index", index)
	}
	l.demand(l.upTo(index, l.last(t, key.Position())), "an index may be outside of %s", t.Path)
	return index
}

// inner translates list[i][k] and list[i].names[k]. The lists in a list all have one
// length, so the place of an item among all of them is a product and a sum, see stepped.
func (l *lowerer) inner(t Resolved, key syntax.Expr, pos syntax.Pos) val {
	k := l.place(t, key)
	if l.err != nil {
		return nothing()
	}
	return l.stepped(t, k, pos)
}

// overlaps refuses a kernel that assigns a field which it may read in the copy of a
// list: both may be the same table's.
//
// Only the last names are compared, for two paths may lead to one table in ways that nobody
// sees in the text. That refuses more than it must. Without it a row would read from the
// copy what a row before it has replaced.
func (l *lowerer) overlaps() {
	for i := range l.f.Inputs {
		in := &l.f.Inputs[i]
		field, isField := l.inTable[in.Local]
		name := field.name
		if !in.Store || !isField {
			continue
		}
		for _, list := range l.f.Lists {
			if lastName(list.Name) == lastName(name) {
				l.refuse(field.assigned, "an assignment to %q beside a look at %q, which may be the same,", name, list.Name)
			}
		}
	}
}

// lastName returns what is behind the last dot.
func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
