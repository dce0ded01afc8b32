package decl_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	"github.com/perigee-ecs/perigee/ecs"
)

// ground is one of which types come and go.
type ground struct {
	numbers map[string]ecs.ComponentID
	made    int
}

func (g *ground) Names() []string      { return slices.Sorted(maps.Keys(g.numbers)) }
func (g *ground) Has(name string) bool { _, ok := g.numbers[name]; return ok }
func (g *ground) Make(name string) *decl.Component {
	g.made++
	c := &decl.Component{ID: g.numbers[name]}
	c.Name, c.Schema, c.Ready = name, &ecs.Schema{Name: name}, true
	return c
}

type registry = decl.Registry[decl.Component, *decl.Component]

func newRegistry(names ...string) (*registry, *ground) {
	g := &ground{numbers: map[string]ecs.ComponentID{}}
	for _, name := range names {
		g.numbers[name] = ecs.ComponentID(len(g.numbers))
	}
	return decl.NewRegistry[decl.Component, *decl.Component]("component", g), g
}

func component(name string, fields ...string) *decl.Component {
	c := &decl.Component{}
	c.Name, c.Schema = name, &ecs.Schema{Name: name, Version: 1}
	for _, f := range fields {
		c.Schema.Fields = append(c.Schema.Fields, ecs.Field{Name: f, Kind: ecs.F64})
	}
	if err := c.Schema.Layout(); err != nil {
		panic(err)
	}
	return c
}

// TestOneDeclarationForEachType: however often a type is asked for, there is one
// declaration of it, and none of a type that the ground does not have, or no longer.
func TestOneDeclarationForEachType(t *testing.T) {
	r, g := newRegistry("Health")
	first := r.InForce("Health")
	if first == nil || r.InForce("Health") != first || r.Find("Health") != first || g.made != 1 {
		t.Errorf("made %d times", g.made)
	}
	if r.InForce("Armor") != nil {
		t.Error("the ground has no Armor")
	}
	delete(g.numbers, "Health")
	if r.InForce("Health") != nil {
		t.Error("the ground has no Health any more")
	}
}

// TestStagedComesFirst: during a load its declarations are found before those in force,
// and after it was abandoned those in force are as they were.
func TestStagedComesFirst(t *testing.T) {
	r, _ := newRegistry("Health")
	old, now, broken := r.InForce("Health"), component("Health", "hp"), component("Broken", "x")
	now.Changes, broken.Changes, broken.Broken = old.Schema, old.Schema, true
	r.Staged = map[string]*decl.Component{"Health": now, "Broken": broken, "New": component("New")}
	if r.Find("Health") != now || r.InForce("Health") != old {
		t.Error("Find looks at the load first, InForce never")
	}
	if changed := r.Changed(); len(changed) != 1 || changed[0] != now {
		t.Errorf("changed: %v", changed)
	}
	names := r.Names()
	slices.Sort(names)
	if got := fmt.Sprint(slices.Compact(names)); got != "[Broken Health New]" {
		t.Errorf("names: %s", got)
	}
	r.Staged = nil
	if r.Find("Health") != old {
		t.Error("the load has left something behind")
	}
}

// TestAcceptDefinesWhatIsNew: types whose values change have their number already, and are
// as they were until Renew: the world may refuse the load in between.
func TestAcceptDefinesWhatIsNew(t *testing.T) {
	r, g := newRegistry("Health")
	fresh, changed := component("Armor"), component("Health", "hp")
	old := r.InForce("Health")
	changed.Changes = old.Schema
	var defined []string
	err := r.Accept([]*decl.Component{fresh, changed}, func(c *decl.Component) error {
		g.numbers[c.Name] = 7
		defined = append(defined, c.Name)
		return nil
	})
	if err != nil || fmt.Sprint(defined) != "[Armor]" || !fresh.Ready || r.InForce("Armor") != fresh {
		t.Errorf("%v, defined %v", err, defined)
	}
	if changed.Ready || r.InForce("Health") != old {
		t.Error("Health has changed before its values have")
	}
	r.Renew([]*decl.Component{fresh, changed})
	if !changed.Ready || r.InForce("Health") != changed || r.InForce("Armor") != fresh {
		t.Error("Health has not changed with its values")
	}
	full, refused := errors.New("full"), component("Full")
	if err := r.Accept([]*decl.Component{refused}, func(*decl.Component) error { return full }); err != full || refused.Ready {
		t.Errorf("%v, ready %v", err, refused.Ready)
	}
}

// TestReformReachesAllThatScriptsHold: random loads change fields and names of a type.
// Every declaration of it that is held has the newest name and schema, its form counts the
// changes of the fields since it was declared, and one that nobody holds is let go.
func TestReformReachesAllThatScriptsHold(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		r, g := newRegistry()
		name, fields := "T0", []string{"f0"}
		g.numbers[name] = 3
		type hold struct {
			c    *decl.Component
			form int
		}
		var held []hold
		now := component(name, fields...)
		_ = r.Accept([]*decl.Component{now}, func(c *decl.Component) error { c.ID = 3; return nil })
		held = append(held, hold{now, 0})
		for step := range 10 {
			next := component(name, fields...)
			next.Changes = now.Schema
			reshaped := rng.IntN(2) == 0
			if reshaped {
				fields = append(fields, fmt.Sprintf("f%d", step+1))
			}
			if rng.IntN(3) == 0 {
				delete(g.numbers, name)
				name = fmt.Sprintf("T%d", step+1)
				g.numbers[name] = 3
			}
			next = component(name, fields...)
			next.Changes = now.Schema
			next.Continue(now)
			r.Staged = map[string]*decl.Component{name: next}
			both := []*decl.Component{next}
			if rng.IntN(2) == 0 { // another file declares the same
				other := component(name, fields...)
				other.Schema, other.Changes = next.Schema, next.Changes
				other.Continue(next)
				both = append([]*decl.Component{other}, next)
			}
			_ = r.Accept(both, nil)
			for _, p := range r.Changed() {
				r.Reform(p)
			}
			r.Renew(both)
			r.Staged = nil
			for i := range held {
				if reshaped {
					held[i].form++
				}
			}
			now = next
			for _, c := range both {
				c.Changes = nil
				held = append(held, hold{c, 0})
			}
			for i, h := range held {
				if h.c.Name != name || h.c.Schema != next.Schema || h.c.Form != h.form {
					t.Fatalf("seed %d, step %d, declaration %d: %q of form %d, want %q of form %d", seed, step, i, h.c.Name, h.c.Form, name, h.form)
				}
			}
			if r.InForce(name) != next {
				t.Fatalf("seed %d, step %d: another declaration is in force", seed, step)
			}
		}
	}
}

// TestReplacedDeclarationsAreLetGo: the registry keeps none alive that scripts have let go.
func TestReplacedDeclarationsAreLetGo(t *testing.T) {
	r, g := newRegistry()
	g.numbers["T"] = 1
	gone := make(chan bool, 100)
	for range 100 {
		c := component("T")
		runtime.AddCleanup(c, func(int) { gone <- true }, 0)
		_ = r.Accept([]*decl.Component{c}, func(*decl.Component) error { return nil })
	}
	for range 10 {
		runtime.GC()
	}
	for range 90 { // the last one is in force, and cleanups may lag
		<-gone
	}
}
