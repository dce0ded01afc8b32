package exec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/testmain"
)

// mixed and moved have fields of all kinds that blocks know.
type mixed struct {
	X, Y float64
	S    float32
	N    int8
	U    uint16
	L    int64
	On   bool
	Mode uint8 `ecs:"mode,enum=idle|walk|run"`
	Mate ecs.Entity
}

type moved struct {
	V float32
	W float64
	K uint32
	// With these, a row costs something by itself.
	P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15 float32
}

type far1 struct{ A uint8 }

type far2 struct{ A uint8 }

// rowWriter writes random each functions.
type rowWriter struct {
	rand   *rand.Rand
	locals int
	out    strings.Builder
}

func (w *rowWriter) pick(words ...string) string { return words[w.rand.IntN(len(words))] }

func (w *rowWriter) number(depth int) string {
	if depth == 0 || w.rand.IntN(4) == 0 {
		if w.locals > 0 && w.rand.IntN(3) == 0 {
			return fmt.Sprint("v", w.rand.IntN(w.locals))
		}
		return w.pick("a.x", "a.y", "a.s", "a.n", "a.u", "a.l", "b.v", "b.w", "b.k", "e", "gravity", "config.pull", "ctx.dt", "ctx.time", "0", "1", "2", "(-1.5)", "100", "a.mate", "limit")
	}
	switch w.rand.IntN(9) {
	case 0:
		return w.pick("math.min", "math.max", "power") + "(" + w.number(depth-1) + ", " + w.number(depth-1) + ")"
	case 1:
		return w.pick("math.floor", "math.abs", "floor") + "(" + w.number(depth-1) + ")"
	case 2:
		return "math.max(" + w.number(depth-1) + ", " + w.number(depth-1) + ", math.floor(" + w.number(depth-1) + "))"
	case 3:
		return "(-" + w.number(depth-1) + ")"
	case 4:
		return "(" + w.condition(0) + " and " + w.number(depth-1) + " or " + w.number(depth-1) + ")"
	}
	return "(" + w.number(depth-1) + w.pick(" + ", " - ", " * ", " / ", " % ", " ^ ", " + ", " - ", " * ") + w.number(depth-1) + ")"
}

func (w *rowWriter) condition(depth int) string {
	if depth > 0 && w.rand.IntN(2) == 0 {
		if w.rand.IntN(4) == 0 {
			return "not " + w.condition(depth-1)
		}
		return "(" + w.condition(depth-1) + w.pick(" and ", " or ") + w.condition(depth-1) + ")"
	}
	switch w.rand.IntN(8) {
	case 0:
		return w.pick("a.on", "not a.on", "a.on == true", "debug", "not debug")
	case 1:
		return "a.mode " + w.pick("==", "~=") + w.pick(` "idle"`, ` "walk"`, ` "run"`, ` "fly"`)
	}
	return "(" + w.number(1) + w.pick(" < ", " <= ", " > ", " >= ", " == ", " ~= ") + w.number(1) + ")"
}

func (w *rowWriter) block(depth int) {
	known := w.locals
	for range 1 + w.rand.IntN(4) {
		switch n := w.rand.IntN(60); {
		case n < 14:
			fmt.Fprintf(&w.out, "%s = %s ", w.pick("a.x", "a.y", "a.s", "b.v", "b.w"), w.number(2))
		case n < 20:
			fmt.Fprintf(&w.out, "%s = math.floor(%s) %% %s ", w.pick("a.n", "a.u", "a.l", "b.k", "a.mate"), w.pick("a.x", "a.y", "a.n", "b.k", "e", "a.u + 1"), w.pick("7", "100", "130", "90"))
		case n < 21:
			fmt.Fprintf(&w.out, "%s = %s ", w.pick("a.n", "a.u", "a.l", "b.k", "a.mate"), w.number(1))
		case n < 27:
			name := w.locals
			fmt.Fprintf(&w.out, "local v%d = %s ", name, w.number(2))
			w.locals++
		case n < 31 && w.locals > 0:
			fmt.Fprintf(&w.out, "if %s then v%d = %s end ", w.condition(1), w.rand.IntN(w.locals), w.number(1))
		case n < 42 && depth > 0:
			fmt.Fprintf(&w.out, "if %s then ", w.condition(2))
			w.block(depth - 1)
			if w.rand.IntN(2) == 0 {
				w.out.WriteString("else ")
				w.block(depth - 1)
			}
			w.out.WriteString("end ")
		case n < 45 && depth > 0:
			fmt.Fprintf(&w.out, "for i = %s, %s do ", w.pick("1", "3, 1, -1 do b.w = b.w + i end for i = 2", "a.n"), w.pick("3", "2", "a.n", "5, 2", "0"))
			w.block(depth - 1)
			if w.rand.IntN(3) == 0 {
				fmt.Fprintf(&w.out, "if %s then break end ", w.condition(1))
			}
			w.out.WriteString("end ")
		case n < 46 && depth > 0:
			fmt.Fprintf(&w.out, "local c = 0 while c < %s do c = c + 1 ", w.pick("a.n", "3"))
			w.block(depth - 1)
			w.out.WriteString("end ")
		case n < 49:
			fmt.Fprintf(&w.out, "a.on = %s ", w.pick("true", "false", "not a.on", "a.on", "a.x < a.y", "e % 3 == 0"))
		case n < 52:
			fmt.Fprintf(&w.out, `if %s then a.mode = %s end `, w.condition(0), w.pick(`"idle"`, `"walk"`, `"run"`, "a.mode"))
		case n < 54:
			fmt.Fprintf(&w.out, "if %s then return %s end ", w.condition(1), w.pick("", "", "a.x", "nil, 2"))
		case n < 55:
			fmt.Fprintf(&w.out, "if e %% 64 == 37 then %s end ", w.pick("touch(e)", `error("odd")`, "a.n = 1000", "a.x = nil", "a.s = unknown", `a.mode = "fly"`, "a.on = 1", "b.q = 1", "a.u = -1", "config.pull = 2"))
		case n < 56:
			w.out.WriteString("a.x, a.y = a.y, a.x ")
		}
	}
	w.locals = known
}

// function returns the text of one.
func (w *rowWriter) function() string {
	w.out.Reset()
	w.locals = 0
	w.out.WriteString("local gravity, floor, debug, limit, config = 9.5, math.floor, " + w.pick("true", "false", "nil") + ", 3, { pull = 0.25 } ")
	w.out.WriteString("each = function(e, a, b, ctx) ")
	w.block(3)
	w.out.WriteString("end")
	return w.out.String()
}

// rowsOutcome runs a function three times over a random world, and returns all that can be seen
// of it, and how many of its rows were in the last blocks at least; −1: there are none.
func rowsOutcome(t *testing.T, text string, seed uint64, inBlocks bool) (string, int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	w, err := ecs.Open(ecs.Options{Tag: 9})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	mixeds, moveds, tag1, tag2 := ecs.Register[mixed](w), ecs.Register[moved](w), ecs.Register[far1](w), ecs.Register[far2](w)
	odd := r.IntN(4) == 0
	number := func() float64 {
		if odd && r.IntN(50) == 0 {
			return []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), math.Float64frombits(0xFFFF_FFFF_FFFF_FF03), -math.NaN(), 1e300}[r.IntN(6)]
		}
		return float64(r.IntN(40))/4 - 3
	}
	count := []int{0, 1, 7, 8, 9, 20, 63, 64, 65, 128, 130, 200, 600}[r.IntN(13)]
	spawn := func(n int, more ...ecs.Value) {
		for range n {
			m := mixed{number(), number(), float32(number()), int8(r.IntN(9)), uint16(r.IntN(200)), int64(r.IntN(100)), r.IntN(2) == 0, uint8(r.IntN(3)), ecs.Entity(r.IntN(30))}
			if odd && r.IntN(60) == 0 {
				m.L, m.Mode = 1<<60+1, 7
			}
			w.Spawn(append([]ecs.Value{mixeds.With(m), moveds.With(moved{V: float32(number()), W: number(), K: uint32(r.IntN(1000))})}, more...)...)
		}
	}
	spawn(count)
	spawn(r.IntN(31), tag1.With(far1{}))
	spawn(r.IntN(31), tag2.With(far2{}))
	spawn(r.IntN(31), tag1.With(far1{}), tag2.With(far2{}))
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	vm := lua.VM(L)
	natives := map[string]lua.LGFunction{
		"error": func(L *lua.LState) int { L.RaiseError("%s", L.ToString(1)); return 0 },
		"touch": func(L *lua.LState) int { return 0 },
	}
	for name, f := range natives {
		L.SetGlobal(name, L.NewFunction(f))
	}
	maths := L.NewTable()
	pure := func(name string, p machine.Pure) *lua.LFunction {
		return (*lua.LFunction)(machine.NewPure(name, p, func(c *machine.Call) {
			v := c.Arg(1).Float()
			if p.One != nil {
				v = p.One(v)
			}
			for i, n := 2, c.Top(); i <= n; i++ {
				v = p.Two(v, c.Arg(i).Float())
			}
			c.Push(machine.Number(v))
		}))
	}
	larger := func(x, y float64) float64 {
		if y > x {
			return y
		}
		return x
	}
	maths.RawSetString("floor", pure("floor", machine.Pure{One: math.Floor}))
	maths.RawSetString("abs", pure("abs", machine.Pure{One: math.Abs}))
	maths.RawSetString("max", pure("max", machine.Pure{Two: larger, More: true}))
	maths.RawSetString("min", pure("min", machine.Pure{Two: func(x, y float64) float64 { return -larger(-x, -y) }, More: true}))
	L.SetGlobal("math", maths)
	L.SetGlobal("power", pure("power", machine.Pure{Two: func(x, y float64) float64 { return math.Mod(x, y) }}))
	if err := L.DoString(text); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	fn := L.GetGlobal("each").(*lua.LFunction)
	limits := &tx.Limits{}
	if r.IntN(6) == 0 {
		limits.CommandBytes = int64(r.IntN(60_000))
	}
	m := &Executor{Tx: &tx.Runner{World: w, Main: L, Limits: limits}, World: w, Main: L, ContextType: L.NewTable(), ScriptError: ecs.Register[ScriptError](w, ecs.Named("ScriptError"))}
	m.Tx.NewThread()
	component := func(id ecs.ComponentID) *decl.Component {
		c := &decl.Component{ID: id}
		c.Schema, c.Ready = w.Raw().Schema(id), true
		c.Name = c.Schema.Name
		return c
	}
	s := &System{Name: "s", Query: &decl.Query{List: []*decl.Component{component(mixeds.ID()), component(moveds.ID())}}, Each: fn}
	s.Script = "a.lua"
	s.Shape = &EachShape{Function: fn, Args: []EachArg{{Kind: ArgRow}, {Kind: ArgRow, Term: 1}, {Kind: ArgContext}}, Written: []bool{true, true}}
	x := m.NewEachRunner(s, w.Query(ecs.Write(mixeds.ID()), ecs.Write(moveds.ID())))
	m.Faulty = append(m.Faulty, s.Faults)
	x.asked = !inBlocks
	changed := []*ecs.Query{w.Query(ecs.Read(mixeds.ID())).Changed(mixeds.ID()), w.Query(ecs.Read(moveds.ID())).Changed(moveds.ID())}
	out := &strings.Builder{}
	steps := int64(300_000)
	if r.IntN(2) == 0 {
		steps = r.Int64N(40_000)
	}
	for round := range 3 {
		for _, q := range changed {
			for range q.Chunks() { // from here on
			}
		}
		vm.Start(steps, 0, nil)
		err := w.Run("s", func(tick *ecs.Tick) error { return x.Perform(tick, "s") })
		fmt.Fprintln(out, "round", round, err, vm.Steps(), s.Faults.Failed, w.Raw().Version())
		vm.Stop()
		for _, e := range m.Reports {
			fmt.Fprintln(out, e.Detail())
		}
		m.Reports = nil
		m.Settle()
		for _, q := range changed {
			var found []ecs.Entity
			for c := range q.Chunks() {
				found = append(found, c.Entities()...)
			}
			slices.Sort(found)
			fmt.Fprintln(out, "changed", found)
		}
		for c := range w.Query(ecs.Read(mixeds.ID()), ecs.Read(moveds.ID())).Chunks() {
			for i, e := range c.Entities() {
				a, b := &mixeds.Of(c)[i], &moveds.Of(c)[i]
				fmt.Fprintln(out, e, math.Float64bits(a.X), math.Float64bits(a.Y), math.Float32bits(a.S), a.N, a.U, a.L, *(*uint8)(unsafe.Pointer(&a.On)), a.Mode, a.Mate, math.Float32bits(b.V), math.Float64bits(b.W), b.K, b.P1, b.P5, b.P15)
			}
		}
	}
	if x.blocks == nil {
		return out.String(), -1
	}
	return out.String(), x.blocks.ran
}

// knownInRows are bodies in which a value that no row changes is no number, or only in some rows.
var knownInRows = []string{
	"local v if a.x > 2 then v = F else v = 1 end if v then a.x = a.x + 1000 end",
	"local v if a.x > 2 then v = F else v = O end a.on = not v",
	"local v = 1 for i = 1, 3 do if v then a.x = a.x + i end v = F end",
	"local x = N + 1 a.y = 77",
	"if a.x > 1 then local x = N + 1 end a.y = 77",
	"local x = floor(N) a.y = 77",
	"local v = 1 if a.x > 2 then v = N end local x = v + 1 a.y = 3",
	"local m if a.x > 2 then m = a.mode else m = \"run\" end if m == \"run\" then a.y = 5 end",
	"a.on = a.mode == \"walk\"",
	"b.v = a.s",
	"a.s = b.v",
	"local r = b if a.x > 1 then r = a end a.y = r.x",
	"local r = a if a.x > 1 then r = b end r.x = 5",
	"a.y = long." + strings.Repeat("k", 1000) + " + 1",
}

// longInRows are bodies that take more steps than there may be left: in loops, and in what rows
// with many fields cost by themselves.
var longInRows = []string{
	"local n = a.u for i = 1, n do a.x = a.x + 1 end",
	"local n = a.u for i = 1, 3 do for k = 1, n do b.w = b.w + k end a.y = i end",
	"local c = 0 while c < a.u do c = c + 1 a.x = a.x + c end",
	"local n = a.l * 1000 for i = 1, n do a.x = i end",
	"a.x, a.y, a.s, a.n, a.u, a.l = a.y, a.x, a.s + 1, a.u % 9, a.n % 9, a.u % 99 if a.on and a.mode == \"run\" then a.mate = 3 end b.v, b.w, b.k = b.w, b.v, 2",
	"local n = a.u for i = 1, n do b.p1, b.p2, b.p3, b.p4, b.p5 = b.p6, b.p7, b.p8, b.p9, b.p10 b.p11, b.p12, b.p13, b.p14, b.p15 = b.p1, b.p2, b.p3, b.p4, b.p5 b.v, b.w = b.w, b.v end",
	"b.p1, b.p2, b.p3, b.p4, b.p5 = b.p6, b.p7, b.p8, b.p9, b.p10 b.p11, b.p12, b.p13, b.p14, b.p15 = b.p1, b.p2, b.p3, b.p4, b.p5 b.v, b.w = b.w, b.v",
}

// TestBlocksAsRows: what runs in blocks of rows leaves the same bytes, changes, counts and errors
// as the same function called row by row.
func TestBlocksAsRows(t *testing.T) {
	testmain.OneGoroutine(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := &rowWriter{rand: rand.New(rand.NewPCG(seed, 1))}
	planned, rows, failing, spent, long, runs := 0, 0, 0, 0, 0, 600
	for range runs {
		text, seed := w.function(), w.rand.Uint64()
		want, _ := rowsOutcome(t, text, seed, false)
		got, n := rowsOutcome(t, text, seed, true)
		if got != want {
			g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
			for i := range min(len(g), len(w)) {
				if g[i] != w[i] {
					t.Fatalf("%s\nworld of seed %d, line %d: is\n%.600s, want\n%.600s", text, seed, i, g[i], w[i])
				}
			}
			t.Fatalf("%s\nworld of seed %d: %d lines, want %d", text, seed, len(g), len(w))
		}
		if n >= 0 {
			planned++
			rows += n
		}
		if strings.Contains(want, "entity") {
			failing++
		}
		if strings.Contains(want, "too long") {
			spent++
		}
	}
	for _, body := range knownInRows {
		for _, seed := range []uint64{1, 2, 3, 8, 9} {
			text := "local N, F, O, floor, long = nil, false, 1, math.floor, { " + strings.Repeat("k", 1000) + " = 2 } each = function(e, a, b, ctx) " + body + " end"
			want, _ := rowsOutcome(t, text, seed, false)
			if got, _ := rowsOutcome(t, text, seed, true); got != want {
				t.Fatalf("%s\nworld of seed %d: is\n%.900s, want\n%.900s", text, seed, got, want)
			}
		}
	}
	for _, body := range longInRows {
		for seed := range uint64(60) {
			text := "each = function(e, a, b, ctx) " + body + " end"
			want, _ := rowsOutcome(t, text, seed, false)
			got, n := rowsOutcome(t, text, seed, true)
			if got != want {
				t.Fatalf("%s\nworld of seed %d: is\n%.900s, want\n%.900s", text, seed, got, want)
			}
			if n >= 0 && strings.Contains(want, "too long") {
				long++
			}
		}
	}
	t.Logf("%d of %d functions can be run in blocks, and %d rows were; %d failed for rows, and %d ran too long", planned, runs, rows, failing, spent)
	t.Logf("of the functions with much to do, %d ran too long", long)
	if long < 60 || planned < runs/3 || rows < 100*planned || failing < runs/50 || spent < runs/50 {
		t.Error("these are too few")
	}
}
