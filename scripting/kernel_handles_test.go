package scripting_test

import (
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

var handlePrograms = flag.Int("kernel.handles", 400, "random kernels that follow handles to run on both paths")

// Link holds handles, and what may be none: the host of a world can put any bits
// into them.
type Link struct {
	Mate  ecs.Entity
	Mates [4]ecs.Entity
	X     float64
	N     uint8
}

// Cargo is what some of the others have.
type Cargo struct {
	Owner ecs.Entity
	W     float32
}

// handlesOpening is the top of the scripts here. Cold is in a pool.
const handlesOpening = `
local ecs = require "ecs"
local Link, Cargo = ecs.native("Link"), ecs.native("Cargo")
local Cold = ecs.component("Cold", { t = ecs.f32(1) }, { sparse = true })
local Mark = ecs.tag("Mark")
local Told = ecs.event("Told", { who = ecs.entity(), n = ecs.f64(0) })
local kept, count = 0, 0
ecs.system "told" { phase = "render", on = Told, each = function(t) count = count + t.n + t.who % 977 end }
ecs.system "report" { phase = "debug", run = function() ecs.log(string.format("%.17g %.17g", kept, count)) end }
`

// links opens a world of entities that know each other, and others that were never
// there: dead ones, those of other worlds, slots and generations that have not been
// given out, and numbers beyond those that a float64 tells apart.
func links(t testing.TB, seed uint64) *ecs.World {
	t.Helper()
	tag := []uint16{5, 133, 32_895}[seed%3] // those of many worlds have fewer generations, see ecs.Entity
	w, err := ecs.Open(ecs.Options{Tag: tag, Seed: seed, MaxBytes: 16 << 20, ReuseAfter: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r := rand.New(rand.NewPCG(seed, 11))
	link, cargo := ecs.Register[Link](w), ecs.Register[Cargo](w)
	type Spare struct{ N int32 }
	spare := ecs.Register[Spare](w)
	var all []ecs.Entity
	for i := range 70 {
		e := w.Spawn(link.With(Link{}))
		if i%3 == 1 {
			w.Add(e, spare.With(Spare{}))
		}
		if i%4 == 2 {
			w.Add(e, cargo.With(Cargo{}))
		}
		if all = append(all, e); i%10 == 9 {
			w.Despawn(e)
		}
	}
	wild := []ecs.Entity{
		0, 1, 17, 1<<24 - 1, 1 << 24, 1 << 32, 1<<32 | 5<<24 | 3, 1<<32 | 6<<24 | 3, 9<<32 | 5<<24 | 3, 1<<52 - 1, 1 << 52, 1<<32 | 133<<24 | 3, 1<<44 | 133<<24 | 3, 1<<44 | 1<<32 | 133<<24 | 3,
		255<<44 | 255<<24 | 3, 255<<44 | 1<<32 | 255<<24 | 3, 255<<44 | 9<<32 | 255<<24 | 2,
		1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<53 + 2, 1<<56 | all[0], 1<<63 | all[1], 1<<63 + 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 1,
	}
	some := func() ecs.Entity {
		if r.IntN(4) == 0 {
			return wild[r.IntN(len(wild))]
		}
		return all[r.IntN(len(all))]
	}
	legal := func() ecs.Entity { return some() & (1<<52 - 1) } // Lua writes arrays as a whole, and refuses what is above
	for _, e := range all {
		if p := link.Edit(e); p != nil {
			*p = Link{some(), [4]ecs.Entity{legal(), legal(), legal(), legal()}, r.NormFloat64(), uint8(r.IntN(7))}
		}
		if p := cargo.Edit(e); p != nil {
			*p = Cargo{some(), float32(r.NormFloat64())}
			if r.IntN(2) == 0 { // one number in Lua, or the next one to it
				near := ecs.Entity(1) << (52 + r.IntN(12))
				link.Edit(e).Mate, p.Owner = near+ecs.Entity(r.IntN(3)), near+ecs.Entity(r.IntN(3))
			}
		}
	}
	return w
}

// follow plays a script in such a world and returns all that can be seen of it.
func follow(t testing.TB, text string, seed uint64) (seen string, compiled int, reasons []string) {
	t.Helper()
	w := links(t, seed)
	defer w.Close()
	var lines []string
	h := newHost(t, w, scripting.Options{
		Logger: slog.New(&logbook{lines: &lines}), OnError: func(*scripting.Error) {}, OnKernel: func(scripting.KernelStatus) {},
		Limits: scripting.Limits{Instructions: 1_000_000, LogLines: -1},
	})
	defer h.Close()
	if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, k := range h.Kernels() {
		if strings.Contains(k.Reason, "fault of the compiler") {
			t.Fatalf("%s\n%s", k, text)
		}
		switch {
		case !strings.HasPrefix(k.System, "s"): // it is not one of the programs
		case k.Compiled:
			compiled++
		default:
			reasons = append(reasons, k.Reason)
		}
	}
	link, cargo := ecs.Register[Link](w), ecs.Register[Cargo](w)
	for range 2 {
		lines = append(lines, split(h.StepAll(0.25))...)
		for e := range w.Entities() {
			l, _ := link.Get(e)
			c, _ := cargo.Get(e)
			lines = append(lines, fmt.Sprintf("%x: %x %x %x %d, %x %x", e, l.Mate, l.Mates, math.Float64bits(l.X), l.N, c.Owner, math.Float32bits(c.W)))
		}
	}
	return strings.Join(lines, "\n"), compiled, reasons
}

// differ runs functions on both paths.
func differ(t testing.TB, programs []string, seed uint64) (compiled int, reasons []string, difference string) {
	t.Helper()
	text := func(mode string) string {
		all := handlesOpening
		for i, p := range programs {
			all += fmt.Sprintf("ecs.system \"s%02d\" { query = { Link, optional = { Cargo } }, kernel = %q,\n  each = %s}\n", i, mode, p)
		}
		return all
	}
	vm, _, _ := follow(t, text("off"), seed)
	kernel, compiled, reasons := follow(t, text("auto"), seed)
	if strings.Contains(vm, "ran too long") {
		return compiled, reasons, "" // a kernel gets further with the same limit
	}
	if vm = strings.ReplaceAll(vm, `"off"`, `"auto"`); vm != kernel {
		difference = firstDifference(vm, kernel)
	}
	return compiled, reasons, difference
}

// TestHandlesEqualLua runs random functions that follow handles, compare and keep
// them, over fields that hold any 64 bits. What is in memory and what goes wrong
// must be the same as on the VM.
func TestHandlesEqualLua(t *testing.T) {
	sideBySide(t)
	const batch = 10
	compiled, total := 0, 0
	reasons := map[string]int{}
	for seed := *kernelSeed; total < *handlePrograms; seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		var programs []string
		for range batch {
			programs = append(programs, pursue(r))
		}
		n, why, difference := differ(t, programs, seed)
		compiled, total = compiled+n, total+batch
		for _, w := range why {
			reasons[w]++
		}
		if difference == "" {
			continue
		}
		for _, p := range programs { // find the one
			if _, _, alone := differ(t, []string{p}, seed); alone != "" {
				t.Fatalf("seed %d\n%s\n%s", seed, alone, p)
			}
		}
		t.Fatalf("seed %d: only together\n%s", seed, difference)
	}
	t.Logf("%d programs from seed %d: %d compiled; not compiled: %v", total, *kernelSeed, compiled, reasons)
	if compiled < total*9/10 {
		t.Errorf("only %d of %d programs were compiled", compiled, total)
	}
}

// pursue writes a random each function over Link and Cargo. h and k are variables
// that hold handles, n is one that holds numbers, handles among them.
func pursue(r *rand.Rand) string {
	var b strings.Builder
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	handle := func() string {
		return pick("h", "h", "k", "l.mate", "l.mates[1]", "l.mates[3]", "l.mates[l.n]", "e", "0", "(c and c.owner or h)")
	}
	safe := func() string { return pick("e", "kept", "h", "k", "l.mate", "l.mates[2]") } // of what may be none the row is Lua's
	number := func() string {
		return pick(
			fmt.Sprintf("(ecs.get(%s, Link, \"x\") or 2)", safe()), fmt.Sprintf("(ecs.get(%s, Cargo, \"w\") or l.x)", safe()),
			fmt.Sprintf("(ecs.alive(%s) and 1 or 3)", handle()), fmt.Sprintf("(ecs.has(%s, Cargo) and 5 or l.n)", safe()),
			fmt.Sprintf("(ecs.has(%s, Link, Cold) and 7 or 8)", safe()), fmt.Sprintf("(ecs.get(%s, Cold, \"t\") or -1)", safe()),
			fmt.Sprintf("(%s) %% 1009", handle()), fmt.Sprintf("(%s == %s and 4 or 6)", handle(), handle()),
			fmt.Sprintf("((%s) / 3)", handle()), "l.x", "2", "n")
	}
	line := func(format string, v ...any) { fmt.Fprintf(&b, "    "+format+"\n", v...) }
	stmt := func() {
		switch r.IntN(17) {
		case 16:
			line("if c and l.mate %s c.owner then n = n + 1 end", pick("==", "~="))
		case 0, 1:
			line("h = %s", handle())
		case 2:
			line("if %s %s %s then k = %s else n = n + 1 end", handle(), pick("==", "~="), handle(), handle())
		case 3:
			line("l.x = %s + %s", number(), number())
		case 4:
			line("l.mate = %s", pick("h", "e", "0", "l.mates[2]", "l.mate", "nil", "n"))
		case 5:
			line("if c then c.owner, c.w = %s, %s end", pick("h", "e", "0", "c.owner"), number())
		case 6:
			line("do local o = ecs.get(%s, Link) if o then n, h = n + o.x, o.mates[%s] end end", safe(), pick("1", "l.n % 4 + 1"))
		case 7:
			line("do local o, g = ecs.get(%s, Link), ecs.get(%s, Cargo) if o and g then n = o.x * g.w end end", "h", pick("h", "k"))
		case 8:
			line("for i = 1, %d do local m = l.mates[i] if m ~= e and ecs.alive(m) then n = n + %s end end", 2+r.IntN(4), number())
		case 9:
			line("do local o, last = l.mate, e repeat local p = ecs.get(o, Link) if not p then break end last, n, o = o, n + p.x, p.mate n = n * 1.5 + 0.01 until last == e or n > 3 or n < -3 end")
		case 10:
			line("n = %s", pick("h", "n + 1", "l.mate % 13", "h == k and h or 3"))
		case 11:
			line("if l.n == %d then ecs.%s end", r.IntN(9), fmt.Sprintf(pick("set(%s, Cargo { w = 2, owner = h })", "add(%s, Cold { t = 3 })", "add(%s, Mark)", "remove(%s, Cargo)", "despawn(%s)"), handle()))
		case 12:
			line("if l.n == %d then ecs.emit(Told { who = %s, n = %s }) end", r.IntN(9), handle(), number())
		case 13:
			line("if ecs.alive(h) then kept = %s end", pick("h", "k", "e"))
		case 14:
			line("l.mates[%s] = %s", pick("2", "l.n % 4 + 1"), pick("h", "e", "0", "k"))
		default:
			line("h, k = k, %s", handle())
		}
	}
	b.WriteString("function(e, l, c, ctx)\n")
	line("local h, k, n = %s, %s, %s", pick("l.mate", "e", "l.mates[4]"), pick("l.mate", "l.mates[1]", "e"), pick("0", "l.x"))
	for range 3 + r.IntN(5) {
		stmt()
	}
	line("l.x = %s", pick("n", number(), "h % 100"))
	b.WriteString("  end\n")
	return b.String()
}

// TestKernelsInSmallWorlds: where a world has room for few entities, handles of slots that
// it does not have are nobody's.
func TestKernelsInSmallWorlds(t *testing.T) {
	for _, mode := range []string{"off", "require"} {
		w, err := ecs.Open(ecs.Options{Tag: 1, MaxBytes: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		alpha, beta := ecs.Register[Alpha](w), ecs.Register[Beta](w)
		row := w.Spawn(alpha.With(Alpha{}), beta.With(Beta{}))
		h := newHost(t, w, scripting.Options{})
		defer h.Close()
		text := opening + system("s", mode, `function(e, x, y)
			local f = ecs.alive(e) and 1 or 0
			for k = 4, 23 do
				if ecs.alive(e + 2 ^ k) then f = f + 10 end
				if ecs.has(e + 2 ^ k, Alpha) then f = f + 1000 end
			end
			y.f = f
		end`)
		if err := h.Load(fstest.MapFS{"k.lua": {Data: []byte(text)}}); err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		if err := h.StepAll(0.1); err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		if y, _ := beta.Get(row); y.F != 1 {
			t.Errorf("%s: %v, want the row's own entity alone", mode, y.F)
		}
	}
}
