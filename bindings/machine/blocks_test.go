package machine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// watcher is an overseer that looks after so many steps.
type watcher struct{ every, looks int64 }

func (w *watcher) Glance() (int64, error) { return endless, nil }

func (w *watcher) Look(*Thread) (int64, error) {
	w.looks++
	return w.every, nil
}

func (w *watcher) Spent(*Thread, bool) error { return errors.New("spent") }

func (w *watcher) Made(*Thread) (int64, error) { return 0, nil }

// loopWriter writes random loops over lists.
type loopWriter struct {
	rand   *rand.Rand
	locals []string
	out    strings.Builder
}

func (w *loopWriter) pick(words ...string) string { return words[w.rand.IntN(len(words))] }

func (w *loopWriter) number() string {
	if w.rand.IntN(60) == 0 {
		return w.pick("(0/0)", "1e308")
	}
	return w.pick("x[i]", "y[i]", "z[i]", "x[i]", "y[i]", "i", "k", "u", "0", "2", "t.k", "g", "(-1.5)", w.locals[len(w.locals)-1], w.locals[len(w.locals)-1], w.pick(w.locals...), w.pick(w.locals...))
}

func (w *loopWriter) expression(depth int) string {
	if depth == 0 || w.rand.IntN(4) == 0 {
		return w.number()
	}
	switch w.rand.IntN(200) {
	case 0:
		return w.pick("#x", "x[i + 1]", "x[1]", "x[i - 1]")
	case 21, 22, 23, 24, 25:
		return w.pick("root", "lib.root", "lib.larger") + "(" + w.expression(depth-1) + ")"
	case 26, 27, 28, 29, 30, 31, 32, 33, 34, 35:
		return w.pick("lib.larger", "lib.power", "larger") + "(" + w.expression(depth-1) + ", " + w.expression(depth-1) + w.pick("", "", ", 1.5") + ")"
	case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20:
		return "(-" + w.expression(depth-1) + ")"
	}
	return "(" + w.expression(depth-1) + w.pick(" + ", " - ", " * ", " / ", " % ") + w.expression(depth-1) + ")"
}

func (w *loopWriter) condition(depth int) string {
	if depth > 0 {
		switch w.rand.IntN(4) {
		case 0:
			return "(" + w.condition(depth-1) + w.pick(" and ", " or ") + w.condition(depth-1) + ")"
		case 1:
			return "not " + w.condition(depth-1)
		}
	}
	return "(" + w.expression(1) + w.pick(" < ", " <= ", " > ", " >= ", " == ", " ~= ") + w.expression(1) + ")"
}

func (w *loopWriter) block(depth int) {
	known := len(w.locals)
	for range 1 + w.rand.IntN(3) {
		switch n := w.rand.IntN(20); {
		case n < 8:
			fmt.Fprintf(&w.out, "%s[i] = %s ", w.pick("x", "y", "z"), w.expression(2))
		case n < 12:
			name := fmt.Sprint("v", len(w.locals))
			fmt.Fprintf(&w.out, "local %s = %s ", name, w.expression(2))
			w.locals = append(w.locals, name)
		case n < 13:
			fmt.Fprintf(&w.out, "local p, q = %s, %s x[i], y[i] = q, p ", w.expression(1), w.expression(1))
		case n < 16 && len(w.locals) > 2:
			name := w.locals[2+w.rand.IntN(len(w.locals)-2)]
			fmt.Fprintf(&w.out, "if %s then %s = %s end x[i] = %s ", w.condition(1), name, w.expression(1), name)
		case n < 19 && depth > 0:
			fmt.Fprintf(&w.out, "if %s then ", w.condition(2))
			w.block(depth - 1)
			if w.rand.IntN(2) == 0 {
				w.out.WriteString("else ")
				w.block(depth - 1)
			}
			w.out.WriteString("end ")
		case n == 19 && w.rand.IntN(16) == 0:
			w.out.WriteString(w.pick("if x[i] == 7 then break end ", "k = k + 1 ", "i = i + 1 ", "z[i] = nil ", "local t = {} ", "print(i) "))
		}
	}
	w.locals = w.locals[:known]
}

// program returns a function play that has a loop, over the lists of the globals.
func (w *loopWriter) program() string {
	w.locals = []string{"k", "u"}
	w.out.Reset()
	w.out.WriteString("local u, larger, t = 0.25, lib.larger, { k = 0.5 } function play(x, y, z, k) ")
	fmt.Fprintf(&w.out, "for i = %s, %s do ", w.pick("1", "1", "1", "1", "2", "0", "17", "1.5"), w.pick("n", "n", "n", "n - 1", "n + 1", "n, 2", "1 / 0"))
	w.block(2)
	w.out.WriteString("end end")
	return w.out.String()
}

// list returns a list of numbers, with few other values.
func (w *loopWriter) list(h *Heap, n int) *Table {
	t := h.NewTable(0, 0)
	items, odd := t.Fill(n), w.rand.IntN(4) == 0
	for i := range items {
		items[i] = Pack(float64(w.rand.IntN(8)) - 2.5*float64(w.rand.IntN(2)))
		if odd && w.rand.IntN(40) == 0 {
			items[i] = []uint64{Pack(math.NaN()), Pack(-math.NaN()), Pack(math.Inf(1)), Pack(math.Copysign(0, -1)), PackBool(true)}[w.rand.IntN(5)]
		}
	}
	if odd && w.rand.IntN(4) == 0 {
		t.SetInt(1+w.rand.IntN(n), String("a"))
	}
	if odd && w.rand.IntN(4) == 0 {
		t.SetInt(1+w.rand.IntN(n), Nil)
	}
	return t
}

// pureFunctions gives programs functions of numbers, and a number, as globals.
func (h *host) pureFunctions() {
	pure := func(name string, p Pure) Value {
		return OfFunction(NewPure(name, p, func(c *Call) {
			switch n := c.Len(); {
			case n < 1 || n == 1 && p.One == nil || n > 1 && p.Two == nil:
				c.Thread().Failf("wrong number of arguments")
			case n == 1:
				c.Push(Number(p.One(c.Arg(1).Float())))
			default:
				v := p.Two(c.Arg(1).Float(), c.Arg(2).Float())
				for i := 3; i <= n && p.More; i++ {
					v = p.Two(v, c.Arg(i).Float())
				}
				c.Push(Number(v))
			}
		}))
	}
	lib := h.vm.Heap.NewTable(0, 0)
	lib.SetString("root", pure("root", Pure{One: math.Sqrt}))
	lib.SetString("power", pure("power", Pure{Two: math.Mod}))
	lib.SetString("larger", pure("larger", Pure{More: true, Two: func(x, y float64) float64 {
		if y > x {
			return y
		}
		return x
	}}))
	h.env.SetString("lib", OfTable(lib))
	h.env.SetString("root", lib.GetString("root"))
	h.env.SetString("g", Number(2.5))
}

// outcome is what a run of a program has come to.
func loopOutcome(t *testing.T, text string, seed uint64, steps int64, noBlocks bool) (string, int) {
	t.Helper()
	h := newHost(Options{})
	h.vm.noBlocks = noBlocks
	w := &loopWriter{rand: rand.New(rand.NewPCG(seed, 0))}
	n := []int{3, 8, 20, 64, 65, 200, 300}[w.rand.IntN(7)]
	h.env.SetString("n", Number(float64(n)))
	h.pureFunctions()
	if _, r := h.run(t, text); r != nil {
		t.Fatalf("%s\n%s", text, r.Err.Message)
	}
	lists := []*Table{w.list(h.vm.Heap, n), w.list(h.vm.Heap, n), w.list(h.vm.Heap, n+w.rand.IntN(3))}
	if w.rand.IntN(8) == 0 {
		lists[1] = lists[0]
	}
	if w.rand.IntN(8) == 0 {
		meta := h.vm.Heap.NewTable(0, 0)
		meta.SetString("__newindex", OfFunction(NewNative("", func(*Call) {})))
		lists[0].SetMetatable(meta)
		lists[0].Seal(true)
	}
	watch := &watcher{every: []int64{50, 300, 1 << 40}[w.rand.IntN(3)]}
	out := &strings.Builder{}
	h.vm.Start(steps, 0, watch)
	defer func() {
		if late := blockTurns*200 + watch.every; h.vm.Steps()/late > watch.looks {
			t.Errorf("%d looks in %d steps, one after %d", watch.looks, h.vm.Steps(), watch.every)
		}
	}()
	for range 2 {
		_, r := h.vm.Main().Run(h.env.GetString("play"), OfTable(lists[0]), OfTable(lists[1]), OfTable(lists[2]), Number(3))
		if r != nil {
			fmt.Fprint(out, r.Err.Message, r.Err.Line, " ")
		}
	}
	fmt.Fprintln(out, h.vm.Steps())
	for _, l := range lists {
		for i := range l.Len() {
			v := l.GetInt(i + 1)
			fmt.Fprintf(out, "%x ", v.n)
		}
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		out.WriteString("\n")
	}
	return out.String(), len(h.env.GetString("play").Function().proto.blocks)
}

// TestBlocksAsTurns: a loop that is executed in blocks leaves the same bits in the lists, counts
// the same and stops at the same turn as one whose turns are made one by one.
func TestBlocksAsTurns(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := &loopWriter{rand: rand.New(rand.NewPCG(seed, 1))}
	blocks, runs := 0, 2000
	for range runs {
		text, seed, steps := w.program(), w.rand.Uint64(), int64(30_000)
		if w.rand.IntN(2) == 0 {
			steps = w.rand.Int64N(4000)
		}
		want, _ := loopOutcome(t, text, seed, steps, true)
		got, n := loopOutcome(t, text, seed, steps, false)
		if blocks += n; got != want {
			t.Fatalf("%s\nlists of seed %d, %d steps: is\n%s, want\n%s", text, seed, steps, got, want)
		}
	}
	t.Logf("%d of %d loops were executed in blocks", blocks, runs)
	if blocks < runs/4 {
		t.Error("they are too few")
	}
}

// TestKnownValuesInBlocks: a value that no turn changes counts as what it is, and what cannot
// compute with it raises its error, although nobody reads the result.
func TestKnownValuesInBlocks(t *testing.T) {
	planned := 0
	for _, body := range []string{
		"local a if x[i] > 1 then a = f else a = u end if a then x[i] = 5 end",
		"local a if x[i] > 1 then a = u else a = f end if not a then x[i] = 6 end",
		"local a = u if x[i] > 1 then a = k end if not a then x[i] = 7 end",
		"local a = f if a then x[i] = 8 end",
		"local a = k + 1 x[i] = 2",
		"local a = -f x[i] = 2",
		"local a = 1 if x[i] > 1 then a = k end local b = a + 1 x[i] = 2",
		"local a = x[i] * holed.absent x[i] = 2",
		"if holed.absent then x[i] = 9 end",
		"if plain.absent then x[i] = 9 end",
		"if not holed.absent then x[i] = 9 end",
		"if deep.absent then x[i] = 9 end",
		"if deep.count then x[i] = x[i] + deep.count end",
		"local a if x[i] > 1 then a = plain.count else a = other.count end x[i] = a",
		"local a if x[i] > 1 then a = plain.on else a = other.on end if a then x[i] = 5 end",
	} {
		for _, k := range []Value{Nil, Bool(false), Bool(true), Number(0), String("a")} {
			want, _ := knownOutcome(t, body, k, true)
			got, n := knownOutcome(t, body, k, false)
			if planned += n; got != want {
				t.Errorf("%s, with %s: is\n%s, want\n%s", body, k.Kind(), got, want)
			}
		}
	}
	if planned < 20 {
		t.Errorf("only %d loops were executed in blocks", planned)
	}
}

// knownOutcome runs a loop with some values that no turn changes, and returns what it has come to.
func knownOutcome(t *testing.T, body string, k Value, noBlocks bool) (string, int) {
	t.Helper()
	h := newHost(Options{})
	h.vm.noBlocks = noBlocks
	h.pureFunctions()
	if _, r := h.run(t, `local u, f, plain = 1, false, { count = 3, on = true }
		local other = { count = 8, on = false }
		local deep = setmetatable({}, { __index = setmetatable({ count = 2 }, { __index = function() return true end }) })
		local holed = setmetatable({}, { __index = function() return true end })
		function play(x, k) for i = 1, 40 do `+body+` end end`); r != nil {
		t.Fatal(r.Err.Message)
	}
	l := h.vm.Heap.NewTable(0, 0)
	items := l.Fill(40)
	for i := range items {
		items[i] = Pack(float64(i % 4))
	}
	h.vm.Start(1e6, 0, nil)
	out := &strings.Builder{}
	if _, r := h.vm.Main().Run(h.env.GetString("play"), OfTable(l), k); r != nil {
		fmt.Fprint(out, r.Err.Message)
	}
	fmt.Fprintln(out, h.vm.Steps())
	for i := range l.Len() {
		fmt.Fprint(out, l.GetInt(i+1).Float(), " ")
	}
	return out.String(), len(h.env.GetString("play").Function().proto.blocks)
}

// TestLoopsForBlocks: these loops are executed in blocks, and those not.
func TestLoopsForBlocks(t *testing.T) {
	for body, want := range map[string]bool{
		"x[i] = x[i] + y[i] * k": true,
		"local a, b = x[i], y[i] local p = a + b * k x[i] = p if p < 0 or p > 9 then y[i] = -b end": true,
		"if x[i] > 1 then x[i] = u else x[i] = i % 3 end":                                           true,
		"local a = 1 if x[i] > 1 then a = 2 end x[i] = a":                                           true,
		"local a if x[i] > 1 then a = 2 end x[i] = 1":                                               true,
		"local a if x[i] > 1 then a = 2 end x[i] = a":                                               false,
		"x[i] = root(x[i], k) + larger(x[i], y[i], u)":                                              true,
		"x[i] = t.a.b + x[i]":                                                                       true,
		"k = k + x[i] x[i] = k":                                                                     false,
		"x[i] = x[i + 1]":                                                                           false,
		"x[k] = x[i]":                                                                               false,
		"x[i] = #y":                                                                                 false,
		"if x[i] == 1 then break end x[i] = 2":                                                      false,
		"x[i] = \"a\"":                                                                              false,
		"local a = k":                                                                               false,
		"for j = 1, 2 do x[i] = j end":                                                              false,
	} {
		h := newHost(Options{})
		if _, r := h.run(t, "local u, t = 1, { a = {} } function play(x, y, k) for i = 1, 9 do "+body+" end end"); r != nil {
			t.Fatal(r.Err.Message)
		}
		play := h.env.GetString("play").Function()
		_, _ = h.vm.Main().Run(OfFunction(play))
		if got := len(play.proto.blocks) > 0; got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}
