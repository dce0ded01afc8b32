package kernel_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/kerneltest"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/passes"
)

var (
	keepSeed  = flag.Uint64("keep.seed", 1, "first seed of the random functions for the passes")
	keepCount = flag.Int("keep.count", 1500, "how many of them")
)

// cell is the component of random functions: its integers are small, so that what
// does not fit comes up often.
var cell = layout("cell", ecs.F64, "x", ecs.F64, "y", ecs.U8, "n", ecs.I8, "k", ecs.U16, "w", ecs.Bool, "ok", ecs.F32, "r")

// TestPassesKeepResults runs random functions before all passes and after each:
// every field must hold the same, to the bit, and a row that stops, or fails a
// check, must do so ever after. A field that needs no check is not looked at, so a
// proof of what is not true is found.
func TestPassesKeepResults(t *testing.T) {
	proven, done := 0, 0
	for seed := *keepSeed; seed < *keepSeed+uint64(*keepCount); seed++ {
		w := &writer{r: rand.New(rand.NewPCG(seed, 3))}
		text := w.function()
		single := seed%5 == 0
		f, err := lowerOver(text, single, cell)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		k := keeper{f: f}
		k.begin(w.r, 40)
		passes.Run(f, func(p passes.Pass) {
			if err := ir.Check(f); err != nil {
				t.Fatalf("seed %d, after %s: %v\n%s\n%s", seed, p.Name, err, text, f)
			}
			if p.Name == "narrow" && single { // what float32 comes to is another matter
				k.compute()
			}
			if fault := k.compare(); fault != "" {
				t.Fatalf("seed %d, after %s: %s\n%s\n%s", seed, p.Name, fault, text, f)
			}
		})
		for i := range f.Fields {
			if f.Fields[i].Proven {
				proven++
			}
		}
		done += k.finished()
	}
	t.Logf("%d fields proven, %d rows finished", proven, done)
	if proven < *keepCount/10 || done < *keepCount*10 {
		t.Error("too few to say much")
	}
}

// keeper holds what each of some rows comes to, in a call and a memory of its own.
type keeper struct {
	f    *ir.Func
	rows [][]byte
	want []rowOutcome
}

// rowOutcome is what a row holds afterwards, and whether it is finished.
type rowOutcome struct {
	fields []byte
	done   bool
}

func (k *keeper) begin(r *rand.Rand, n int) {
	for range n {
		row := make([]byte, cell.Size)
		drawRow(r, row)
		k.rows = append(k.rows, row)
	}
	k.compute()
}

func (k *keeper) run(row []byte) rowOutcome {
	call := kerneltest.Call{Columns: []uint32{0}, Rows: 1, Fuel: 500, DT: 0.25, Time: 40, Tick: 160}
	o := rowOutcome{fields: slices.Clone(row)}
	m := kerneltest.Machine{World: &kerneltest.World{}}
	m.Run(k.f, o.fields, &call)
	o.done = call.Next == 1
	return o
}

func (k *keeper) compute() {
	k.want = nil
	for _, row := range k.rows {
		k.want = append(k.want, k.run(row))
	}
}

func (k *keeper) finished() (n int) {
	for _, o := range k.want {
		if o.done {
			n++
		}
	}
	return n
}

// compare says which row comes to something else now. The bits of a not-a-number may
// differ.
func (k *keeper) compare() string {
	for i, row := range k.rows {
		got, want := k.run(row), k.want[i]
		if got.done != want.done {
			return fmt.Sprintf("row % x: it is finished: %t, want %t", row, got.done, want.done)
		}
		for j := range cell.Fields {
			field := &cell.Fields[j]
			a, b := get(field.Kind, got.fields[field.Offset:]), get(field.Kind, want.fields[field.Offset:])
			if math.Float64bits(a) != math.Float64bits(b) && (a == a || b == b) {
				return fmt.Sprintf("row % x: %s is %v, want %v", row, field.Name, a, b)
			}
		}
	}
	return ""
}

// drawRow writes a row of numbers at the ends of things.
func drawRow(r *rand.Rand, b []byte) {
	floats := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 100, 127, 127.5, 128, -128, -128.5, -129, 254.5, 255, 255.5, 256, 65535, 65536,
		1e300, -1e300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN()}
	for i := range cell.Fields {
		field := &cell.Fields[i]
		low, high := field.Kind.Range()
		v := floats[r.IntN(len(floats))]
		switch {
		case field.Kind == ecs.Bool:
			v = float64(r.IntN(2))
		case field.Kind == ecs.F32:
			v = float64(float32(v))
		case field.Kind == ecs.F64 && r.IntN(3) == 0:
			v = math.Round(r.NormFloat64()*400) / 4
		case field.Kind == ecs.F64:
		case r.IntN(2) == 0:
			v = []float64{low, low + 1, max(low, 0), 1, 2, high - 1, high}[r.IntN(7)]
		default:
			v = low + math.Floor(r.Float64()*(high-low+1))
		}
		put(field.Kind, b[field.Offset:], v)
	}
}

// put writes a number as a field of a kind holds it, and get reads it.
func put(kind ecs.Kind, b []byte, v float64) {
	switch kind {
	case ecs.F64:
		binary.LittleEndian.PutUint64(b, math.Float64bits(v))
	case ecs.F32:
		binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v)))
	case ecs.U16:
		binary.LittleEndian.PutUint16(b, uint16(v))
	default:
		b[0] = byte(int(v))
	}
}

func get(kind ecs.Kind, b []byte) float64 {
	switch kind {
	case ecs.F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case ecs.F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case ecs.U16:
		return float64(binary.LittleEndian.Uint16(b))
	}
	return float64(b[0])
}

// writer writes random functions over cells. They are about what passes look at:
// what integers are between, short loops, choices, and zeros.
type writer struct {
	r      *rand.Rand
	text   strings.Builder
	names  int
	locals []string // numbers in scope
	fixed  []string // numbers in scope that are never assigned
	truths []string
	loops  int
}

func (w *writer) one(list ...string) string { return list[w.r.IntN(len(list))] }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *writer) function() string {
	w.line("function(e, p, ctx)")
	for range 1 + w.r.IntN(5) {
		w.stmt(2)
	}
	w.line("end")
	return w.text.String()
}

// scope writes a list of statements of its own.
func (w *writer) scope(depth int) {
	locals, fixed, truths := len(w.locals), len(w.fixed), len(w.truths)
	for range 1 + w.r.IntN(3) {
		w.stmt(depth)
	}
	w.locals, w.fixed, w.truths = w.locals[:locals], w.fixed[:fixed], w.truths[:truths]
}

func (w *writer) stmt(depth int) {
	n := w.r.IntN(17)
	switch {
	case n == 16:
		w.ranges()
	case n < 2:
		w.line("p.%s = %s", w.one("x", "y", "r"), w.num(3))
	case n < 7:
		w.line("p.%s = %s", w.one("n", "n", "k", "w"), w.fitting())
	case n < 8:
		w.line("p.ok = %s", w.cond(2))
	case n < 10 || depth == 0:
		w.local()
	case n < 11 && len(w.locals) > 0:
		w.line("%s = %s", w.one(w.locals...), w.num(2))
	case n < 14:
		w.line("if %s then", w.cond(2))
		w.scope(depth - 1)
		w.leave()
		if w.r.IntN(2) == 0 {
			w.line("else")
			w.scope(depth - 1)
		}
		w.line("end")
	default:
		w.loop(depth - 1)
	}
}

// ranges has a number be in a range on each of two ways, and stores it after both.
// Which of the ways is open to not-a-number, or assigns the number, is what counts.
func (w *writer) ranges() {
	v := w.one(append([]string{"p.x", "p.y"}, w.locals...)...)
	way := func() {
		low, high := w.one("0", "1", "-1", "-0.5"), w.one("255", "254", "256", "255.5", "7")
		inside, outside := fmt.Sprintf("%s >= %s and %s <= %s", v, low, v, high), fmt.Sprintf("%s < %s or %s > %s", v, low, v, high)
		switch w.r.IntN(4) {
		case 0:
			w.line("if not (%s) then return end", inside)
		case 1:
			w.line("if %s then else return end", inside)
		default:
			w.line("if %s then return end", outside)
		}
		if w.r.IntN(6) == 0 {
			w.line("%s = %s", v, w.num(1))
		}
	}
	w.line("if %s then", w.cond(0))
	way()
	w.line("else")
	way()
	w.line("end")
	w.line("p.n = %s(%s)", w.one("floor", "math.ceil"), v)
}

// leave goes out of a branch, at times.
func (w *writer) leave() {
	switch n := w.r.IntN(8); {
	case n == 0:
		w.line("return")
	case n < 4 && w.loops > 0:
		w.line("break")
	}
}

func (w *writer) local() {
	w.names++
	name := fmt.Sprintf("v%d", w.names)
	switch w.r.IntN(5) {
	case 0:
		w.line("local %s = %s", name, w.cond(2))
		w.truths = append(w.truths, name)
	case 1:
		w.line("local %s = %s", name, w.num(2))
		w.locals = append(w.locals, name)
	case 2:
		w.line("local %s = %s", name, w.fitting())
		w.fixed = append(w.fixed, name)
	default:
		w.line("local %s = %s", name, w.num(2))
		w.fixed = append(w.fixed, name)
	}
}

func (w *writer) loop(depth int) {
	w.names++
	name := fmt.Sprintf("i%d", w.names)
	switch w.r.IntN(5) {
	case 0:
		w.line("for %s = %s, p.n %% 4 do", name, w.one("0", "1"))
	case 1:
		w.line("for %s = %d, 0, -1 do", name, w.r.IntN(3))
	default:
		w.line("for %s = 1, %d do", name, w.r.IntN(4))
	}
	w.loops++
	if w.r.IntN(4) == 0 {
		w.locals = append(w.locals, name) // may be assigned
		w.scope(depth)
		w.locals = w.locals[:len(w.locals)-1]
	} else {
		w.fixed = append(w.fixed, name)
		w.scope(depth)
		w.fixed = w.fixed[:len(w.fixed)-1]
	}
	w.loops--
	w.line("end")
}

// fitting is a number that an integer field may hold, or nearly.
func (w *writer) fitting() string {
	low, high := w.one("0", "0", "-0.5", "1", "-128", "-129"), w.one("255", "255", "256", "255.5", "127", "127.5", "128", "65535")
	switch w.r.IntN(10) {
	case 0:
		return fmt.Sprintf("%s(math.max(%s, math.min(%s, %s)))", w.one("floor", "math.ceil"), low, high, w.num(2))
	case 1:
		return fmt.Sprintf("%s(math.min(%s, math.max(%s, %s)))", w.one("floor", "math.ceil"), high, w.num(2), low)
	case 2:
		return fmt.Sprintf("math.%s(%s %s %s, %s)", w.one("min", "max"), w.whole(), w.one("+", "-", "*"), w.whole(), w.one(low, high))
	case 3:
		return fmt.Sprintf("(%s %s %s) %% %s", w.whole(), w.one("+", "-", "*"), w.whole(), w.one("255", "256", "257", "-2", "4", "p.n", "(p.n + 1)", "p.k"))
	case 4:
		return fmt.Sprintf("(%s and %s or %s)", w.cond(1), w.whole(), w.whole())
	case 5, 6:
		return fmt.Sprintf("%s %s %s", w.whole(), w.one("+", "-", "*"), w.whole())
	case 7:
		return fmt.Sprintf("%s(%s)", w.one("floor", "math.ceil"), w.num(2))
	}
	return w.whole()
}

// whole is a small number, mostly without a fraction.
func (w *writer) whole() string {
	return w.one(append([]string{"p.n", "p.n", "p.k", "p.w", "0", "1", "2", "-1", "100", "128", "255"}, w.fixed...)...)
}

func (w *writer) leaf() string {
	list := []string{"p.x", "p.y", "p.x", "p.r", "p.n", "p.k", "p.w", "ctx.dt", "0", "1", "2", "-1", "0.5", "3", "255", "256", "65536"}
	return w.one(append(append(list, w.locals...), w.fixed...)...)
}

func (w *writer) num(depth int) string {
	if depth == 0 || w.r.IntN(5) == 0 {
		return w.leaf()
	}
	a, b := w.num(depth-1), w.num(w.r.IntN(depth))
	switch w.r.IntN(14) {
	case 0:
		return fmt.Sprintf("-(%s)", a)
	case 1:
		return fmt.Sprintf("%s(%s)", w.one("floor", "math.ceil", "math.abs", "math.sqrt"), a)
	case 2:
		return fmt.Sprintf("math.%s(%s, %s)", w.one("min", "max"), a, b)
	case 3:
		return fmt.Sprintf("(%s and %s or %s)", w.cond(depth-1), a, b)
	case 4:
		return fmt.Sprintf("math.%s(%s)", w.one("sin", "cos"), w.one("p.x", "p.y", a))
	case 5:
		return fmt.Sprintf("%s %% %s", w.leaf(), w.one("2", "3.5", "256", w.leaf()))
	case 6:
		return fmt.Sprintf("(%s) * (%s)", a, a)
	}
	return fmt.Sprintf("(%s %s %s)", a, w.one("+", "-", "-", "*", "*", "/"), b)
}

func (w *writer) cond(depth int) string {
	if depth > 0 && w.r.IntN(4) == 0 {
		return fmt.Sprintf("(%s %s %s)", w.cond(depth-1), w.one("and", "or"), w.cond(depth-1))
	}
	edge := w.one("0", "1", "2", "3", "127", "128", "254", "255", "256", "-128", "0.5", "255.5")
	order := w.one("<", "<=", ">", ">=", "==", "~=")
	switch w.r.IntN(10) {
	case 0:
		return w.one(append([]string{"p.ok", "not p.ok"}, w.truths...)...)
	case 1:
		return fmt.Sprintf("not (%s %s %s)", w.leaf(), order, edge)
	case 2:
		return fmt.Sprintf("%s %s %s", edge, order, w.leaf())
	case 3:
		return fmt.Sprintf("%s %s %s", w.num(1), order, w.num(1))
	case 4:
		v := w.leaf()
		return fmt.Sprintf("%s == floor(%s)", v, v)
	case 5:
		return fmt.Sprintf("%s %s %s", w.one("p.x", "p.y"), order, edge)
	case 6:
		return fmt.Sprintf("math.sin(%s) < 0.5", w.one("p.x", "p.y"))
	}
	return fmt.Sprintf("%s %s %s", w.whole(), order, edge)
}
