package machine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// heldRows are turns over rows with two fields of two tables, in registers or in tables.
type heldRows struct {
	rows    [][4]float64
	next    int
	runs    bool
	held    int // the first register of a field; 0: the fields are in tables
	tables  [2]*Table
	results []float64
	until   int // rows
	vm      *VM
	steps   int64 // when the row at hand began
}

// run runs all rows with a function that holds fields; where it stops at a row, that is run
// with the one as it is written.
func (h *heldRows) run(held, written *Function) (r *Raised) {
	for h.next < len(h.rows) {
		h.until, h.runs, h.held = len(h.rows), false, held.Held()
		call := h.vm.Main().Current()
		r = h.vm.Main().Protect(func() { call.Repeat(held, 3, h) })
		if r == nil || h.vm.Refused() != nil {
			return r
		}
		h.vm.Recount(h.steps)
		h.until, h.runs, h.held = h.next+1, false, 0
		if r = h.vm.Main().Protect(func() { call.Repeat(written, 3, h) }); r != nil {
			return r
		}
	}
	return nil
}

func (h *heldRows) Turn(results, args []Value) bool {
	names := [4]string{"x", "y", "x", "y"}
	if h.runs {
		for _, v := range results {
			h.results = append(h.results, v.Float())
		}
		for k, name := range names {
			v := h.tables[k/2].GetString(name)
			if h.held > 0 {
				v = args[h.held+k]
			}
			h.rows[h.next][k] = v.Float()
		}
		h.next++
	}
	if h.runs = h.next < h.until; !h.runs {
		return false
	}
	args[0] = Number(float64(h.next))
	for k, name := range names {
		if v := Number(h.rows[h.next][k]); h.held > 0 {
			args[h.held+k] = v
		} else {
			h.tables[k/2].SetString(name, v)
		}
	}
	h.steps = h.vm.Steps()
	args[1], args[2] = OfTable(h.tables[0]), OfTable(h.tables[1])
	return true
}

// computed is a random function body over the fields.
func computed(r *rand.Rand, depth int) string {
	value := func() string {
		return []string{"p.x", "p.y", "v.x", "v.y", "e", "a", "n", "2", "0.5", "b"}[r.IntN(10)]
	}
	var b strings.Builder
	for range 1 + r.IntN(4) {
		op := []string{"+", "-", "*", "/", "%", "^"}[r.IntN(6)]
		switch r.IntN(9) {
		case 7:
			fmt.Fprintf(&b, "if %s < %s then a = f(%s) end ", value(), value(), value())
		case 8:
			fmt.Fprintf(&b, "b = root(%s) * %s ", value(), value())
		case 0:
			fmt.Fprintf(&b, "a = %s %s %s ", value(), op, value())
		case 1, 2:
			fmt.Fprintf(&b, "%s = %s %s %s ", []string{"p.x", "p.y", "v.x", "v.y"}[r.IntN(4)], value(), op, value())
		case 3:
			fmt.Fprintf(&b, "b = -%s ", value())
		case 4:
			fmt.Fprintf(&b, "p.x = %s ", value())
		case 5:
			if depth > 0 {
				fmt.Fprintf(&b, "if %s %s %s then %s else %s end ", value(), []string{"<", "<=", "==", "~=", ">"}[r.IntN(5)], value(), computed(r, depth-1), computed(r, depth-1))
			}
		case 6:
			if depth > 0 {
				fmt.Fprintf(&b, "for i = 1, %d do %s end ", r.IntN(4), computed(r, depth-1))
			}
		}
	}
	return b.String()
}

// TestHeldFields runs random functions with their fields in registers and in tables: they
// come to the same numbers, with as many steps, and with a budget that ends in between, they
// end at the same row.
func TestHeldFields(t *testing.T) {
	r, held, spent := rand.New(rand.NewPCG(7, 7)), 0, 0
	for range 2000 {
		text := "local n = 3 local function f(x) n = n + 1 return x * n end return function(e, p, v) local a, b = 1, 2 " + computed(r, 2) + " return a, b end"
		var rows [][4]float64
		for range 20 {
			rows = append(rows, [4]float64{r.Float64() * 4, r.Float64() - 0.5, float64(r.IntN(3)), -1})
		}
		budget := int64(-1)
		if r.IntN(2) == 0 {
			budget = int64(r.IntN(300))
		}
		var said [2]string
		for way := range said {
			h := newHost(Options{})
			h.env.SetString("root", OfFunction(NewPure("root", math.Sqrt, func(c *Call) { c.Push(Number(math.Sqrt(c.Arg(1).Float()))) })))
			made, raised := h.vm.Main().Run(OfFunction(h.vm.Load(compiled(t, text), h.env)))
			if raised != nil {
				t.Fatal(raised.Err)
			}
			fn := made[0].Function()
			x := &heldRows{rows: append([][4]float64(nil), rows...), tables: [2]*Table{h.vm.Heap.NewTable(0, 2), h.vm.Heap.NewTable(0, 2)}}
			x.vm, x.until = h.vm, len(rows)
			h.vm.Start(budget, 0, nil)
			var caller *Raised
			if way == 0 {
				caller = h.vm.Main().Protect(func() { h.vm.Main().Current().Repeat(fn, 3, x) })
			} else if f := h.vm.Hold(fn, []HeldField{{1, "x"}, {1, "y"}, {2, "x"}, {2, "y"}}); f != nil {
				caller = x.run(f, fn)
				held++
			} else {
				t.Fatalf("it does not hold fields:\n%s", text)
			}
			steps := h.vm.Steps()
			if caller != nil {
				spent++
			}
			said[way] = fmt.Sprint(x.next, x.rows[:x.next], x.results, steps, caller != nil)
		}
		if said[0] != said[1] {
			t.Fatalf("in tables:    %s\nin registers: %s\nbudget %d\n%s", said[0], said[1], budget, text)
		}
	}
	if held == 0 || spent == 0 {
		t.Errorf("%d functions held fields, %d ran out of steps", held, spent)
	}
}

// TestHeldFunctionsStop: a function that would do more than to compute with numbers is not
// made, or stops.
func TestHeldFunctionsStop(t *testing.T) {
	for text, made := range map[string]bool{
		`return function(e, p, v) p.x = f() end`:                     false,
		`local u = 1 return function(e, p, v) u = p.x end`:           false,
		`return function(e, p, v) g = p.x end`:                       false,
		`return function(e, p, v) p.z = 1 end`:                       false,
		`return function(e, p, v) p = v end`:                         false,
		`return function(e, p, v) local k = "x" p[k .. "y"] = 1 end`: false,
		`return function(e, p, v) p.x = nil end`:                     true,
		`return function(e, p, v) p.x = true end`:                    true,
		`return function(e, p, v) p.x = unknown.field end`:           true,
		`local o = setmetatable({}, { __add = function() called = true return 1 end }) return function(e, p, v) p.x = o + 1 end`:                 true,
		`local o = setmetatable({}, { __index = function() called = true return 1 end }) return function(e, p, v) p.x = o.z end`:                 true,
		`local o = setmetatable({}, { __unm = function() called = true return 1 end }) return function(e, p, v) p.x = -o end`:                    true,
		`local o = setmetatable({}, { __lt = function() called = true return true end }) return function(e, p, v) if o < o then p.x = 1 end end`: true,
	} {
		h := newHost(Options{})
		values, raised := h.vm.Main().Run(OfFunction(h.vm.Load(compiled(t, text), h.env)))
		if raised != nil {
			t.Fatal(raised.Err)
		}
		fn := h.vm.Hold(values[0].Function(), []HeldField{{1, "x"}, {1, "y"}, {2, "x"}, {2, "y"}})
		if (fn != nil) != made {
			t.Errorf("%s: made: %v", text, fn != nil)
			continue
		}
		if !made {
			continue
		}
		x := &heldRows{vm: h.vm, until: 3, rows: make([][4]float64, 3), held: fn.Held(), tables: [2]*Table{h.vm.Heap.NewTable(0, 2), h.vm.Heap.NewTable(0, 2)}}
		if h.vm.Main().Protect(func() { h.vm.Main().Current().Repeat(fn, 3, x) }) == nil || x.next != 0 {
			t.Errorf("%s: it did not stop", text)
		}
		if !h.env.GetString("called").IsNil() {
			t.Errorf("%s: it has called something", text)
		}
	}
}
