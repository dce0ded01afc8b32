package ir

import "testing"

// TestWork: what a row needs at most is the dearer branch, and all turns of all loops in
// each other.
func TestWork(t *testing.T) {
	call := &Stmt{Kind: Set, Value: &Expr{Op: Call, Args: []*Expr{Constant(1)}}}
	add := &Stmt{Kind: Set, Value: &Expr{Op: Add, Args: []*Expr{Constant(1), Constant(2)}}}
	loop := func(turns int, body ...*Stmt) *Stmt { return &Stmt{Kind: Loop, Turns: turns, Body: body} }
	one, _, _ := (&Func{Body: []*Stmt{call}}).Work()
	for _, test := range []struct {
		name  string
		body  []*Stmt
		least int64
		most  int64
	}{
		{"nothing", nil, 1, 1},
		{"a loop", []*Stmt{loop(100, call)}, 100 * (one - 1), 100*one + 2},
		{"loops in each other", []*Stmt{loop(10, loop(10, call))}, 100 * (one - 1), 100*one + 20},
		{"a loop with fuel", []*Stmt{{Kind: Loop, Cost: 3, Body: []*Stmt{call}}}, one, one + 2},
		{"branches", []*Stmt{{Kind: If, Value: Truth(true), Body: []*Stmt{add}, Else: []*Stmt{call}}}, one, one + 2},
		{"more than there are numbers for", []*Stmt{loop(1e9, loop(1e9, loop(1e9, call)))}, 1<<40 - 1e9, 1 << 40},
	} {
		if got, _, _ := (&Func{Body: test.body}).Work(); got < test.least || got > test.most {
			t.Errorf("%s: %d, want %d to %d", test.name, got, test.least, test.most)
		}
	}
}

// TestWorkOutsideOfFormulas: a formula takes more where it does not hold, all else the same.
func TestWorkOutsideOfFormulas(t *testing.T) {
	of := func(op Op, name string) (usual, outside int64) {
		e := &Expr{Op: op, Name: name, Args: []*Expr{Constant(1), Constant(2)}}
		usual, outside, _ = (&Func{Body: []*Stmt{{Kind: Loop, Turns: 10, Body: []*Stmt{{Kind: Set, Value: e}}}}}).Work()
		return usual, outside
	}
	for _, formula := range []string{"sin", "pow", "log", "fmod"} {
		if usual, most := of(Call, formula); most != usual+10*Outside {
			t.Errorf("%s takes %d, %d where it does not hold", formula, usual, most)
		}
	}
	if usual, most := of(Mod, ""); most != usual+10*Outside {
		t.Errorf("%% takes %d, %d where its formula does not hold", usual, most)
	}
	for _, other := range []string{"ldexp", "frexp.exponent"} {
		if usual, most := of(Call, other); most != usual || usual < 10*hosted {
			t.Errorf("%s takes %d to %d: it always leaves the kernel", other, usual, most)
		}
	}
	sine, _ := of(Call, "sin")
	if power, _ := of(Call, "pow"); power <= sine {
		t.Errorf("a power takes %d, a sine %d", power, sine)
	}
}

// TestWorkOfLongValues: a change may take as long as its long values, and usually does not.
func TestWorkOfLongValues(t *testing.T) {
	for op, bytes := range map[string]int64{"emit": 8000, "spawn": 512, "add": 511} {
		f := &Func{HostCalls: []HostCall{{Op: op, Parts: []Part{{Bytes: bytes}, {Bytes: 16}}}},
			Body: []*Stmt{{Kind: If, Value: Truth(true), Body: []*Stmt{{Kind: Set, Value: &Expr{Op: Do}}}}}}
		want := bytes / 8 * perWord
		if bytes < longValue {
			want = 0
		}
		if usual, outside, most := f.Work(); usual != outside || most-usual != want {
			t.Errorf("%s of %d bytes takes %d, and %d at most", op, bytes, usual, most)
		}
	}
}
