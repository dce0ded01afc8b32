package ecs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/perigee-ecs/perigee/internal/testmain"
)

// ruledWorld is a world with random invariants, and a slow model that looks at each entity by its handle.
//
// Invariant: states and values are those of the last check, of all entities that had the
// components then.
type ruledWorld struct {
	*World
	t        *rapid.T
	fighters Component[fighter]
	armors   Component[armor] // in a pool of the arena
	purses   Component[purse]
	diaries  Component[diary] // on the heap
	view     *View[ruledRow]
	models   []invariantModel
	got      []*Violation
	states   map[Entity]uint8
	before   map[string]string // by rule and entity: what the rule saw of it
	prefab   Entity
	calls    map[string]func() // what systems do in the next step
}

type ruledRow struct {
	A *armor
	P *purse
	F *fighter `ecs:"optional"`
}

// invariantModel says in plain Go what a rule demands: ok is false for an entity that it is not about,
// sees is what it depends on.
type invariantModel struct {
	rule  Invariant
	of    string
	holds func(z *ruledWorld, e Entity) (holds, ok bool)
	sees  func(z *ruledWorld, e Entity) string
}

func ofFighter(keep func(f fighter) bool) func(*ruledWorld, Entity) (bool, bool) {
	return func(z *ruledWorld, e Entity) (bool, bool) {
		f, ok := z.fighters.Get(e)
		return ok && keep(f), ok
	}
}

func seesFighter(z *ruledWorld, e Entity) string {
	f, _ := z.fighters.Get(e)
	return fmt.Sprint(f)
}

// permits is the state machine of the test.
var permits = map[uint8][]uint8{0: {1}, 1: {0, 2}}

// invariantModels are all rules that a world may draw from.
func invariantModels() []invariantModel {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	return []invariantModel{
		{Range("hp", -1, 1.1), "fighter", ofFighter(func(f fighter) bool { return f.HP >= -1 && f.HP <= float32(1.1) }), seesFighter},
		{Range("cells", 0, 2), "fighter", ofFighter(func(f fighter) bool {
			return !slices.ContainsFunc(f.Cells[:], func(v float32) bool { return !(v >= 0 && v <= 2) })
		}), seesFighter},
		{Finite(), "fighter", ofFighter(func(f fighter) bool {
			return finite(float64(f.HP)) && finite(f.Max) && finite(float64(f.At.X)) && finite(float64(f.At.Y)) && finite(float64(f.Cells[0])) && finite(float64(f.Cells[1])) && finite(float64(f.Cells[2]))
		}), seesFighter},
		{Constraint("hp <= max"), "fighter", ofFighter(func(f fighter) bool { return float64(f.HP) <= f.Max }), seesFighter},
		{Constraint("level ~= at.x"), "fighter", ofFighter(func(f fighter) bool { return float64(f.Level) != float64(f.At.X) }), seesFighter},
		{Constraint("state ~= dead"), "fighter", ofFighter(func(f fighter) bool { return f.State != 2 }), seesFighter},
		{Holds("odd", "level is odd", func(f *fighter) bool { return f.Level%2 != 0 }), "fighter", ofFighter(func(f fighter) bool { return f.Level%2 != 0 }), seesFighter},
		{Transitions("state", map[string][]string{"idle": {"walk"}, "walk": {"idle", "dead"}}), "fighter", func(z *ruledWorld, e Entity) (bool, bool) {
			f, ok := z.fighters.Get(e)
			was, known := z.states[e]
			return ok && (!known || was == f.State || slices.Contains(permits[was], f.State)), ok
		}, seesFighter},
		{Constraint("hp < armor.cap"), "fighter", func(z *ruledWorld, e Entity) (bool, bool) {
			f, ok := z.fighters.Get(e)
			a, also := z.armors.Get(e)
			return f.HP < a.Cap, ok && also
		}, func(z *ruledWorld, e Entity) string {
			a, _ := z.armors.Get(e)
			return seesFighter(z, e) + fmt.Sprint(a)
		}},
		{Constraint("cap >= diary.page"), "armor", func(z *ruledWorld, e Entity) (bool, bool) {
			a, ok := z.armors.Get(e)
			d, also := z.diaries.Get(e)
			return float64(a.Cap) >= d.Page, ok && also
		}, func(z *ruledWorld, e Entity) string {
			a, _ := z.armors.Get(e)
			d, _ := z.diaries.Get(e)
			return fmt.Sprint(a, d)
		}},
		{Range("page", 0, 1), "diary", func(z *ruledWorld, e Entity) (bool, bool) {
			d, ok := z.diaries.Get(e)
			return d.Page >= 0 && d.Page <= 1, ok
		}, func(z *ruledWorld, e Entity) string { d, _ := z.diaries.Get(e); return fmt.Sprint(d) }},
		{Range("cap", 0, math.Inf(1)), "armor", func(z *ruledWorld, e Entity) (bool, bool) {
			a, ok := z.armors.Get(e)
			return a.Cap >= 0, ok
		}, func(z *ruledWorld, e Entity) string { a, _ := z.armors.Get(e); return fmt.Sprint(a) }},
		{Invariant{text: "of the view"}, "view", func(z *ruledWorld, e Entity) (bool, bool) {
			a, ok := z.armors.Get(e)
			p, also := z.purses.Get(e)
			f, third := z.fighters.Get(e)
			return viewHolds(&a, &p, map[bool]*fighter{true: &f}[third]), ok && also
		}, func(z *ruledWorld, e Entity) string {
			a, _ := z.armors.Get(e)
			p, _ := z.purses.Get(e)
			return fmt.Sprint(a, p, z.fighters.Has(e)) + seesFighter(z, e)
		}},
	}
}

func viewHolds(a *armor, p *purse, f *fighter) bool {
	return float64(p.Gold) <= float64(a.Cap) || f != nil && f.Level == 1
}

// newRuledWorld declares some of the rules: at the registration, of an owner, of a view.
func newRuledWorld(t *rapid.T) *ruledWorld {
	w, err := Open(Options{MaxViolations: mostViolations, Workers: rapid.IntRange(1, 2).Draw(t, "workers")})
	mustHold(t, err)
	z := &ruledWorld{World: w, t: t, states: map[Entity]uint8{}, before: map[string]string{}, calls: map[string]func(){}}
	options := map[string][]ComponentOption{}
	var later []invariantModel
	for _, m := range invariantModels() {
		switch how := rapid.IntRange(0, 2).Draw(t, m.rule.text); {
		case how == 0:
			continue
		case how == 1 && m.of == "fighter" && !strings.Contains(m.rule.text, "armor"), how == 1 && m.rule.text == "0 <= page <= 1":
			options[m.of] = append(options[m.of], m.rule)
		default:
			later = append(later, m)
		}
		z.models = append(z.models, m)
	}
	if rapid.Bool().Draw(t, "tracked") {
		options["fighter"] = append(options["fighter"], Tracked)
	}
	z.fighters, z.armors = Register[fighter](w, options["fighter"]...), Register[armor](w, Sparse)
	z.purses, z.diaries = Register[purse](w), Register[diary](w, options["diary"]...)
	ids := map[string]ComponentID{"fighter": z.fighters.ID(), "armor": z.armors.ID(), "diary": z.diaries.ID()}
	var owned []Owned
	for _, m := range later {
		if m.of == "view" {
			z.view = NewView[ruledRow](w)
			_, err := z.view.Holds("view", m.rule.text, func(r ruledRow) bool { return viewHolds(r.A, r.P, r.F) })
			mustHold(t, err)
		} else {
			owned = append(owned, Owned{ids[m.of], m.rule})
		}
	}
	mustHold(t, w.Raw().SetInvariants("o", owned))
	z.prefab = w.Spawn(z.values()...)
	mustHold(t, w.MarkPrefab(z.prefab))
	_, err = w.Schedule().OnViolation(func(v *Violation) { z.got = append(z.got, v) })
	mustHold(t, err)
	z.addSystems()
	return z
}

// addSystems adds systems that do what the test has asked for: one after the other, and two side by side.
func (z *ruledWorld) addSystems() {
	of := func(name string, parallel bool, q *Query, run func(t *Tick)) System {
		return System{Name: name, Parallel: parallel, Queries: []*Query{q}, Run: func(t *Tick) error {
			if z.calls[name] != nil {
				run(t)
			}
			return nil
		}}
	}
	fighters, armors := z.Query(Write(z.fighters)), z.Query(Write(z.armors))
	mustHold(z.t, z.Schedule().Add(
		of("one", false, fighters, func(t *Tick) {
			for c := range fighters.Chunks() {
				for i, f := 0, z.fighters.Mut(c); i < len(f); i += 2 {
					f[i].HP, f[i].State = f[i].HP+1, (f[i].State+1)%3
				}
			}
			for e := range z.Entities() {
				t.Commands.Add(e, z.purses.With(purse{int64(e.Index()) % 4}))
			}
		}),
		of("two", true, fighters, func(t *Tick) {
			mustHold(z.t, t.Parallel(fighters, func(_ *Tick, c *Chunk) {
				for i := range z.fighters.Mut(c) {
					z.fighters.Mut(c)[i].Level++
				}
			}))
		}),
		of("three", true, armors, func(t *Tick) {
			for c := range armors.Chunks() {
				for i := range z.armors.Mut(c) {
					z.armors.Mut(c)[i].Cap--
				}
				t.Commands.Spawn(z.armors.With(armor{-1}), z.purses.With(purse{3}))
			}
		})))
}

// values draws values of some components.
func (z *ruledWorld) values() (list []Value) {
	numbers := []float64{0, 1, -1, 2, 1.1, 1.2, math.NaN(), math.Inf(1)}
	number := func(name string) float64 { return rapid.SampledFrom(numbers).Draw(z.t, name) }
	if rapid.IntRange(0, 3).Draw(z.t, "fighter") > 0 {
		f := fighter{HP: float32(number("hp")), Max: number("max"), Level: int32(rapid.IntRange(0, 3).Draw(z.t, "level")), State: uint8(rapid.IntRange(0, 3).Draw(z.t, "state"))}
		f.At.X, f.Cells[1] = float32(number("x")), float32(number("cell"))
		list = append(list, z.fighters.With(f))
	}
	if rapid.Bool().Draw(z.t, "armor") {
		list = append(list, z.armors.With(armor{float32(number("cap"))}))
	}
	if rapid.Bool().Draw(z.t, "purse") {
		list = append(list, z.purses.With(purse{int64(rapid.IntRange(-2, 3).Draw(z.t, "gold"))}))
	}
	if rapid.Bool().Draw(z.t, "diary") {
		list = append(list, z.diaries.With(diary{"x", number("page")}))
	}
	return list
}

// any draws an entity that lives, 0 if there is none.
func (z *ruledWorld) any() Entity {
	all := slices.Collect(z.Entities())
	if len(all) == 0 {
		return 0
	}
	return rapid.SampledFrom(all).Draw(z.t, "entity")
}

// act makes a random change.
func (z *ruledWorld) act() {
	e := z.any()
	switch act := rapid.IntRange(0, 11).Draw(z.t, "act"); act {
	case 0, 1:
		mustHold(z.t, z.SpawnMany(rapid.SampledFrom([]int{1, 3, 130}).Draw(z.t, "n"), nil, z.values()...))
	case 2:
		if e != 0 {
			mustHold(z.t, z.Despawn(e))
		}
	case 3, 4:
		if e != 0 {
			mustHold(z.t, z.Add(e, z.values()...))
		}
	case 5:
		if e != 0 {
			mustHold(z.t, z.Remove(e, rapid.SampledFrom([]ComponentRef{z.fighters, z.armors, z.purses, z.diaries}).Draw(z.t, "gone")))
		}
	case 6:
		if f := z.fighters.Edit(e); f != nil {
			f.HP, f.State = 5, uint8(rapid.IntRange(0, 2).Draw(z.t, "state"))
		}
	case 7:
		if d := z.diaries.Edit(e); d != nil {
			d.Page = 9
		}
	case 8:
		c := z.NewCommands()
		c.Add(e, z.values()...)
		c.Spawn(z.values()...)
		if err := c.Apply(); err != nil && e != 0 {
			z.t.Fatal(err)
		}
	case 9:
		_, err := z.AddAll(z.Query(Read(z.fighters)), z.armors.With(armor{1}))
		mustHold(z.t, err)
	case 10:
		if z.Alive(z.prefab) {
			_, err := z.Instantiate(z.prefab, 2)
			mustHold(z.t, err)
		}
	case 11:
		z.calls[rapid.SampledFrom([]string{"one", "two", "three"}).Draw(z.t, "system")] = func() {}
	}
}

// broken lists what breaks rules by the model, by rule and entity.
func (z *ruledWorld) broken() map[string]bool {
	all := map[string]bool{}
	for _, m := range z.models {
		for e := range z.Entities() {
			if z.isPrefab(e) {
				continue
			}
			if holds, about := m.holds(z, e); about && !holds {
				all[fmt.Sprintf("%s: %v", m.rule.text, e)] = true
			}
		}
	}
	return all
}

// keysOf lists violations, and refuses one that comes twice.
func (z *ruledWorld) keysOf(list []*Violation) map[string]bool {
	all := map[string]bool{}
	for _, v := range list {
		key := fmt.Sprintf("%s: %v", v.Text, v.Entity)
		if all[key] {
			z.t.Fatalf("%s is reported twice", key)
		}
		all[key] = true
	}
	return all
}

// judge compares what a step reported with the model: nothing but what is broken, and all of that
// which is another one than at the last check; everything, if all was touched.
func (z *ruledWorld) judge(touched bool, broken map[string]bool) {
	got := z.keysOf(z.got)
	for key := range got {
		if !broken[key] {
			z.t.Fatalf("%s is reported, and holds", key)
		}
	}
	now := map[string]string{}
	for _, m := range z.models {
		for e := range z.Entities() {
			if _, about := m.holds(z, e); !about || z.isPrefab(e) {
				continue
			}
			key := fmt.Sprintf("%s: %v", m.rule.text, e)
			now[key] = m.sees(z, e)
			if was, known := z.before[key]; broken[key] && !got[key] && (touched || !known || was != now[key]) {
				z.t.Fatalf("%s is broken, and was written: %s, before %s", key, now[key], was)
			}
		}
	}
	z.before = now
	clear(z.states)
	for e := range z.Entities() {
		if f, ok := z.fighters.Get(e); ok && !z.isPrefab(e) {
			z.states[e] = f.State
		}
	}
}

// TestInvariantsAgainstASlowModel: random rules over random changes by the host, commands, batches, systems and
// parallel systems, in chunks, pools and on the heap.
func TestInvariantsAgainstASlowModel(t *testing.T) {
	testmain.OneGoroutine(t)
	reports := 0
	rapid.Check(t, func(t *rapid.T) {
		z := newRuledWorld(t)
		defer z.Close()
		for range rapid.IntRange(1, 8).Draw(t, "ticks") {
			for range rapid.IntRange(0, 6).Draw(t, "acts") {
				z.act()
			}
			touched := rapid.Bool().Draw(t, "touched")
			var broken map[string]bool
			z.calls["end"] = nil
			z.got = nil
			if touched {
				for e := range z.Entities() {
					for _, id := range []ComponentID{z.fighters.ID(), z.armors.ID(), z.purses.ID(), z.diaries.ID()} {
						z.touch(e, id)
					}
				}
			}
			mustHold(t, z.Step(1))
			clear(z.calls)
			broken = z.broken() // states are still those of the check before
			reports += len(z.got)
			z.judge(touched, broken)
			for key := range z.keysOf(z.Schedule().Violations(0)) {
				if !broken[key] {
					t.Fatalf("Violations finds %s, which holds", key)
				}
			}
			if n, want := len(z.Schedule().Violations(0)), len(z.broken()); n != want {
				t.Fatalf("Violations finds %d, want %d", n, want)
			}
			mustHold(t, z.Check())
		}
	})
	if reports == 0 {
		t.Error("nothing was ever reported")
	}
}

// mustHold is must for a drawn test.
func mustHold(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}
