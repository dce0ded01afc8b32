package ecs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// idle does nothing: for systems whose order is all that matters.
func idle(*Tick) error { return nil }

// names makes systems run that only exist.
func named(systems ...System) []System {
	for i := range systems {
		systems[i].Run = idle
	}
	return systems
}

// TestRunningOrder: by phase, then by Before and After, then by priority, then
// by name, whatever order they were added in.
func TestRunningOrder(t *testing.T) {
	for name, c := range map[string]struct {
		systems []System
		want    string
	}{
		"phases": {named(System{Name: "a", Phase: Debug}, System{Name: "b", Phase: Input}, System{Name: "c", Phase: Physics},
			System{Name: "d", Phase: Logic}, System{Name: "e", Phase: Audio}, System{Name: "f", Phase: Render}, System{Name: "g", Phase: Animation}), "bdcgfea"},
		"priority":               {named(System{Name: "a", Priority: 2}, System{Name: "b", Priority: 0}, System{Name: "c", Priority: 1}), "bca"},
		"names":                  {named(System{Name: "c"}, System{Name: "a"}, System{Name: "b"}), "abc"},
		"after beats priority":   {named(System{Name: "a", After: []string{"b"}}, System{Name: "b", Priority: 9}), "ba"},
		"before beats name":      {named(System{Name: "a"}, System{Name: "b", Before: []string{"a"}}), "ba"},
		"across phases":          {named(System{Name: "a", Phase: Logic, After: []string{"b"}}, System{Name: "b", Phase: Input}), "ba"},
		"an optional one":        {named(System{Name: "a", After: []string{"b?", "nobody?"}}, System{Name: "b"}), "ba"},
		"the same said twice":    {named(System{Name: "a", After: []string{"b", "b"}}, System{Name: "b", Before: []string{"a"}}), "ba"},
		"fixed steps first":      {named(System{Name: "a"}, System{Name: "b", Fixed: true, Phase: Debug}), "ba"},
		"after a fixed step":     {named(System{Name: "a", After: []string{"b"}}, System{Name: "b", Fixed: true, Phase: Debug, Before: []string{"a"}}), "ba"},
		"a free one goes first":  {named(System{Name: "a", After: []string{"z"}}, System{Name: "m"}, System{Name: "z"}), "mza"},
		"a chain over a diamond": {named(System{Name: "d", After: []string{"b", "c"}}, System{Name: "b", After: []string{"a"}}, System{Name: "c", After: []string{"a"}}, System{Name: "a"}), "abcd"},
	} {
		for range 2 {
			w := open(t, Options{MaxBytes: 1})
			must(t, w.Schedule().Add(c.systems...))
			if got := strings.Join(w.Schedule().Names(), ""); got != c.want {
				t.Errorf("%s: the order is %q, want %q", name, got, c.want)
			}
			slices.Reverse(c.systems)
		}
	}
}

// TestPlanRefuses: each error names those who are to blame, and nothing changes.
func TestPlanRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		systems []System
		want    error
		says    string
	}{
		"no name":              {[]System{{Run: idle}}, ErrConflict, "needs a name"},
		"a questionable name":  {[]System{{Name: "a?", Run: idle}}, ErrConflict, "'?'"},
		"no function":          {[]System{{Name: "a"}}, ErrConflict, `"a"`},
		"no such phase":        {named(System{Name: "a", Phase: 55}), ErrUnknown, "phase 55"},
		"priority too high":    {named(System{Name: "a", Phase: Physics, Priority: 100}), ErrRange, "0 to 99"},
		"priority below zero":  {named(System{Name: "a", Phase: Logic, Priority: -1}), ErrRange, "0 to 199"},
		"interval below zero":  {named(System{Name: "a", Every: -1}), ErrRange, "-1"},
		"interval no number":   {named(System{Name: "a", Every: nan()}), ErrRange, "NaN"},
		"interval without end": {named(System{Name: "a", Every: 1 / zero()}), ErrRange, "Inf"},
		"a name twice":         {named(System{Name: "a"}, System{Name: "a"}), ErrConflict, "exists already"},
		"a taken name":         {named(System{Name: "old"}), ErrConflict, `"old"`},
		"unknown after":        {named(System{Name: "a", After: []string{"b"}}), ErrUnknown, `runs after "b"`},
		"unknown before":       {named(System{Name: "a", Before: []string{"b"}}), ErrUnknown, `runs before "b"`},
		"against the phases":   {named(System{Name: "a", Phase: Physics, Before: []string{"old"}}), ErrCycle, `"a" (phase physics) cannot run before "old" (phase input)`},
		"before a fixed step":  {named(System{Name: "a", Before: []string{"b"}}, System{Name: "b", Fixed: true}), ErrCycle, `"a" of the tick cannot run before "b": fixed steps come first`},
		"fixed after a tick":   {named(System{Name: "a", Phase: Debug, Fixed: true, After: []string{"old"}}), ErrCycle, `"old" of the tick cannot run before "a"`},
		"unknown required":     {named(System{Name: "a", Requires: []string{"b?", "b"}}), ErrUnknown, `"a" requires "b", which does not exist`},
		"required by itself":   {named(System{Name: "a", Requires: []string{"a"}}), ErrCycle, `system "a" is to require itself`},
		"required in a circle": {named(System{Name: "0", Requires: []string{"a"}}, System{Name: "a", Requires: []string{"b"}}, System{Name: "b", Requires: []string{"c"}}, System{Name: "c", Requires: []string{"a"}}), ErrCycle, "require each other: a → b → c → a"},
		"after itself":         {named(System{Name: "a", After: []string{"a"}}), ErrCycle, `system "a" is to wait for itself`},
		"a cycle of two":       {named(System{Name: "a", After: []string{"b"}}, System{Name: "b", After: []string{"a"}}), ErrCycle, "→"},
		"a cycle off the path": {named(System{Name: "0", After: []string{"a"}}, System{Name: "a", After: []string{"b"}}, System{Name: "b", After: []string{"a"}}), ErrCycle, "→"},
		"a long cycle": {named(System{Name: "a", Before: []string{"b"}}, System{Name: "b", Before: []string{"c"}}, System{Name: "c", Before: []string{"d"}},
			System{Name: "d", Before: []string{"a"}}), ErrCycle, "→"},
	} {
		w := open(t, Options{MaxBytes: 1})
		must(t, w.Schedule().Add(System{Name: "old", Run: idle}))
		if err := w.Schedule().Check(nil, c.systems); !errors.Is(err, c.want) {
			t.Errorf("%s: Check answers %v", name, err)
		}
		err := w.Schedule().Add(c.systems...)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: answered %v, want %v with %q in it", name, err, c.want, c.says)
		}
		if got := w.Schedule().Names(); !slices.Equal(got, []string{"old"}) {
			t.Errorf("%s: the schedule is %q after an error", name, got)
		}
	}
}

func zero() float64 { return 0 }
func nan() float64  { return zero() / zero() }

// TestACycleIsNamedFromEndToEnd: exactly its members, each before the next.
func TestACycleIsNamedFromEndToEnd(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	err := w.Schedule().Add(named(
		System{Name: "bystander", After: []string{"c"}}, System{Name: "free"},
		System{Name: "a", Before: []string{"b"}}, System{Name: "b", Before: []string{"c"}}, System{Name: "c", Before: []string{"a"}},
	)...)
	if err == nil {
		t.Fatal("a cycle was accepted")
	}
	_, list, _ := strings.Cut(err.Error(), "wait for each other: ")
	members := strings.Split(list, " → ")
	if len(members) != 4 || members[0] != members[3] || !strings.Contains("abcab", strings.Join(members[:3], "")) {
		t.Errorf("the cycle is given as %q", list)
	}
}

// TestRandomOrdersOfSystems: whatever the wishes, either they are all met, with phases
// and ties in order, or the refusal names a cycle.
func TestRandomOrdersOfSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "systems")
		systems := make([]System, n)
		for i := range systems {
			s := &systems[i]
			s.Name, s.Phase, s.Run = fmt.Sprint("s", i), phases[rapid.IntRange(0, 2).Draw(t, "phase")].phase, idle
			s.Priority = rapid.IntRange(0, 3).Draw(t, "priority")
			for _, other := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 2).Draw(t, "after") {
				s.After = append(s.After, fmt.Sprint("s", other))
			}
		}
		w, err := Open(Options{MaxBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := w.Schedule().Add(systems...); err != nil {
			if !errors.Is(err, ErrCycle) {
				t.Fatal(err)
			}
			return
		}
		place := map[string]int{}
		for i, name := range w.Schedule().Names() {
			place[name] = i
		}
		for _, s := range systems {
			for _, other := range s.After {
				if place[other] >= place[s.Name] {
					t.Fatalf("%s runs before %s: %q", s.Name, other, w.Schedule().Names())
				}
			}
			for _, other := range systems {
				if s.Phase < other.Phase && place[s.Name] > place[other.Name] {
					t.Fatalf("%s of an earlier phase runs after %s", s.Name, other.Name)
				}
			}
		}
	})
}

func TestPhasesByName(t *testing.T) {
	if got := strings.Join(PhaseNames(), " "); got != "input logic physics animation render audio debug" {
		t.Errorf("the phases are %q", got)
	}
	for _, name := range PhaseNames() {
		if p, ok := PhaseNamed(name); !ok || p.String() != name || p.width() == 0 {
			t.Errorf("phase %q is %d, %v", name, p, ok)
		}
	}
	if _, ok := PhaseNamed("lunch"); ok {
		t.Error("there is no such phase")
	}
}

// planWorld is a world with components and queries for systems that only exist.
type planWorld struct {
	*World
	position Component[Position]
	velocity Component[Velocity]
	burning  Component[Burning]
	label    Component[Label]
	frozen   Component[Frozen]
}

func newPlanWorld(t testing.TB, o Options) *planWorld {
	w := open(t, o)
	return &planWorld{
		w, Register[Position](w), Register[Velocity](w), Register[Burning](w, Sparse), Register[Label](w), Register[Frozen](w),
	}
}

// parallel is a system of one query.
func (g *planWorld) parallel(name string, q *Query) System {
	return System{Name: name, Parallel: true, Queries: []*Query{q}, Run: idle}
}

// TestWhoRunsBesideWhom, and what Explain says of the first two.
func TestWhoRunsBesideWhom(t *testing.T) {
	g := newPlanWorld(t, Options{MaxBytes: 1})
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
		}, "b a", `"b" runs in fixed steps, "a" once a tick`},
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
	g := newPlanWorld(t, Options{MaxBytes: 1})
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

// failingWorld is a world of systems that fail when told to; each step is a second.
type failingWorld struct {
	w    *World
	sick map[string]bool
	ran  []string // by the last step
}

func newFailingWorld(t *testing.T, systems ...System) *failingWorld {
	c := &failingWorld{w: open(t, Options{MaxBytes: 1, Breaker: Breaker{Failures: 1, Retry: 2}}), sick: map[string]bool{}}
	for i := range systems {
		name := systems[i].Name
		systems[i].Run = func(*Tick) error {
			c.ran = append(c.ran, name)
			if c.sick[name] {
				return errors.New("sick")
			}
			return nil
		}
	}
	must(t, c.w.Schedule().Add(systems...))
	return c
}

// step returns who ran and who is what, such as "a c; a healthy, b blocked by c".
func (c *failingWorld) step(dt float64) string {
	c.ran = nil
	_ = c.w.Step(dt)
	var states []string
	for _, s := range c.w.Stats().Systems {
		state := s.Name + " " + s.Health.String()
		if s.Blocker != "" {
			state += " by " + s.Blocker
		}
		states = append(states, state)
	}
	return strings.Join(c.ran, " ") + "; " + strings.Join(states, ", ")
}

func (c *failingWorld) expect(t *testing.T, want string) {
	t.Helper()
	if got := c.step(1); got != want {
		t.Errorf("second %v:\n%s\nwant\n%s", c.w.clock.tick, got, want)
	}
}

// TestWhoIsBlocked follows a system that fails and those that need it, before
// and after it in the order.
func TestWhoIsBlocked(t *testing.T) {
	c := newFailingWorld(t,
		System{Name: "a", Requires: []string{"b"}}, System{Name: "b"}, System{Name: "c", Requires: []string{"a"}}, System{Name: "d", Requires: []string{"b?", "nobody?"}},
	)
	c.expect(t, "a b c d; a healthy, b healthy, c healthy, d healthy")
	c.sick["b"] = true
	c.expect(t, "a b d; a blocked by b, b parked, c blocked by a, d healthy") // c is blocked within the tick
	c.expect(t, "d; a blocked by b, b parked, c blocked by a, d healthy")
	c.sick["b"] = false
	c.expect(t, "b c d; a healthy, b healthy, c healthy, d healthy") // a comes before b: its turn was over
	c.expect(t, "a b c d; a healthy, b healthy, c healthy, d healthy")
}

// TestASystemParkedItselfSaysSo: its own failure outranks that of another.
func TestASystemParkedItselfSaysSo(t *testing.T) {
	c := newFailingWorld(t, System{Name: "a"}, System{Name: "b", Requires: []string{"a"}})
	c.sick["b"] = true
	c.expect(t, "a b; a healthy, b parked")
	c.sick["a"] = true
	c.expect(t, "a; a parked, b parked by a")
	c.expect(t, "; a parked, b parked by a") // b's time has come, but a is parked
	c.sick["a"], c.sick["b"] = false, false
	c.expect(t, "a b; a healthy, b healthy")
	if h, ok := c.w.Schedule().Health("b"); h != Healthy || !ok {
		t.Errorf("the health of b is %v, %v", h, ok)
	}
	if _, ok := c.w.Schedule().Health("nobody"); ok {
		t.Error("nobody has a health")
	}
}

// TestBlockedFollowsTheHost: a system that is switched off, or replaced, blocks
// nobody; one that is switched on again does.
func TestBlockedFollowsTheHost(t *testing.T) {
	c := newFailingWorld(t, System{Name: "a"}, System{Name: "b", Requires: []string{"a"}, Every: 2})
	s := c.w.Schedule()
	c.sick["a"] = true
	c.expect(t, "a; a parked, b blocked by a")
	s.Enable("a", false)
	c.expect(t, "b; a parked, b healthy")
	s.Enable("a", true)
	if h, _ := s.Health("b"); h != Blocked {
		t.Errorf("with a parked system switched on again b is %v", h)
	}
	must(t, s.Change([]string{"a"}, []System{{Name: "a", Run: idle}}))
	c.expect(t, "; a healthy, b healthy") // its interval went on
	c.expect(t, "b; a healthy, b healthy")
	if err := s.Change([]string{"a"}, nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("removing what is required answered %v", err)
	}
	must(t, s.Change([]string{"a", "b"}, nil))
}

// TestBlockedByRandomRequirements: after every step of a random schedule, exactly those
// are blocked that require somebody who is parked or blocked.
func TestBlockedByRandomRequirements(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(rt, "systems")
		systems := make([]System, n)
		for i := range systems {
			systems[i] = System{Name: fmt.Sprint(i), Priority: rapid.IntRange(0, 9).Draw(rt, "priority")}
			for range rapid.IntRange(0, 2).Draw(rt, "requires") {
				if i > 0 {
					systems[i].Requires = append(systems[i].Requires, fmt.Sprint(rapid.IntRange(0, i-1).Draw(rt, "of")))
				}
			}
		}
		c := newFailingWorld(t, systems...)
		defer c.w.Close()
		for range 12 {
			c.sick[fmt.Sprint(rapid.IntRange(0, n-1).Draw(rt, "who"))] = rapid.Bool().Draw(rt, "sick")
			c.w.Schedule().Enable(fmt.Sprint(rapid.IntRange(0, n-1).Draw(rt, "switch")), rapid.Bool().Draw(rt, "on"))
			c.step(1)
			for _, o := range c.w.schedule.order {
				idle := func(name string) bool {
					other := c.w.schedule.find(name)
					return !other.Disabled && (other.health.open() || other.blocked != "")
				}
				if (o.blocked != "") != slices.ContainsFunc(o.Requires, idle) {
					rt.Fatalf("%s requires %q and is blocked by %q", o.Name, o.Requires, o.blocked)
				}
			}
		}
	})
}
