package passes

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// counted is a loop of three turns as lower writes it: the index is local 1, and
// field 0 gets the sum of what it is.
func counted() *ir.Func {
	sum := binary(ir.Add, ir.Num, number(0), number(1))
	step := binary(ir.Add, ir.Num, number(1), ir.Constant(1))
	over := binary(ir.Not, ir.Bool, binary(ir.Le, ir.Bool, number(1), ir.Constant(3)))
	return &ir.Func{
		Name:    "counted",
		Columns: []ir.Column{{Name: "c", Stride: 8}},
		Fields:  []ir.Field{{Kind: schema.F64, Store: true}},
		Locals:  []ir.Local{{Name: "c.x", Type: ir.Num}, {Name: "i", Type: ir.Num}, {Name: "n", Type: ir.Num}},
		Body: []*ir.Stmt{
			{Kind: ir.Set, Local: 1, Value: ir.Constant(0)},
			{Kind: ir.Block, Label: 1, Body: []*ir.Stmt{{Kind: ir.Loop, Turns: 3, Body: []*ir.Stmt{
				{Kind: ir.Set, Local: 1, Value: step},
				{Kind: ir.If, Value: over, Body: []*ir.Stmt{{Kind: ir.Leave, Label: 1}}},
				{Kind: ir.Set, Value: sum},
			}}}},
		},
	}
}

// TestSingles holds which locals have one value: those that one statement assigns, and
// nothing else, before all that read them.
func TestSingles(t *testing.T) {
	tee := func(local int) *ir.Expr {
		return &ir.Expr{Op: ir.Tee, Type: ir.Num, Local: local, Args: []*ir.Expr{ir.Constant(2)}}
	}
	set := func(local int, value *ir.Expr) *ir.Stmt { return &ir.Stmt{Kind: ir.Set, Local: local, Value: value} }
	for name, c := range map[string]struct {
		single bool
		body   []*ir.Stmt
	}{
		"assigned, then read":            {true, []*ir.Stmt{set(2, ir.Constant(1)), set(1, number(2))}},
		"never read":                     {true, []*ir.Stmt{set(2, ir.Constant(1))}},
		"read before":                    {false, []*ir.Stmt{set(1, number(2)), set(2, ir.Constant(1))}},
		"read by its own assignment":     {false, []*ir.Stmt{set(2, number(2))}},
		"assigned twice":                 {false, []*ir.Stmt{set(2, ir.Constant(1)), set(2, ir.Constant(1)), set(1, number(2))}},
		"assigned in an expression, too": {false, []*ir.Stmt{set(2, ir.Constant(1)), set(1, tee(2)), set(1, number(2))}},
		"assigned in one branch": {false, []*ir.Stmt{
			{Kind: ir.If, Value: binary(ir.Lt, ir.Bool, number(0), number(1)), Body: []*ir.Stmt{set(2, ir.Constant(1))}}, set(1, number(2))}},
		"a field": {false, []*ir.Stmt{set(0, ir.Constant(1)), set(1, number(0))}},
	} {
		f := counted()
		f.Body = c.body
		local := 2
		if name == "a field" {
			local = 0
		}
		if got := singles(f)[local]; got != c.single {
			t.Errorf("%s: %t, want %t", name, got, c.single)
		}
	}
}

// TestUnrollLeaves holds which loops stay, though they look like those that go.
func TestUnrollLeaves(t *testing.T) {
	loop := func(f *ir.Func) *ir.Stmt { return f.Body[1].Body[0] } // as counted has it
	for name, c := range map[string]struct {
		stays bool
		harm  func(*ir.Func)
	}{
		"as it is": {false, func(*ir.Func) {}},
		"the index is read behind it": {true, func(f *ir.Func) {
			f.Body = append(f.Body, &ir.Stmt{Kind: ir.Set, Value: number(1)})
		}},
		"the index is read before it": {true, func(f *ir.Func) {
			f.Body = append([]*ir.Stmt{{Kind: ir.Set, Local: 1, Value: ir.Constant(5)}, {Kind: ir.Set, Value: number(1)}}, f.Body...)
		}},
		"a turn assigns the index": {true, func(f *ir.Func) {
			loop(f).Body = append(loop(f).Body, &ir.Stmt{Kind: ir.Set, Local: 1, Value: ir.Constant(3)})
		}},
		"an expression of a turn assigns the index": {true, func(f *ir.Func) {
			loop(f).Body[2].Value.Args[1] = binary(ir.Tee, ir.Num, ir.Constant(3))
			loop(f).Body[2].Value.Args[1].Local = 1
		}},
		"it takes fuel":                    {true, func(f *ir.Func) { loop(f).Cost = 1 }},
		"it begins with what is no number": {true, func(f *ir.Func) { f.Body[0].Value = number(0) }},
		"it begins with another local": {true, func(f *ir.Func) {
			f.Body = []*ir.Stmt{f.Body[0], {Kind: ir.Set, Local: 2, Value: ir.Constant(0)}, f.Body[1]}
		}},
		"the step is of the row":    {true, func(f *ir.Func) { loop(f).Body[0].Value.Args[1] = number(0) }},
		"the end is of the row":     {true, func(f *ir.Func) { loop(f).Body[1].Value.Args[0].Args[1] = number(0) }},
		"the test has another side": {true, func(f *ir.Func) { loop(f).Body[1].Else = []*ir.Stmt{{Kind: ir.Set, Value: ir.Constant(1)}} }},
		"the test leaves the row":   {true, func(f *ir.Func) { loop(f).Body[1].Body[0].Label = ir.Row }},
		"seventeen turns":           {true, func(f *ir.Func) { loop(f).Body[1].Value.Args[0].Args[1] = ir.Constant(17) }},
		"sixteen turns":             {false, func(f *ir.Func) { loop(f).Body[1].Value.Args[0].Args[1] = ir.Constant(16) }},
		"a loop that only counts":   {false, func(f *ir.Func) { loop(f).Body = loop(f).Body[:2] }},
		"four turns of much work": {true, func(f *ir.Func) {
			loop(f).Body[1].Value.Args[0].Args[1] = ir.Constant(4)
			for range mostExprs / 4 {
				loop(f).Body = append(loop(f).Body, &ir.Stmt{Kind: ir.Set, Value: ir.Constant(1)})
			}
		}},
		"three turns of as much": {false, func(f *ir.Func) {
			for range mostExprs / 4 {
				loop(f).Body = append(loop(f).Body, &ir.Stmt{Kind: ir.Set, Value: ir.Constant(1)})
			}
		}},
		"what is before it in the block runs": {true, func(f *ir.Func) {
			f.Body[1].Body = append([]*ir.Stmt{{Kind: ir.Set, Value: ir.Constant(1)}}, f.Body[1].Body...)
		}},
	} {
		f := counted()
		if c.harm(f); ir.Check(f) != nil {
			t.Fatalf("%s: %v", name, ir.Check(f))
		}
		unroll(f)
		if err := ir.Check(f); err != nil {
			t.Errorf("%s: %v\n%s", name, err, f)
		}
		if stays := strings.Contains(f.String(), "loop"); stays != c.stays {
			t.Errorf("%s: the loop stays is %t\n%s", name, stays, f)
		}
	}
}
