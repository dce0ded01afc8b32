package vector

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// storing is a kernel that sets its first field of a kind to twice its second, or to itself.
func storing(field ir.Field, same bool) *ir.Func {
	t := ir.TypeOf(field.Kind)
	if field.Single {
		t = ir.Num32
	}
	field.Local, field.Store = 0, true
	f := &ir.Func{
		Columns: []ir.Column{{Name: "A", Stride: 16}},
		Locals:  []ir.Local{{Name: "to", Type: t}, {Name: "from", Type: ir.Num}},
		Fields:  []ir.Field{field, {Local: 1, Kind: schema.F64, Offset: 8}},
	}
	value := &ir.Expr{Op: ir.Get, Type: t, Local: 0}
	if !same {
		from := func() *ir.Expr { return &ir.Expr{Op: ir.Get, Type: ir.Num, Local: 1} }
		value = &ir.Expr{Op: ir.Add, Type: ir.Num, Args: []*ir.Expr{from(), from()}}
	}
	f.Body = []*ir.Stmt{{Kind: ir.Set, Line: 7, Local: 0, Value: value}}
	return f
}

// TestStoresOfVectors holds which fields a plan stores, which values it leaves to scalar rows,
// and which kinds no plan can store.
func TestStoresOfVectors(t *testing.T) {
	const long = "to is an integer of 64 bits"
	for _, c := range []struct {
		kind   schema.Kind
		single bool
		proven bool
		same   bool // the field gets what it holds
		stored bool
		rare   bool // some value sends a row to the scalar path
		why    string
	}{
		{kind: schema.F64, stored: true},
		{kind: schema.F64, same: true},
		{kind: schema.F32, stored: true},
		{kind: schema.F32, same: true, stored: true}, // a signalling not-a-number becomes quiet
		{kind: schema.F32, same: true, single: true},
		{kind: schema.U8, stored: true, rare: true},
		{kind: schema.U8, stored: true, proven: true},
		{kind: schema.U8, same: true},
		{kind: schema.I32, stored: true, rare: true},
		{kind: schema.U32, stored: true, rare: true},
		{kind: schema.I64, why: long},
		{kind: schema.U64, why: long},
		{kind: schema.U64, same: true},
	} {
		f := storing(ir.Field{Kind: c.kind, Single: c.single, Proven: c.proven}, c.same)
		g, why := flatten(f)
		if why != c.why {
			t.Errorf("%s: %q, want %q", c.kind, why, c.why)
		}
		if why != "" {
			continue
		}
		if _, stored := g.Final[0]; stored != c.stored {
			t.Errorf("%s, the same %t: stored %t", c.kind, c.same, stored)
		}
		if _, none := g.constant(g.Rare); none == c.rare {
			t.Errorf("%s, the same %t: left to scalar rows %t", c.kind, c.same, !none)
		}
	}
}

// TestStoresOutOfRangeAreRare evaluates the condition under which a row is the scalar path's
// for values at both ends of what the kind holds.
func TestStoresOutOfRangeAreRare(t *testing.T) {
	for kind, values := range map[schema.Kind]map[float64]bool{
		schema.U8:  {0: false, 255: false, 256: true, -1: true, 1.5: true},
		schema.I16: {-32768: false, 32767: false, -32769: true, 32768: true, 0.5: true},
		schema.U32: {4294967295: false, 4294967296: true, -0.5: true},
	} {
		for v, want := range values {
			f := storing(ir.Field{Kind: kind}, false)
			g, why := flatten(f)
			if why != "" {
				t.Fatal(why)
			}
			if got := evaluate(g, f, []float64{0, v / 2})[g.Rare] != 0; got != want {
				t.Errorf("%s gets %v: left to a scalar row %t", kind, v, got)
			}
		}
	}
}
