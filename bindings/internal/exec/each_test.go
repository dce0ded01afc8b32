package exec

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/bindings/internal/tx"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/ecs"
	"pgregory.net/rapid"
)

type body struct {
	X float64
	N int8
}

type tag struct{ A float64 }

// text is the function that is run. It fails for some rows after it has assigned to them,
// and leaves what their fields cannot hold in others.
const text = `
each = function(e, b)
  b.x = b.x + 1
  look()
  if b.n == 3 then error("three") end
  b.n = b.n + 1
end`

// next is what the function does to a row; false: it fails, and the row stays as it was.
func (b *body) next() bool {
	if b.N == 3 || b.N == 127 {
		return false
	}
	b.X, b.N = b.X+1, b.N+1
	return true
}

// stopping is a kernel of the function that stops at random rows, and at all that it cannot
// finish.
type stopping struct {
	r     *rand.Rand
	facts rows.KernelFacts
	ready bool
	fault string // what exec has done that it must not
	ends  *ending
}

// ending ends a call as a whole at one of its rows.
type ending struct{ rows int } // that are still to come; negative: it does not

func (x *ending) now() bool {
	x.rows--
	return x.rows == -1
}

func (k *stopping) Facts() *rows.KernelFacts { return &k.facts }
func (k *stopping) Fits(int) bool            { return true }
func (k *stopping) Close() error             { return nil }

func (k *stopping) Ready() bool {
	k.ready = k.r.IntN(8) > 0
	return k.ready
}

func (k *stopping) Unready() string { return "" }
func (k *stopping) Done()           { k.ready = false }

func (k *stopping) RunParallel(c *rows.KernelCall) error { return k.Run(c) }

func (k *stopping) Run(c *rows.KernelCall) error {
	if !k.ready {
		k.fault = "it was run, and not Ready"
	}
	c.Full, c.Dry = false, false
	for ; c.Next < c.End; c.Next++ {
		if k.ends.now() {
			return errors.New("the engine is broken")
		}
		switch k.r.IntN(40) {
		case 0:
			return nil
		case 1:
			c.Dry = true
			return nil
		case 2:
			c.Full = true
			return nil
		}
		b := (*body)(c.View.Columns[0].At(c.Next))
		if !b.next() {
			return nil
		}
	}
	return nil
}

// TestRowsRunOneByOne runs a function over random worlds, by the VM and by kernels that
// stop wherever they like. Either way rows that fail stay as they were and rest, all others
// come to what the model says, and a query for changes finds their chunks. Of a call that
// ends as a whole nothing remains, whatever had been done by then.
func TestRowsRunOneByOne(t *testing.T) {
	rests, ended := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := ecs.NewWorld()
		defer w.Close()
		bodies, tags := ecs.Register[body](w), ecs.Register[tag](w)
		fails := 0
		for set := range 2 {
			for range rapid.SampledFrom([]int{0, 1, 5, 31, 40, 700}).Draw(t, "rows") {
				n := int8(4)
				if fails < maxFaulty-2 && rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
					n = rapid.SampledFrom([]int8{3, 127, 126, 2}).Draw(t, "n")
					fails++ // at most, in either round
				}
				values := []ecs.Value{bodies.With(body{1, n})}
				if set > 0 {
					values = append(values, tags.With(tag{}))
				}
				w.Spawn(values...)
			}
		}
		L := lua.NewState(lua.Options{SkipOpenLibs: true})
		defer L.Close()
		L.SetGlobal("error", L.NewFunction(func(L *lua.LState) int {
			L.RaiseError("%s", L.ToString(1))
			return 0
		}))
		var k *stopping
		ends := &ending{-1}
		if rapid.IntRange(0, 2).Draw(t, "ends") == 0 {
			ends.rows = rapid.IntRange(0, 1000).Draw(t, "ends at")
		}
		L.SetGlobal("look", L.NewFunction(func(*lua.LState) int {
			if ends.now() {
				panic("the host is broken")
			}
			if k != nil && k.ready {
				k.fault = "the VM was run before Done"
			}
			return 0
		}))
		if err := L.DoString(text); err != nil {
			t.Fatal(err)
		}
		fn := L.GetGlobal("each").(*lua.LFunction)
		m := &Executor{
			Tx: &tx.Runner{World: w, Main: L, Limits: &tx.Limits{}}, World: w, Main: L,
			ContextType: L.NewTable(), ScriptError: ecs.Register[ScriptError](w, ecs.Named("ScriptError")),
		}
		m.Tx.NewThread()
		c := &decl.Component{ID: bodies.ID()}
		c.Name, c.Schema, c.Ready = "body", w.Raw().Schema(bodies.ID()), true
		s := &System{Name: "s", Query: &decl.Query{List: []*decl.Component{c}}, Each: fn}
		s.Script = "a.lua"
		s.Shape = &EachShape{Function: fn, Args: []EachArg{{Kind: ArgRow}}, Written: []bool{true}}
		if rapid.Bool().Draw(t, "compiled") {
			k = &stopping{ends: ends, r: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), facts: rows.KernelFacts{Writes: []int{0}, Work: 1, Most: 1, Blind: rapid.Bool().Draw(t, "blind")}}
			s.Compiled.Made = k
		}
		query := w.Query(ecs.Write(bodies.ID()))
		run := m.EachRunner(s, query)
		m.Faulty = append(m.Faulty, s.Faults)
		changed := w.Query(ecs.Read(bodies.ID())).Changed(bodies.ID())
		resting := map[ecs.Entity]bool{}
		for round := range 2 {
			for range changed.Chunks() { // from here on
			}
			want, failed, touched := map[ecs.Entity]body{}, []ecs.Entity(nil), []ecs.Entity(nil)
			before := map[ecs.Entity]body{}
			for chunk := range query.Chunks() {
				some := false
				for i, e := range chunk.Entities() {
					b := bodies.Of(chunk)[i]
					before[e] = b
					if resting[e] {
						rests++
					} else if b.next() {
						some = true
					} else {
						failed = append(failed, e)
					}
					want[e] = b
				}
				if some {
					touched = append(touched, chunk.Entities()...)
				}
			}
			breaks := ends.rows >= 0
			err := w.Run("s", run)
			if breaks = breaks && ends.rows < 0; breaks != (err != nil) {
				t.Fatalf("round %d: %v", round, err)
			}
			if breaks {
				ended++
				want, touched = before, nil
			}
			for e, b := range want {
				if got, _ := bodies.Get(e); got != b {
					t.Fatalf("round %d: %v has %v, want %v", round, e, got, b)
				}
			}
			if list := slices.Sorted(slices.Values(s.Faults.Failed)); !breaks && !slices.Equal(list, slices.Sorted(slices.Values(failed))) {
				t.Fatalf("round %d: failed for %v, want %v", round, list, failed)
			}
			var found []ecs.Entity
			for chunk := range changed.Chunks() {
				found = append(found, chunk.Entities()...)
			}
			if slices.Sort(found); !slices.Equal(found, slices.Sorted(slices.Values(touched))) {
				t.Fatalf("round %d: %d rows count as changed, want %d", round, len(found), len(touched))
			}
			if breaks {
				return // which entities rest depends on how far it came
			}
			for _, e := range failed {
				resting[e] = true
			}
			m.Settle()
			if k != nil && k.fault != "" {
				t.Fatalf("the kernel: %s", k.fault)
			}
		}
	})
	if rests == 0 || ended == 0 {
		t.Errorf("%d times an entity rested, and %d calls ended", rests, ended)
	}
}
