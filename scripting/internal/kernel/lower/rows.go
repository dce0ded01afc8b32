package lower

import (
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// This file translates looks at components: of the row, whose fields are locals of the
// kernel, and of other entities, whose fields are loads from memory. Assignments are in
// stores.go, and how another entity is found is in entity_access.go.
//
// The IR loads each field before the body and stores it after, see ir.Field. So a field is
// a local like any other between the two, and a row that stops has changed nothing.

// rowValue is a component as a whole: a parameter, or a copy that ecs.get has made of
// another entity's. Nothing changes other entities while a kernel works on a
// rowValue, so that the copy need not be one.
//
// Exactly one of term and address counts. The present of an optional parameter is asked
// where a field is named, see need, so a rowValue that lacks the component is the VM's only if
// it comes there.
type rowValue struct {
	name    string
	term    int // of the parameter; -1: a copy
	fields  []schema.Field
	address *ir.Expr // of a copy, a Place
	present *ir.Expr // nil: it is always there
}

// termRow returns the row that a parameter stands for.
func (l *lowerer) termRow(term int) *rowValue {
	t := &l.sig.Terms[term]
	r := &rowValue{name: t.Name, term: term, fields: t.Fields}
	if t.Optional && t.Unreachable == "" {
		r.present = &ir.Expr{Op: ir.Present, Type: ir.Bool, Column: l.column(term)}
	}
	return r
}

// column returns the column of a term.
//
// The column is made where the term is first named, and a term that is never named has
// none. The number is part of how the module is called.
func (l *lowerer) column(term int) int {
	column, ok := l.columns[term]
	if !ok {
		t := &l.sig.Terms[term]
		column = len(l.f.Columns)
		l.columns[term] = column
		l.f.Columns = append(l.f.Columns, ir.Column{
			Name: t.Name, Term: term, Stride: uint32(t.Stride), Optional: t.Optional || t.Stride == 0,
		})
	}
	return column
}

// whole is a row as a value: for tags true, and for others what has fields.
//
// A row that may be nil keeps that in present, so a condition can ask for it.
func (l *lowerer) whole(r *rowValue, pos syntax.Pos) val {
	if r.term >= 0 && l.sig.Terms[r.term].Unreachable != "" {
		l.refuse(pos, "%q: %s, it", r.name, l.sig.Terms[r.term].Unreachable)
		return nothing()
	}
	if r.term >= 0 && len(r.fields) == 0 {
		return val{expr: &ir.Expr{Op: ir.Present, Type: ir.Bool, Column: l.column(r.term)}}
	}
	v := val{row: r}
	if r.present != nil {
		v.present = again(r.present)
	}
	return v
}

// entity returns the handle of the row.
//
// entity reads the handle from a column of its own, the only one that is no component.
// ir.Func.IsOwn knows the row's own entity by it.
func (l *lowerer) entity() *ir.Expr {
	column, ok := l.columns[ir.Entities]
	if !ok {
		column = len(l.f.Columns)
		l.columns[ir.Entities] = column
		l.f.Columns = append(l.f.Columns, ir.Column{Name: "entity", Term: ir.Entities, Stride: 8})
	}
	return l.get(l.loaded(fieldKey{term: ir.Entities}, column, schema.Ref, "entity"))
}

// loaded returns the local that stands for a place in a column.
//
// A field has one local in all of the function, those that are inlined included. Two locals
// for one field would each be stored, and the later store would win.
func (l *lowerer) loaded(key fieldKey, column int, kind schema.Kind, name string) int {
	if local, ok := l.fields[key]; ok {
		return local
	}
	local := l.f.NewLocal(name, ir.TypeOf(kind))
	l.f.Fields = append(l.f.Fields, ir.Field{Local: local, Column: column, Kind: kind, Offset: uint32(key.offset)})
	l.fields[key] = local
	return local
}

// spot is a place in a row: a field, an element of an array, or a part of a
// nested struct.
//
// The path is empty for a row as a whole, which step goes on from.
type spot struct {
	pos   syntax.Pos // of the last name or bracket that leads there
	row   *rowValue
	path  string
	field schema.Field // with the offset from the begin of the row
	index *ir.Expr     // of an element, a constant or a local; nil for the field itself
}

// spot recognises p.x, p.at.x and p.list[i] where p is a row.
//
// nil means that the expression is something else, and not that it is refused: the caller
// looks for other meanings then. An index is translated here, so an expression must be
// asked once only.
func (l *lowerer) spot(e syntax.Expr) *spot {
	get, ok := e.(*syntax.Index)
	if !ok {
		return nil
	}
	s := l.base(get.Object)
	if key, isName := get.Key.(*syntax.String); isName {
		return l.step(s, key.Value, get.Position())
	}
	if s == nil || s.path == "" {
		return nil
	}
	if s.field.Len == 0 || s.index != nil || s.field.Kind == schema.Struct {
		l.refuse(get.Position(), "%q with an index", s.path)
	}
	s.pos = get.Pos
	if s.index = l.number(get.Key, "an index that is"); s.index.Op != ir.Const {
		s.index = l.keep("index", s.index)
	}
	return s
}

// base is what is left of a dot or a bracket.
func (l *lowerer) base(e syntax.Expr) *spot {
	switch e := e.(type) {
	case *syntax.Name:
		if b := l.lookup(e); b != nil && b.kind == isRow {
			return &spot{row: b.row, field: schema.Field{Kind: schema.Struct, Fields: b.row.fields}}
		}
	case *syntax.Index:
		return l.spot(e)
	case *syntax.Call:
		if list := l.calls(e); len(list) > 0 && list[0].row != nil {
			r := list[0].row
			return &spot{row: r, field: schema.Field{Kind: schema.Struct, Fields: r.fields}}
		}
	}
	return nil
}

// step goes to a field of a struct.
//
// Offsets add up, since a struct lies inside of the struct around it. O(fields of the
// struct).
func (l *lowerer) step(s *spot, name string, pos syntax.Pos) *spot {
	if s == nil {
		return nil
	}
	if s.row.term >= 0 && l.sig.Terms[s.row.term].Unreachable != "" {
		l.refuse(pos, "%q: %s, it", s.row.name, l.sig.Terms[s.row.term].Unreachable)
		return s
	}
	if s.field.Kind != schema.Struct || s.field.Len > 0 || s.index != nil {
		l.refuse(pos, "%q of %q", name, s.path)
		return s
	}
	for _, f := range s.field.Fields {
		if f.Name != name {
			continue
		}
		next := &spot{pos: pos, row: s.row, path: name, field: f}
		next.field.Offset += s.field.Offset
		if s.path != "" {
			next.path = s.path + "." + name
		}
		return next
	}
	l.refuse(pos, "the unknown field %q", name)
	return s
}

// usable refuses kinds of fields that kernels cannot hold.
//
// Offsets are 32 bits in the module. The size is checked with the whole array, so that an
// element cannot be beyond.
func (l *lowerer) usable(s *spot) bool {
	f := &s.field
	switch {
	case l.err != nil:
	case f.Len > 0 && s.index == nil:
		l.refuse(s.pos, "the array %q as a whole", s.path)
	case (f.Kind < schema.Bool || f.Kind > schema.F64) && f.Kind != schema.Enum && f.Kind != schema.Ref:
		l.refuse(s.pos, "%q, a field of kind %s,", s.path, f.Kind)
	case f.Offset+f.Stride*uintptr(max(f.Len, 1)) > math.MaxUint32:
		l.refuse(s.pos, "a component of this size")
	}
	return l.err == nil
}

// read returns the value in a place.
//
// An index that is written out and leads nowhere is nil, as in Lua. One that is computed
// gives a value that may be nil: the element is then any one, and present says that it does
// not count.
func (l *lowerer) read(s *spot) val {
	if !l.usable(s) {
		return nothing()
	}
	l.need(s.row)
	if s.index == nil {
		return l.valueOf(l.element(s, 0), &s.field)
	}
	if s.index.Op == ir.Const {
		i := int(s.index.Value)
		if float64(i) != s.index.Value || i < 1 || i > s.field.Len {
			return val{isNil: true}
		}
		return l.valueOf(l.element(s, i-1), &s.field)
	}
	v := l.valueOf(l.elementAt(s, s.index), &s.field)
	v.present = both(l.inRange(s.index, s.field.Len), v.present)
	return v
}

// need has the VM run rows that lack a component.
func (l *lowerer) need(r *rowValue) {
	if r.present != nil {
		l.demand(again(r.present), "a row may lack %s", r.name)
	}
}

// element returns the i-th element of a place, or the only one.
//
// A row without a term is another entity's: its value is loaded where the text reads it,
// into a local of its own. A field of the row needs no load here.
//
// reads and cleared work together, see clear: a field that was set to nil must not be read
// after that.
func (l *lowerer) element(s *spot, i int) *ir.Expr {
	at := s.field.Offset + uintptr(i)*s.field.Stride
	if s.row.term < 0 {
		return l.keep(s.path, &ir.Expr{
			Op: ir.Load, Type: ir.TypeOf(s.field.Kind), Kind: s.field.Kind, Offset: uint32(at), Args: []*ir.Expr{again(s.row.address)},
		})
	}
	local := l.slot(s, i)
	if l.reads.Add(local); l.cleared.Has(local) {
		l.refuse(s.pos, "a look at %q, which was set to nil,", s.path)
	}
	return l.get(local)
}

// slot returns the local of the i-th element of a place in a parameter. The name is for
// texts of the kernel and for reasons.
func (l *lowerer) slot(s *spot, i int) int {
	name := s.row.name + "." + s.path
	if s.field.Len > 0 {
		name += "[" + strconv.Itoa(i+1) + "]"
	}
	return l.loaded(fieldKey{s.row.term, s.field.Offset + uintptr(i)*s.field.Stride}, l.column(s.row.term), s.field.Kind, name)
}

// fewest is how many elements an array may have to be kept in locals, all of them:
// then an index is a choice among them. A longer one stays in memory, unless it is
// assigned: then it may have up to several, and takes as long as it has elements.
const fewest, several = 16, 64

// elementAt returns the element at an index that is in a local; any element when
// there is none.
//
// A choice among locals takes a comparison and a Pick for each element, but lets passes see
// through it, and it is the only way that sees what the row has assigned.
func (l *lowerer) elementAt(s *spot, index *ir.Expr) *ir.Expr {
	assigned := l.fn.indexed[lastName(s.path)]
	switch {
	case s.row.term < 0:
		return l.stride(s, again(s.row.address), index)
	case s.field.Len > fewest && !assigned:
		l.afar = append(l.afar, farRead{s, l.outside(s.pos)})
		return l.stride(s, &ir.Expr{Op: ir.Here, Type: ir.Place, Column: l.column(s.row.term)}, index)
	case s.field.Len > several:
		l.refuse(s.pos, "an array of more than %d elements that is assigned, with an index that is not written out,", several)
		return ir.Constant(0)
	}
	e := l.element(s, 0)
	for i := 1; i < s.field.Len; i++ {
		e = pick(binary(ir.Eq, again(index), ir.Constant(float64(i+1))), l.element(s, i), e)
	}
	return e
}

// stride loads the element at an index of an array in memory; any element when there
// is none.
//
// The index is bounded before it is used, so the address is inside of the array whatever
// the row computes. Demands would do it too, but an index outside gives nil in Lua, and no
// error.
func (l *lowerer) stride(s *spot, address, index *ir.Expr) *ir.Expr {
	inside := l.keep("inside", pick(l.inRange(index, s.field.Len), again(index), ir.Constant(1)))
	offset := binary(ir.Mul, binary(ir.Sub, inside, ir.Constant(1)), ir.Constant(float64(s.field.Stride)))
	return l.keep(s.path, &ir.Expr{
		Op: ir.Load, Type: ir.TypeOf(s.field.Kind), Kind: s.field.Kind, Offset: uint32(s.field.Offset),
		Args: []*ir.Expr{{Op: ir.Step, Type: ir.Place, Args: []*ir.Expr{address, offset}}},
	})
}

// farRead is a look at an array of the row's own in memory.
type farRead struct {
	*spot
	outside syntax.Pos // the place in the each function
}

// unassigned refuses a kernel that assigns an element of an array which it reads in
// memory: what is assigned comes there at the end of the row. Within one function
// that is known beforehand.
//
// It runs when the body is done. function.indexed knows of assignments in the text of one
// function, and inlined functions may assign what their caller reads.
func (l *lowerer) unassigned() {
	for _, r := range l.afar {
		first := r.field.Offset
		for i := range l.f.Fields {
			f := &l.f.Fields[i]
			at := uintptr(f.Offset)
			if f.Store && l.f.Columns[f.Column].Term == r.row.term && at >= first && at < first+uintptr(r.field.Len)*r.field.Stride {
				l.refuse(r.outside, "an array of more than %d elements that another function assigns", fewest)
			}
		}
	}
}

// inRange is whether an index in a local has an element, of n.
func (l *lowerer) inRange(index *ir.Expr, n int) *ir.Expr {
	return l.upTo(index, ir.Constant(float64(n)))
}

// upTo is whether an index in a local is a whole number from 1 to the last.
//
// Not-a-number fails the comparisons, and a fraction differs from its floor.
func (l *lowerer) upTo(index, last *ir.Expr) *ir.Expr {
	bounds := binary(ir.And, binary(ir.Le, ir.Constant(1), again(index)), binary(ir.Le, again(index), last))
	return binary(ir.And, bounds, binary(ir.Eq, unary(ir.Floor, again(index)), again(index)))
}

// valueOf is what a field's content is in Lua.
func (l *lowerer) valueOf(e *ir.Expr, f *schema.Field) val {
	switch f.Kind {
	case schema.Enum:
		return val{expr: e, names: f.Names}
	}
	return val{expr: e}
}

// clear notes that an entity field is set to nil. It is 0 from then on, but Lua
// keeps the nil until the row ends, so that whatever reads it in between must be
// left to Lua.
func (l *lowerer) clear(s *spot, pos syntax.Pos) {
	local := l.slot(s, 0)
	if l.loops > 0 && l.reads.Has(local) {
		l.refuse(pos, "nil in an entity field that is read in the same loop")
	}
	l.cleared.Add(local)
}
