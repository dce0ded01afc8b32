package kerneltest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file draws the statements of kernels; draw_expr.go draws their expressions, and
// draw_call.go what a kernel is called with. A seed always gives the same kernel.

// Draw makes a kernel at random, of the form that lower gives its kernels: what reads or
// changes the world is a statement of its own. Kernels end: loops without a price have a
// counter.
type Draw struct {
	r      *rand.Rand
	f      *ir.Func
	out    []*ir.Stmt
	have   map[ir.Type][]int // locals that have a value
	labels []int             // of the blocks around this place
	label  int
	size   int // statements that may still come
	typed  bool
	drawn  []*ir.Expr // numbers that were computed
}

// Kernel draws one. With simple, rows have nothing to do with the world: such kernels
// can be vectors. With typed, it has what only passes make: float32 numbers and handles
// that are no numbers.
func Kernel(seed uint64, simple, typed bool) *ir.Func {
	d := &Draw{r: rand.New(rand.NewPCG(seed, 11)), have: map[ir.Type][]int{}, size: 14, typed: typed}
	world := &World{}
	d.f = &ir.Func{Name: fmt.Sprint("drawn ", seed), Memory: world.Map(), Spans: map[int]ir.Span{}}
	d.columns(simple)
	if !simple {
		d.outside()
	}
	if d.chance(3) {
		d.once()
	}
	d.labels = []int{ir.Row}
	d.f.Body = d.block(simple)
	return d.f
}

// chance is true once in so many times.
func (d *Draw) chance(n int) bool { return d.r.IntN(n) == 0 }

// columns makes the rows: all kinds of fields in one column, and a second column that
// rows may lack.
func (d *Draw) columns(simple bool) {
	d.f.Columns = []ir.Column{{Name: "body", Term: 0, Stride: 64}, {Name: "extra", Term: 1, Stride: 24, Optional: true}, {Name: "entity", Term: ir.Entities, Stride: 8}}
	list := []struct {
		name   string
		column int
		kind   ecs.Kind
		offset uint32
	}{
		{"body.x", 0, ecs.F64, 0}, {"body.y", 0, ecs.F64, 8}, {"body.r", 0, ecs.F32, 16}, {"body.s", 0, ecs.F32, 20},
		{"body.n", 0, ecs.U8, 24}, {"body.k", 0, ecs.I8, 25}, {"body.w", 0, ecs.U16, 26}, {"body.i", 0, ecs.I32, 28}, {"body.u", 0, ecs.U32, 32},
		{"body.ok", 0, ecs.Bool, 36}, {"body.wide", 0, ecs.I64, 40}, {"body.mate", 0, ecs.Ref, 48},
		{"extra.a", 1, ecs.F64, 0}, {"extra.b", 1, ecs.Bool, 8}, {"extra.c", 1, ecs.I16, 10}, {"entity", 2, ecs.Ref, 0},
	}
	for _, l := range list {
		f := ir.Field{Kind: l.kind, Column: l.column, Offset: l.offset}
		whole := l.kind == ecs.I64 || l.kind == ecs.Ref
		if d.chance(3) || simple && (whole || l.column > 0 && !d.chance(3)) {
			continue
		}
		f.Store = l.column < 2 && d.chance(2)
		f.Single = d.typed && l.kind == ecs.F32 && d.chance(3)
		f.AsHandle = d.typed && l.kind == ecs.Ref && d.chance(2)
		f.Local = d.f.NewLocal(l.name, f.Type())
		d.f.Fields = append(d.f.Fields, f)
		d.gets(f.Local)
	}
}

// outside makes what comes from elsewhere: inputs, a list, components, calls of the host.
func (d *Draw) outside() {
	for i, t := range []ir.Type{ir.Num, ir.Bool} {
		local := d.f.NewLocal([]string{"count", "flag"}[i], t)
		d.f.Inputs = append(d.f.Inputs, ir.InputLocal{Local: local, Store: d.chance(2)})
		d.gets(local)
	}
	d.f.Lists = []ir.List{{Name: "levels", Len: 5}}
	d.f.Components = []ir.Component{{Name: "first", Size: uint32(componentSizes[0])}, {Name: "second", Size: uint32(componentSizes[1])}}
	fields := func(kinds ...ecs.Kind) []ir.Part {
		p := ir.Part{}
		for _, k := range kinds {
			p.Fields = append(p.Fields, ecs.Field{Kind: k})
		}
		return []ir.Part{p}
	}
	d.f.HostCalls = []ir.HostCall{
		{Op: "despawn"}, {Op: "add", Parts: fields(ecs.F64, ecs.U8)}, {Op: "emit", Parts: fields(ecs.Ref, ecs.F32)}, {Op: "get"}, {Op: "parent"}, {Op: ir.Exposed},
	}
}

// gets notes that a local has a value.
func (d *Draw) gets(local int) {
	t := d.f.Locals[local].Type
	if !slices.Contains(d.have[t], local) {
		d.have[t] = append(d.have[t], local)
	}
}

// once makes what depends on no row.
func (d *Draw) once() {
	local := d.f.NewLocal("once", ir.Num)
	e := d.op(ir.Mul, d.op(ir.DT), d.number(-1))
	d.f.Once = []*ir.Stmt{{Kind: ir.Set, Local: local, Value: e}}
	d.gets(local)
}

// block draws a list of statements. What it assigns has no value after it for sure.
func (d *Draw) block(simple bool) []*ir.Stmt {
	outer, have := d.out, maps.Clone(d.have)
	for t := range have {
		have[t] = slices.Clone(have[t])
	}
	d.out = nil
	for range 1 + d.r.IntN(5) {
		if d.size--; d.size < 0 {
			break
		}
		d.statement(simple)
		if n := len(d.out); n > 0 && d.out[n-1].Leaves() {
			break
		}
	}
	list := d.out
	if len(list) == 0 {
		list = []*ir.Stmt{{Kind: ir.Set, Local: d.f.NewLocal("unused", ir.Bool), Value: ir.Truth(true)}}
	}
	d.out, d.have = outer, have
	return list
}

// emit appends a statement. Lines differ, because lookups remember tables by line.
func (d *Draw) emit(s *ir.Stmt) {
	s.Line = len(d.f.Locals)
	d.out = append(d.out, s)
}

// keep assigns an expression to a new local.
func (d *Draw) keep(name string, e *ir.Expr) *ir.Expr {
	local := d.f.NewLocal(name, e.Type)
	d.emit(&ir.Stmt{Kind: ir.Set, Local: local, Value: e})
	d.gets(local)
	return d.get(local)
}

func (d *Draw) get(local int) *ir.Expr {
	return &ir.Expr{Op: ir.Get, Type: d.f.Locals[local].Type, Local: local}
}

// statement draws one statement. A kernel that may become vectors has none that vectors
// cannot do, but for branches and blocks.
func (d *Draw) statement(simple bool) {
	n := d.r.IntN(16)
	switch {
	case n < 6:
		d.set()
	case n < 9:
		s := &ir.Stmt{Kind: ir.If, Value: d.truth(2)}
		if s.Body = d.block(simple); d.chance(2) {
			s.Else = d.block(simple)
		}
		d.emit(s)
	case n == 9 && !simple:
		d.emit(&ir.Stmt{Kind: ir.If, Value: d.truth(1), Body: []*ir.Stmt{{Kind: ir.Stop, Why: "drawn"}}})
	case n == 10:
		d.emit(&ir.Stmt{Kind: ir.If, Value: d.truth(1), Body: []*ir.Stmt{{Kind: ir.Leave, Label: d.labels[d.r.IntN(len(d.labels))]}}})
	case n == 11:
		d.labelled(func() []*ir.Stmt { return d.block(simple) })
	case n == 12 && !simple:
		d.loop()
	case n > 12 && !simple:
		d.world()
	default:
		d.keep("kept", d.number(2))
	}
}

// set assigns a local that has a value, of any type: a field that is stored, an input, a
// variable.
func (d *Draw) set() {
	var list []int
	for _, t := range []ir.Type{ir.Num, ir.Bool, ir.Num32, ir.Handle} {
		for _, local := range d.have[t] {
			f, in := d.f.FieldOf(local), d.f.InputOf(local)
			name := d.f.Locals[local].Name
			if f != nil && f.Store || in != nil && in.Store || f == nil && in == nil && strings.HasPrefix(name, "kept") {
				list = append(list, local)
			}
		}
	}
	if len(list) == 0 {
		d.keep("kept", d.number(2))
		return
	}
	local := list[d.r.IntN(len(list))]
	d.emit(&ir.Stmt{Kind: ir.Set, Local: local, Value: d.expr(d.f.Locals[local].Type, 3)})
}

// labelled writes a block that can be left.
func (d *Draw) labelled(body func() []*ir.Stmt) {
	d.label++
	s := &ir.Stmt{Kind: ir.Block, Label: d.label}
	d.labels = append(d.labels, d.label)
	s.Body = body()
	d.labels = d.labels[:len(d.labels)-1]
	d.emit(s)
}

// loop writes the form that lower gives to loops, see passes, unroll.go: one that counts to a small number, or one that takes fuel for each turn.
func (d *Draw) loop() {
	turns := 1 + d.r.IntN(4)
	i := d.keep("turn", ir.Constant(0))
	s := &ir.Stmt{Kind: ir.Loop, Turns: turns + 1}
	if d.chance(2) {
		s.Turns, s.Cost = 0, 1+d.r.IntN(5)
	}
	d.labelled(func() []*ir.Stmt {
		outer := d.out
		d.out = nil
		d.emit(&ir.Stmt{Kind: ir.Set, Local: i.Local, Value: d.op(ir.Add, d.get(i.Local), ir.Constant(1))})
		over := d.op(ir.Not, d.op(ir.Le, d.get(i.Local), ir.Constant(float64(turns))))
		if s.Cost > 0 {
			over = d.op(ir.Or, over, d.truth(1))
		}
		d.emit(&ir.Stmt{Kind: ir.If, Value: over, Body: []*ir.Stmt{{Kind: ir.Leave, Label: d.label}}})
		index := d.keep("index", d.get(i.Local))
		d.f.Spans[index.Local] = ir.Span{Low: 1, High: float64(turns)}
		s.Body = append(d.out, d.block(false)...)
		if n := len(s.Body); s.Body[n-1].Leaves() && s.Body[n-1].Kind != ir.Loop {
			s.Body = s.Body[:n-1]
		}
		d.out = outer
		return []*ir.Stmt{s}
	})
	d.forget(i.Local)
}

// forget ends the life of a local, and of indices of loops: they have a span, and after the
// loop it does not hold.
func (d *Draw) forget(local int) {
	for t, list := range d.have {
		d.have[t] = slices.DeleteFunc(slices.Clone(list), func(l int) bool {
			return l == local || strings.HasPrefix(d.f.Locals[l].Name, "index")
		})
	}
}

// world writes something that reads or changes what is not the kernel's.
func (d *Draw) world() {
	entity := func() *ir.Expr { return d.keep("who", d.someone()) }
	switch d.r.IntN(10) {
	case 0:
		d.use(d.keep("random", d.op(ir.Random)))
	case 1:
		d.use(d.keep("drawn", d.op(ir.Draw, ir.Constant(float64(d.r.IntN(3))), ir.Constant(float64(3+d.r.IntN(9))))))
	case 2:
		d.keep("alive", d.op(ir.Alive, entity()))
	case 3:
		d.demand(d.op(ir.Not, d.op(ir.Touched, entity())))
	case 4, 5:
		d.component(entity())
	case 6:
		call := d.op(ir.Ask, d.asNumber(entity()))
		call.HostCall = 4
		answer := d.keep("answer", call)
		d.demand(d.op(ir.Eq, answer, d.get(answer.Local)))
		d.use(answer)
	case 7:
		d.change()
	case 8:
		call := d.op(ir.Invoke, d.number(1), d.number(1), ir.Constant(2), d.number(0), ir.Constant(0))
		call.HostCall = 5
		result := d.keep("result", call)
		d.demand(d.op(ir.Eq, result, d.get(result.Local)))
		d.use(result)
	default:
		d.element()
	}
}

// use adds a number to a field that is stored, so that it is seen in what the row leaves. A
// wrong number that nothing depends on would be removed by the passes, and never be found.
func (d *Draw) use(e *ir.Expr) {
	for i := range d.f.Fields {
		f := &d.f.Fields[i]
		if f.Store && (f.Kind == ecs.F64 || f.Kind == ecs.F32 && !f.Single) {
			sum := d.op(ir.Zero, d.op(ir.Add, d.get(f.Local), d.get(e.Local)))
			d.emit(&ir.Stmt{Kind: ir.Set, Local: f.Local, Value: sum})
			return
		}
	}
}

// someone is an entity, or a number in the place of one.
func (d *Draw) someone() *ir.Expr {
	switch {
	case len(d.have[ir.Handle]) > 0 && d.chance(2):
		return d.expr(ir.Handle, 1)
	case d.chance(2):
		return ir.Constant(float64(Handle(1 + d.r.IntN(living))))
	}
	return d.number(1)
}

// asNumber is an entity as the number that the host takes.
func (d *Draw) asNumber(e *ir.Expr) *ir.Expr {
	if e.Type == ir.Handle {
		return d.op(ir.Number, e)
	}
	return e
}

// demand stops at rows for which a condition does not hold.
func (d *Draw) demand(cond *ir.Expr) {
	d.emit(&ir.Stmt{Kind: ir.If, Value: d.op(ir.Not, cond), Body: []*ir.Stmt{{Kind: ir.Stop, Why: "demanded"}}})
}

// component looks for a component of an entity and reads what is there.
func (d *Draw) component(entity *ir.Expr) {
	which := d.r.IntN(2)
	var at *ir.Expr
	if d.chance(3) {
		which = 0
		call := d.op(ir.Fetch, d.asNumber(entity))
		call.HostCall = 3
		at = d.keep("fetched", call)
		d.demand(d.op(ir.Ne, d.get(at.Local), ir.Where(ir.Unclear)))
	} else {
		record := d.keep("record", d.op(ir.Record, entity))
		d.demand(d.op(ir.Ne, record, ir.Where(ir.Unclear)))
		find := d.op(ir.Find, d.get(record.Local))
		find.Component = which
		at = d.keep("found", find)
	}
	there := d.op(ir.Ne, d.get(at.Local), ir.Where(ir.Nowhere))
	if d.chance(2) {
		there = d.keep("there", there)
	}
	outer := d.out
	d.out = nil
	load := d.op(ir.Load, d.get(at.Local))
	load.Kind, load.Offset, load.Type = []ecs.Kind{ecs.F64, ecs.Ref}[which], 0, ir.Num
	if which == 1 && d.typed && d.chance(2) {
		load.Type = ir.Handle
	}
	d.keep("loaded", load)
	d.emit(&ir.Stmt{Kind: ir.Set, Local: d.keep("kept", ir.Constant(0)).Local, Value: d.number(2)})
	body := d.out
	d.out = outer
	for _, s := range body { // they have no value outside
		d.have[d.f.Locals[s.Local].Type] = slices.DeleteFunc(slices.Clone(d.have[d.f.Locals[s.Local].Type]), func(l int) bool { return l == s.Local })
	}
	d.emit(&ir.Stmt{Kind: ir.If, Value: there, Body: body})
}

// element reads something of the row's own struct at an offset that is computed.
func (d *Draw) element() {
	here := d.op(ir.Here)
	load := d.op(ir.Load, d.op(ir.Step, here, ir.Constant(float64(8*d.r.IntN(2)))))
	load.Kind, load.Type = ecs.F64, ir.Num
	d.use(d.keep("element", load))
}

// change notes a change of the world.
func (d *Draw) change() {
	call := d.r.IntN(3)
	e := d.op(ir.Do)
	e.HostCall = call
	if d.f.HostCalls[call].AboutEntity() {
		e.Args = append(e.Args, d.keep("who", d.someone()))
	}
	for range d.f.HostCalls[call].Kinds() {
		if d.chance(3) { // at the bounds of what fields hold
			e.Args = append(e.Args, ir.Constant([]float64{0, 254, 255, 256, 0.5}[d.r.IntN(5)]))
			continue
		}
		e.Args = append(e.Args, d.number(1))
	}
	noted := d.keep("noted", e)
	d.demand(noted)
}
