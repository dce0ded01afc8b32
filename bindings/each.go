package bindings

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	lua "github.com/yuin/gopher-lua"
)

// eachRun calls an each function for every row of a query.
type eachRun struct {
	m      *Module
	s      *System
	shape  *eachShape
	views  *viewer
	rows   []*row       // by term, for whole parameters
	fixed  []lua.LValue // by argument: values that are the same for all rows
	column [][]float64  // by argument: numbers of the view, for scalars
	query  *ecs.Query
	ctx    lua.LValue
}

// eachRunner runs a system that has an each function.
func (m *Module) eachRunner(s *System, q *ecs.Query) func(*ecs.Tick) error {
	terms := s.query.terms()
	x := &eachRun{
		m: m, s: s, shape: s.shape, views: newViewer(m.world, terms), query: q, rows: make([]*row, len(terms)),
		fixed: make([]lua.LValue, len(s.shape.args)), column: make([][]float64, len(s.shape.args)),
	}
	for _, arg := range s.shape.args {
		if arg.kind == argRow {
			x.rows[arg.term] = m.newRow(terms[arg.term].schema)
		}
	}
	return func(t *ecs.Tick) error {
		return m.invoke(t, s.Script, s.Name, func(L *lua.LState) { x.run(L, t) })
	}
}

func (x *eachRun) run(L *lua.LState, t *ecs.Tick) {
	x.ctx = x.s.context.fill(L, t)
	if !x.m.due(L, x.s, x.ctx) {
		return
	}
	times := []float64{t.DT, t.Time, float64(t.N)} // fresh: scripts may keep the numbers
	for i, arg := range x.shape.args {
		switch arg.kind {
		case argContext:
			x.fixed[i] = x.ctx
		case argDT, argTime, argTick:
			x.fixed[i] = x.m.boxer.box(&times[arg.kind-argDT])
		}
	}
	x.views.each(x.query, func(v *view) { x.chunk(L, v) })
}

// chunk calls the function for the rows of one view.
func (x *eachRun) chunk(L *lua.LState, v *view) {
	n := len(v.entities)
	handles := x.fill(v, n)
	for _, arg := range x.shape.results {
		x.m.open(v, &v.columns[arg.term])
	}
	for i, e := range v.entities {
		x.m.call.entity = e
		L.Push(x.shape.function)
		L.Push(x.m.boxer.box(&handles[i]))
		for k := range x.shape.args {
			x.push(L, v, k, i)
		}
		L.Call(len(x.shape.args)+1, len(x.shape.results))
		x.takeBack(L, v, i)
	}
	x.m.call.entity = 0
}

// fill reads the numbers of a view, column by column, into memory of its own:
// the numbers that scripts get point into it.
func (x *eachRun) fill(v *view, n int) []float64 {
	scalars := 1
	for _, arg := range x.shape.args {
		if arg.numeric() {
			scalars++
		}
	}
	buf := make([]float64, n*scalars)
	handles := buf[:n:n]
	for i, e := range v.entities {
		handles[i] = float64(e)
	}
	for k, arg := range x.shape.args {
		if arg.numeric() {
			buf = buf[n:]
			x.column[k] = buf[:n:n]
			readNumbers(x.column[k], &v.columns[arg.term], arg.field)
		}
	}
	return handles
}

// numeric reports whether the argument is a field that is a number in Lua.
func (a *eachArg) numeric() bool {
	return a.kind == argScalar && a.field.Kind != ecs.Bool && a.field.Kind != ecs.Enum && a.field.Kind != ecs.String
}

// push puts the k-th argument for the i-th row on the stack.
func (x *eachRun) push(L *lua.LState, v *view, k, i int) {
	arg := &x.shape.args[k]
	switch arg.kind {
	case argScalar:
		if x.column[k] != nil {
			L.Push(x.m.boxer.box(&x.column[k][i]))
			return
		}
		L.Push(load(L, arg.field, v.columns[arg.term].at(i)))
	case argRow:
		if p := v.columns[arg.term].at(i); p != nil {
			x.m.open(v, &v.columns[arg.term])
			L.Push(x.rows[arg.term].fill(L, p))
		} else {
			L.Push(lua.LNil)
		}
	case argTag:
		L.Push(lua.LBool(v.columns[arg.term].at(i) != nil))
	default:
		L.Push(x.fixed[k])
	}
}

// takeBack stores what the function returned or left in its row tables.
func (x *eachRun) takeBack(L *lua.LState, v *view, i int) {
	if n := len(x.shape.results); n > 0 {
		for k := range x.shape.results {
			r := &x.shape.results[k]
			x.store(L, r, v.columns[r.term].at(i), L.Get(k-n))
		}
		L.Pop(n)
	}
	for term, r := range x.rows {
		if r != nil {
			if p := v.columns[term].at(i); p != nil {
				r.store(L, x.s, p)
			}
		}
	}
}

// store writes one returned field.
func (x *eachRun) store(L *lua.LState, r *eachArg, p unsafe.Pointer, v lua.LValue) {
	if n, ok := v.(lua.LNumber); ok {
		switch r.field.Kind {
		case ecs.F64:
			*(*float64)(unsafe.Add(p, r.field.Offset)) = float64(n)
			return
		case ecs.F32:
			*(*float32)(unsafe.Add(p, r.field.Offset)) = float32(n)
			return
		}
	}
	if why := cannotHold(r.field, v); why != "" {
		raise(L, &Error{
			Script: x.s.Script, Line: r.line,
			Message: "field \"" + r.field.Name + "\" of \"" + x.s.query.terms()[r.term].name + "\": " + why,
		})
	}
	store(r.field, p, v)
}

// row is the table that stands for one component of the row at hand. It holds
// the fields themselves; reading or writing another name is an error.
type row struct {
	schema *ecs.Schema
	table  *lua.LTable
}

func (m *Module) newRow(s *ecs.Schema) *row {
	t := m.main.CreateTable(0, len(s.Fields))
	meta := m.metatable(m.main, nil)
	complain := func(L *lua.LState) int {
		name := L.Get(2).String()
		if f := s.Field(name); f != nil {
			L.RaiseError("field %q of %q was set to nil", name, s.Name)
		}
		L.RaiseError("unknown field %q of %q%s", name, s.Name, DidYouMean(name, fieldNames(s)))
		return 0
	}
	meta.RawSetString("__index", m.main.NewFunction(complain))
	meta.RawSetString("__newindex", m.main.NewFunction(complain))
	t.Metatable = meta
	return &row{schema: s, table: t}
}

// fill copies the struct at p into the table.
func (r *row) fill(L *lua.LState, p unsafe.Pointer) *lua.LTable {
	for i := range r.schema.Fields {
		f := &r.schema.Fields[i]
		r.table.RawSetString(f.Name, load(L, f, p))
	}
	return r.table
}

// store copies the table back into the struct at p. A field that the script
// set to nil is an error, except for entities: nil is none.
func (r *row) store(L *lua.LState, s *System, p unsafe.Pointer) {
	for i := range r.schema.Fields {
		f := &r.schema.Fields[i]
		v := r.table.RawGetString(f.Name)
		if f.Kind == ecs.Opaque {
			continue
		}
		if why := cannotHold(f, v); why != "" {
			raise(L, &Error{
				Script: s.Script, Line: s.Line,
				Message: "field \"" + f.Name + "\" of \"" + r.schema.Name + "\": " + why,
			})
		}
		store(f, p, v)
	}
}

// readNumbers copies one field of every row. Rows without the component read 0.
func readNumbers(dst []float64, c *column, f *ecs.Field) {
	if c.base == nil {
		for i := range dst {
			if p := c.at(i); p != nil {
				dst[i] = f.Kind.Load(unsafe.Add(p, f.Offset))
			}
		}
		return
	}
	p := unsafe.Add(c.base, f.Offset)
	switch f.Kind {
	case ecs.F64:
		for i := range dst {
			dst[i] = *(*float64)(unsafe.Add(p, uintptr(i)*c.stride))
		}
	case ecs.F32:
		for i := range dst {
			dst[i] = float64(*(*float32)(unsafe.Add(p, uintptr(i)*c.stride)))
		}
	default:
		for i := range dst {
			dst[i] = f.Kind.Load(unsafe.Add(p, uintptr(i)*c.stride))
		}
	}
}
