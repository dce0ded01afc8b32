package ecs

import (
	"errors"
	"strings"
	"testing"
)

// gym is a world with components and queries for systems that only exist.
type gym struct {
	*World
	position Component[Position]
	velocity Component[Velocity]
	burning  Component[Burning]
	label    Component[Label]
	frozen   Component[Frozen]
}

func newGym(t testing.TB, o Options) *gym {
	w := open(t, o)
	return &gym{
		w, Register[Position](w), Register[Velocity](w), Register[Burning](w, Sparse), Register[Label](w), Register[Frozen](w),
	}
}

// parallel is a system of one query.
func (g *gym) parallel(name string, q *Query) System {
	return System{Name: name, Parallel: true, Queries: []*Query{q}, Run: idle}
}

// TestWhoRunsBesideWhom, and what Explain says of the first two.
func TestWhoRunsBesideWhom(t *testing.T) {
	g := newGym(t, Options{MaxBytes: 1})
	reads, writes := func() *Query { return g.Query(Read(g.position)) }, func() *Query { return g.Query(Write(g.position)) }
	shared := reads()
	with := func(s System, change func(*System)) System { change(&s); return s }
	for name, c := range map[string]struct {
		systems []System
		plan    string
		says    string
	}{
		"two that read": {[]System{g.parallel("a", reads()), g.parallel("b", reads())}, "a|b", "beside each other, in stage 1"},
		"one that writes what the other reads": {
			[]System{g.parallel("a", writes()), g.parallel("b", reads())}, "a b", `"a" writes "Position", which "b" reads`},
		"one that reads what the other writes": {
			[]System{g.parallel("a", reads()), g.parallel("b", writes())}, "a b", `"b" writes "Position", which "a" reads`},
		"two that write": {[]System{g.parallel("a", writes()), g.parallel("b", writes())}, "a b", `"a" and "b" both write "Position"`},
		"presence is no access": {[]System{
			g.parallel("a", g.Query(Write(g.velocity), Write(g.burning)).With(g.position)), g.parallel("b", writes().Without(g.velocity).Any(g.burning, g.frozen)),
		}, "a|b", "beside each other"},
		"optional is access": {[]System{
			g.parallel("a", writes()), g.parallel("b", g.Query().Optional(Read(g.position))),
		}, "a b", `writes "Position"`},
		"changed is access": {[]System{
			g.parallel("a", writes()), g.parallel("b", g.Query().Changed(g.position)),
		}, "a b", `"a" writes "Position", which "b" reads`},
		"a test of values is access": {[]System{
			g.parallel("a", writes()), g.parallel("b", Where(g.Query(), g.position, func(*Position) bool { return true })),
		}, "a b", `"a" writes "Position", which "b" reads`},
		"pools too": {[]System{
			g.parallel("a", g.Query(Write(g.label))), g.parallel("b", g.Query(Read(g.label))),
		}, "a b", `writes "Label"`},
		"a tag that is written": {[]System{
			g.parallel("a", g.Query(Write(g.frozen))), g.parallel("b", g.Query(Read(g.velocity))),
		}, "a b", `"a" writes the tag "Frozen", which stamps whole chunks`},
		"a shared query":  {[]System{g.parallel("a", shared), g.parallel("b", shared)}, "a b", "share a query"},
		"not parallel":    {named(System{Name: "a", Serial: "it draws"}, g.parallel("b", reads())), "a b", `"a" is not parallel: it draws`},
		"no query at all": {[]System{{Name: "a", Parallel: true, Run: idle}, {Name: "b", Parallel: true, Run: idle}}, "a|b", "beside"},
		"an order": {[]System{
			g.parallel("b", reads()), with(g.parallel("a", reads()), func(s *System) { s.After = []string{"b?"} }),
		}, "b a", `"a" is to run after "b"`},
		"phases": {[]System{
			g.parallel("a", reads()), with(g.parallel("b", reads()), func(s *System) { s.Phase = Physics }),
		}, "a b", `"a" runs in phase input, "b" in phase physics`},
		"fixed steps": {[]System{
			g.parallel("a", reads()), with(g.parallel("b", reads()), func(s *System) { s.Fixed = true }),
		}, "b a", `"b" runs in fixed steps, "a" once a frame`},
		"somebody between": {[]System{
			g.parallel("a", reads()), g.parallel("b", reads()), with(g.parallel("a0", writes()), func(s *System) {}),
		}, "a a0 b", `"a0" comes between "a" and "b": "a0" writes "Position", which "a" reads`},
		"somebody beside": {[]System{
			g.parallel("a", g.Query(Read(g.velocity))), g.parallel("a0", reads()), g.parallel("b", writes()),
		}, "a|a0 b", `"a" runs beside others that "b" cannot join: "b" writes "Position", which "a0" reads`},
		"the same": {[]System{g.parallel("a", reads())}, "a", "is one system"},
	} {
		s := g.Schedule()
		must(t, s.Change(s.Names(), c.systems))
		var stages []string
		for _, st := range s.Plan().Stages {
			stages = append(stages, strings.Join(st.Systems, "|"))
		}
		if got := strings.Join(stages, " "); got != c.plan {
			t.Errorf("%s: the plan is %q, want %q", name, got, c.plan)
		}
		second := "b"
		if len(c.systems) == 1 {
			second = "a"
		}
		for _, pair := range [][2]string{{"a", second}, {second, "a"}} {
			if got, err := s.Explain(pair[0], pair[1]); err != nil || !strings.Contains(got, c.says) {
				t.Errorf("%s: explained as %q, %v; want %q", name, got, err, c.says)
			}
		}
	}
	for _, pair := range [][2]string{{"a", "nobody"}, {"nobody", "a"}} {
		if _, err := g.Schedule().Explain(pair[0], pair[1]); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("explaining %q answered %v", pair, err)
		}
	}
}

// TestThePlanIsPrinted for people, and holds for tools what they read in it.
func TestThePlanIsPrinted(t *testing.T) {
	g := newGym(t, Options{MaxBytes: 1})
	must(t, g.Schedule().Add(
		System{Name: "input", Run: idle},
		g.parallel("move", g.Query(Write(g.position), Read(g.velocity))), g.parallel("burn", g.Query(Write(g.burning))),
		g.parallel("paint", g.Query(Read(g.position))),
		System{Name: "collide", Phase: Physics, Fixed: true, Run: idle},
	))
	want := `fixed physics
   1  collide
input
   2  burn
   3  input
   4  move
   5  paint
`
	p := g.Schedule().Plan()
	if got := p.String(); got != want {
		t.Errorf("printed as\n%s\nwant\n%s", got, want)
	}
	must(t, g.Schedule().Change([]string{"input"}, nil))
	if p := g.Schedule().Plan(); p.Stages[1].Systems[1] != "move" || p.Stages[2].Why != `"move" writes "Position", which "paint" reads` || !p.Stages[1].Parallel {
		t.Errorf("without the input, which stands between, the plan is %+v", p)
	}
	if len(p.Stages) != 5 || !p.Stages[0].Fixed {
		t.Errorf("a plan changed after it was taken: %+v", p)
	}
}
