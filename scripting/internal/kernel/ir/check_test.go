package ir

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// sound is a kernel that uses most of what there is.
func sound() *Func {
	get := func(l int, t Type) *Expr { return &Expr{Op: Get, Type: t, Local: l} }
	return &Func{
		Name:    "sound",
		Columns: []Column{{Name: "c", Stride: 16}},
		Fields:  []Field{{Kind: schema.F64, Store: true}, {Local: 1, Kind: schema.Bool, Offset: 8}},
		Locals:  []Local{{Name: "c.x", Type: Num}, {Name: "c.ok", Type: Bool}, {Name: "n", Type: Num}, {Name: "held", Type: Num}, {Name: "once", Type: Num}},
		Once:    []*Stmt{{Kind: Set, Local: 4, Value: &Expr{Op: DT, Type: Num}}},
		Body: []*Stmt{
			{Kind: Set, Local: 2, Value: Constant(3)},
			{Kind: Block, Label: 1, Body: []*Stmt{{Kind: Loop, Cost: 2, Body: []*Stmt{
				{Kind: If, Value: get(1, Bool), Body: []*Stmt{{Kind: Leave, Label: 1}}},
				{Kind: Set, Local: 2, Value: &Expr{Op: Pick, Type: Num, Args: []*Expr{
					{Op: Tee, Type: Num, Local: 3, Args: []*Expr{get(2, Num)}}, get(3, Num), get(1, Bool),
				}}},
			}}}},
			{Kind: Set, Local: 0, Value: &Expr{Op: Add, Type: Num, Args: []*Expr{get(4, Num), get(2, Num)}}},
			{Kind: Leave, Label: Row},
		},
	}
}

// numberOf is the number of an entity.
func numberOf(e *Expr) *Expr { return &Expr{Op: Number, Type: Num, Args: []*Expr{e}} }

func TestSoundIsAccepted(t *testing.T) {
	if err := Check(sound()); err != nil {
		t.Fatal(err)
	}
	if sound().Safe() {
		t.Error("a loop with a cost is not safe")
	}
}

// TestCheckFindsEachFault breaks one thing at a time.
func TestCheckFindsEachFault(t *testing.T) {
	body := func(f *Func) *Stmt { return f.Body[1].Body[0] }
	for want, harm := range map[string]func(*Func){
		"has no type or a name taken":       func(f *Func) { f.Locals[2].Name = "c.x" },
		"its local something else":          func(f *Func) { f.Fields[1].Local = 9 },
		"input 0 has no local":              func(f *Func) { f.Inputs = []InputLocal{{Local: 0}} },
		"input n is assigned and not store": func(f *Func) { f.Inputs = []InputLocal{{Local: 2}} },
		"random in what runs once":          func(f *Func) { f.Once[0].Value.Op = Random },
		"column 3 is not there":             func(f *Func) { f.Body[1].Body[0].Body[0].Value = &Expr{Op: Present, Type: Bool, Column: 3} },
		"host call 0 is not there":          func(f *Func) { f.Body[0].Value = &Expr{Op: Ask, Type: Num, Args: []*Expr{Constant(1)}} },
		"list 1 is not there": func(f *Func) {
			f.Body[0].Value = &Expr{Op: Item, Type: Num, List: 1, Args: []*Expr{Constant(1)}}
		},
		"list 0 has no items": func(f *Func) { f.Lists = []List{{Name: "long", Len: 9}} }, // and no memory
		"column 4 is not there": func(f *Func) {
			f.Body[0].Value = &Expr{Op: Load, Type: Num, Kind: schema.F64, Args: []*Expr{{Op: Here, Type: Place, Column: 4}}}
		},
		"thing 2 is not there": func(f *Func) {
			f.Body[0].Value = &Expr{Op: Load, Type: Num, Kind: schema.F64, Args: []*Expr{{Op: Find, Type: Place, Component: 2, Args: []*Expr{Where(Nowhere)}}}}
		},
		"find as an operand": func(f *Func) {
			f.Components = []Component{{Name: "t"}}
			f.Body[0].Value = &Expr{Op: Load, Type: Num, Kind: schema.F64, Args: []*Expr{{Op: Find, Type: Place, Args: []*Expr{Where(Nowhere)}}}}
		},
		"a place that is written out": func(f *Func) {
			f.Body[0].Value = &Expr{Op: Load, Type: Num, Kind: schema.F64, Args: []*Expr{Where(8)}}
		},
		"operand 2 of step is a place": func(f *Func) {
			step := &Expr{Op: Step, Type: Place, Args: []*Expr{Where(Nowhere), Where(Nowhere)}}
			f.Body[0].Value = &Expr{Op: Load, Type: Num, Kind: schema.F64, Args: []*Expr{step}}
		},
		"a f32 is loaded as a bool": func(f *Func) {
			body(f).Body[0].Value = &Expr{Op: Load, Type: Bool, Kind: schema.F32, Args: []*Expr{Where(Nowhere)}}
		},
		"a handle that is 0.5": func(f *Func) { f.Body[0].Value = numberOf(&Expr{Op: Const, Type: Handle, Value: 0.5}) },
		"a handle that is 9.007199254740992e+15": func(f *Func) {
			f.Body[0].Value = numberOf(&Expr{Op: Const, Type: Handle, Value: 1 << 53})
		},
		"operand 1 of number is a num": func(f *Func) { f.Body[0].Value = numberOf(Constant(1)) },
		"operand 2 of eq is a num": func(f *Func) {
			f.Body[1].Body[0].Body[0].Value = &Expr{Op: Eq, Type: Bool, Args: []*Expr{Nobody(), Constant(0)}}
		},
		"operand 1 of fetch is a handle": func(f *Func) {
			f.Body[0].Value = &Expr{Op: Load, Type: Num, Kind: schema.F64, Args: []*Expr{{Op: Fetch, Type: Place, Args: []*Expr{Nobody()}}}}
		},
		"operand 1 of alive is a bool": func(f *Func) {
			f.Body[1].Body[0].Body[0].Value = &Expr{Op: Alive, Type: Bool, Args: []*Expr{Truth(true)}}
		},
		"a f64 is loaded as a handle": func(f *Func) {
			f.Body[0].Value = numberOf(&Expr{Op: Load, Type: Handle, Kind: schema.F64, Args: []*Expr{Where(Nowhere)}})
		},
		"field 0 is a f64 and whole":          func(f *Func) { f.Fields[0].AsHandle = true },
		"field 0 has no column":               func(f *Func) { f.Fields[0].Column = 1 },
		"field 0 is a string":                 func(f *Func) { f.Fields[0].Kind = schema.String },
		"field 1 ends behind its struct":      func(f *Func) { f.Fields[1].Offset = 16 },
		"field 1 is a bool, its local somet":  func(f *Func) { f.Locals[1].Type = Num },
		"what runs once assigns":              func(f *Func) { f.Once[0].Local = 0 },
		"once is read before it is assigned":  func(f *Func) { f.Once = nil },
		"n is read before it is assigned":     func(f *Func) { f.Body = f.Body[1:] },
		"field c.x is assigned and not store": func(f *Func) { f.Fields[0].Store = false },
		"a bool is assigned to local 2":       func(f *Func) { f.Body[0].Value = Truth(true) },
		"n is read before it is assig":        func(f *Func) { f.Locals[2].Brief = true },
		"local 2 is read as a bool":           func(f *Func) { f.Body[2].Value.Args[1].Type = Bool },
		"operand 2 of add is a bool":          func(f *Func) { f.Body[2].Value.Args[1] = Truth(true) },
		"operand 3 of pick is a num":          func(f *Func) { body(f).Body[1].Value.Args[2] = Constant(1) },
		"add has 1 operands":                  func(f *Func) { f.Body[2].Value.Args = f.Body[2].Value.Args[:1] },
		"add has type 2":                      func(f *Func) { f.Body[2].Value.Type = Bool },
		"a condition that is a num":           func(f *Func) { body(f).Body[0].Value = Constant(1) },
		"leave 7 is outside":                  func(f *Func) { f.Body[3].Label = 7 },
		"block 1 inside block 1":              func(f *Func) { f.Body[1].Body = []*Stmt{{Kind: Block, Label: 1}} },
		"an expression without an operation":  func(f *Func) { f.Body[0].Value = &Expr{Type: Num} },
		"a lazy add":                          func(f *Func) { f.Body[2].Value.Lazy = true },
		"a loop that takes no fuel":           func(f *Func) { body(f).Cost = 0 },
		"statement of kind 0":                 func(f *Func) { f.Body[0].Kind = 0 },
		"held is read before":                 func(f *Func) { body(f).Body[1].Value.Lazy = true; body(f).Body[1].Value.Args[0].Args[0] = Constant(1) },
	} {
		f := sound()
		harm(f)
		if err := Check(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one with %q", err, want)
		}
	}
}

// TestTextTellsHandlesFromNumbers holds how entities are written.
func TestTextTellsHandlesFromNumbers(t *testing.T) {
	f := &Func{Name: "who", Locals: []Local{{Name: "h", Type: Handle}, {Name: "n", Type: Num}}, Body: []*Stmt{
		{Kind: Set, Value: Nobody()},
		{Kind: Set, Value: &Expr{Op: Const, Type: Handle, Value: 4294967297}},
		{Kind: Set, Local: 1, Value: numberOf(&Expr{Op: Get, Type: Handle})},
	}}
	if err := Check(f); err != nil {
		t.Error(err)
	}
	if want, got := "kernel \"who\"\nrow\n  h = nobody\n  h = #4294967297\n  n = (number h)\n", f.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestNewLocalKeepsNamesApart holds that names stay unique.
func TestNewLocalKeepsNamesApart(t *testing.T) {
	f := sound()
	f.NewLocal("n", Num)
	f.NewLocal("n", Bool)
	if f.Locals[5].Name != "n~2" || f.Locals[6].Name != "n~3" {
		t.Error(f.Locals)
	}
	if err := Check(f); err != nil {
		t.Error(err)
	}
}
