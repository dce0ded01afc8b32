package ecs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// failingSystem is a system that fails when told to.
type failingSystem struct {
	w    *World
	sick bool
	runs []float64 // the times at which it ran
}

func newPatient(t *testing.T, b Breaker) *failingSystem {
	p := &failingSystem{w: open(t, Options{MaxBytes: 1, Breaker: b})}
	broken := errors.New("broken")
	must(t, p.w.Schedule().Add(System{Name: "failingSystem", Run: func(tick *Tick) error {
		p.runs = append(p.runs, tick.Time)
		if p.sick {
			return broken
		}
		return nil
	}}))
	return p
}

// step advances a second and returns the health, and whether this very run
// parked the system.
func (p *failingSystem) step() (h Health, parked bool) {
	var failed *SystemError
	if errors.As(p.w.Step(1), &failed) {
		parked = failed.Parked
	}
	return p.w.Stats().Systems[0].Health, parked
}

// TestTheWayOfAFailingSystem: healthy, monitoring, parked, tried again, healthy.
func TestTheWayOfAFailingSystem(t *testing.T) {
	p := newPatient(t, Breaker{Failures: 3, Retry: 2, MaxRetry: 5})
	for i, c := range []struct {
		sick   bool
		health Health
		parked bool
		ran    bool
	}{
		{false, Healthy, false, true},   // 1
		{true, Monitoring, false, true}, // 2
		{false, Healthy, false, true},   // 3: failures in a row count, not in all
		{true, Monitoring, false, true}, // 4
		{true, Monitoring, false, true}, // 5
		{true, Parked, true, true},      // 6: until 8
		{true, Parked, false, false},    // 7
		{true, Parked, true, true},      // 8: tried, until 8 + 4
		{true, Parked, false, false},    // 9
		{true, Parked, false, false},    // 10
		{true, Parked, false, false},    // 11
		{true, Parked, true, true},      // 12: tried, until 12 + 5, the limit
		{true, Parked, false, false},    // 13
		{true, Parked, false, false},    // 14
		{true, Parked, false, false},    // 15
		{true, Parked, false, false},    // 16
		{false, Healthy, false, true},   // 17
		{true, Monitoring, false, true}, // 18: and all begins anew
		{true, Monitoring, false, true}, // 19
		{true, Parked, true, true},      // 20: until 22
		{true, Parked, false, false},    // 21
		{false, Healthy, false, true},   // 22
	} {
		p.sick = c.sick
		before := len(p.runs)
		health, parked := p.step()
		if health != c.health || parked != c.parked || (len(p.runs) > before) != c.ran {
			t.Errorf("second %d: %v, parked now %v, ran %v; want %v, %v, %v", i+1, health, parked, len(p.runs) > before, c.health, c.parked, c.ran)
		}
	}
	if s := p.w.Stats().Systems[0]; s.Failures != 9 || s.Runs != uint64(len(p.runs)) {
		t.Errorf("%d failures and %d runs are counted", s.Failures, s.Runs)
	}
}

// TestTheBreakerKeepsSimulationTime: a paused game does not retry.
func TestTheBreakerKeepsSimulationTime(t *testing.T) {
	p := newPatient(t, Breaker{Failures: 1})
	p.sick = true
	p.step()
	before := len(p.runs)
	for range 1000 {
		_ = p.w.Step(0)
	}
	if len(p.runs) != before {
		t.Error("a parked system was tried although no time had passed")
	}
	if p.step(); len(p.runs) != before+1 {
		t.Error("a parked system was not tried after its second")
	}
}

func TestABreakerThatNeverParks(t *testing.T) {
	p := newPatient(t, Breaker{Failures: -1})
	p.sick = true
	for range 20 {
		if h, parked := p.step(); h != Monitoring || parked {
			t.Fatalf("the system is %v", h)
		}
	}
}

func TestBreakerDefaults(t *testing.T) {
	p := newPatient(t, Breaker{})
	p.sick = true
	for range 300 {
		p.step()
	}
	want := []float64{1, 2, 3, 4, 6, 10, 18, 34, 66, 126, 186, 246}
	if !slices.Equal(p.runs, want) {
		t.Errorf("ran at the seconds %v, want %v", p.runs, want)
	}
}

// TestAConditionThatPanicsParks its system like a run that fails.
func TestAConditionThatPanicsParks(t *testing.T) {
	w := open(t, Options{MaxBytes: 1})
	asked := 0
	must(t, w.Schedule().Add(System{Name: "a", When: func(*World) bool { asked++; panic("no") }, Run: idle}))
	for range 10 {
		_ = w.Step(0.01)
	}
	if s := w.Stats().Systems[0]; asked != 3 || s.Health != Parked || s.Runs != 0 || s.Failures != 3 {
		t.Errorf("asked %d times; %+v", asked, s)
	}
}

func TestHealthNames(t *testing.T) {
	for h, want := range map[Health]string{Healthy: "healthy", Monitoring: "monitoring", Parked: "parked", HalfOpen: "half-open", Blocked: "blocked"} {
		if h.String() != want {
			t.Errorf("state %d is called %q, want %q", h, h, want)
		}
	}
}

// TestRandom: Seed starts a Random anew, State takes it up where it is, and it is a
// source for the standard library.
func TestRandom(t *testing.T) {
	r := NewRandom(1)
	first := r.Uint64()
	state := r.State()
	second := r.Uint64()
	if r.Seed(state); r.Uint64() != second {
		t.Error("the state does not lead to the number that followed")
	}
	if r.Seed(1); r.Uint64() != first {
		t.Error("Seed does not start anew")
	}
	if n := r.Rand().IntN(6); n < 0 || n > 5 {
		t.Errorf("a die shows %d", n)
	}
	_ = rand.New(r) // a Random is a rand.Source
}

// draws runs systems for some ticks and returns what each has drawn.
func draws(t *testing.T, seed uint64, tag uint16, names ...string) map[string][]uint64 {
	w := open(t, Options{Seed: seed, Tag: tag, MaxBytes: 1})
	got := map[string][]uint64{}
	for i, name := range names {
		must(t, w.Schedule().Add(System{Name: name, Priority: i, Run: func(tick *Tick) error {
			for range i + 1 {
				got[name] = append(got[name], tick.Random().Uint64())
			}
			return nil
		}}))
	}
	for range 5 {
		must(t, w.Step(1))
	}
	return got
}

// TestSystemsDrawWhatTheirSeedSays: the same in every run, whatever the tag of
// the world, the other systems and the order; different in every tick.
func TestSystemsDrawWhatTheirSeedSays(t *testing.T) {
	a := draws(t, 1, 1, "x", "y")
	if b := draws(t, 1, 99, "x", "y"); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the same seed gave other numbers")
	}
	if b := draws(t, 1, 1, "x", "z", "y", "w"); !slices.Equal(a["x"], b["x"]) {
		t.Error("other systems change what one draws")
	}
	if b := draws(t, 2, 1, "x", "y"); slices.Equal(a["x"], b["x"]) {
		t.Error("another seed gave the same numbers")
	}
	seen := map[uint64]bool{}
	for _, ns := range a {
		for _, n := range ns {
			if seen[n] {
				t.Errorf("%#x was drawn twice", n)
			}
			seen[n] = true
		}
	}
}

func TestTheWorldsOwnGenerator(t *testing.T) {
	w := open(t, Options{Seed: 42})
	if w.Raw().Seed() != 42 || w.Random().Uint64() != NewRandom(42).Uint64() {
		t.Error("the world's generator does not begin at its seed")
	}
}

// TestBreakersOfTheirOwn: a system may have other thresholds than the world, be parked for
// failing often though not in a row, and say by its error how bad it is.
func TestBreakersOfTheirOwn(t *testing.T) {
	w := open(t, Options{})
	boom := errors.New("boom")
	var fails func(name string, tick uint64) error
	var ran map[string]int
	add := func(name string, b *Breaker) {
		must(t, w.Schedule().Change([]string{name}, []System{{Name: name, Breaker: b, Run: func(tick *Tick) error {
			ran[name]++
			return fails(name, tick.N)
		}}}))
	}
	step := func(n int, fail func(name string, tick uint64) error) {
		ran, fails = map[string]int{}, fail
		for range n {
			_ = w.Step(1) // its errors are those of the systems
		}
	}
	add("world", nil)
	add("touchy", &Breaker{Failures: 1, Retry: 1000})
	add("stubborn", &Breaker{Failures: -1})
	add("burst", &Breaker{Failures: -1, Burst: 3, Window: 5, Retry: 1000})
	step(9, func(name string, tick uint64) error { return boom })
	if ran["world"] != 5 || ran["touchy"] != 1 || ran["stubborn"] != 9 || ran["burst"] != 3 {
		t.Errorf("of systems that always fail, so many runs were made: %v", ran)
	}
	for _, st := range w.Schedule().Stats(nil) {
		want := map[string]float64{"touchy": 1, "burst": 3, "stubborn": 1}
		if since, ok := want[st.Name]; ok && st.Since != since {
			t.Errorf("%s is %v since %v, want %v", st.Name, st.Health, st.Since, since)
		}
	}
	if f := w.Schedule().Failures("stubborn"); len(f) != 8 || f[0].Tick != 2 || f[7].Tick != 9 || f[7].Time != 9 || f[7].Err != boom {
		t.Errorf("the failures are %v", f)
	}
	if w.Schedule().Failures("nobody") != nil {
		t.Error("nobody has failures")
	}

	// Every second run fails: never two in a row.
	for _, name := range []string{"world", "touchy", "stubborn", "burst"} {
		add(name, map[string]*Breaker{"burst": {Burst: 3, Window: 4, Retry: 1000}, "touchy": {Burst: 3, Window: 3.9, Retry: 1000}}[name])
	}
	step(40, func(name string, tick uint64) error {
		if tick%2 == 0 {
			return boom
		}
		return nil
	})
	if ran["world"] != 40 || ran["burst"] > 6 || ran["touchy"] != 40 {
		t.Errorf("of systems that fail every second time, so many runs were made: %v", ran)
	}

	// What the error says.
	for _, name := range []string{"world", "touchy", "stubborn", "burst"} {
		add(name, &Breaker{Failures: 2, Burst: 2, Retry: 1})
	}
	step(100, func(name string, tick uint64) error {
		if name == "world" {
			return fmt.Errorf("a disk: %w", ErrTransient)
		}
		return fmt.Errorf("a bug: %w", ErrCritical)
	})
	if h, _ := w.Schedule().Health("world"); ran["world"] != 100 || ran["touchy"] != 1 || h != Monitoring {
		t.Errorf("transient and critical errors: %v, %v", ran, h)
	}
	add("touchy", nil)
	step(1, func(string, uint64) error { return nil })
	if h, _ := w.Schedule().Health("touchy"); h != Healthy || ran["touchy"] != 1 {
		t.Errorf("a system that was replaced is %v", h)
	}
	for _, b := range []Breaker{{Retry: -1}, {Retry: math.Inf(1)}, {MaxRetry: math.NaN()}, {Burst: -1}, {Burst: 65}, {Window: -1}, {Window: math.Inf(1)}} {
		if err := w.Schedule().Add(System{Name: "bad", Run: idle, Breaker: &b}); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), `"bad"`) {
			t.Errorf("%+v: answered %v", b, err)
		}
		if _, err := Open(Options{Breaker: b}); !errors.Is(err, ErrRange) {
			t.Errorf("%+v in options: answered %v", b, err)
		}
	}
}

// TestDeadErrorsSayWhoIsThere: the slot of a dead entity may have another by now.
func TestDeadErrorsSayWhoIsThere(t *testing.T) {
	w := open(t, Options{ReuseAfter: -1})
	e := w.Spawn()
	must(t, w.Despawn(e))
	if free := w.Stats().Free; free != 1 {
		t.Errorf("%d slots are free", free)
	}
	err := w.Despawn(e)
	if !errors.Is(err, ErrDead) || strings.Contains(err.Error(), "slot") {
		t.Errorf("answered %v", err)
	}
	now := w.Spawn()
	if err := w.Despawn(e); now.Index() != e.Index() || !errors.Is(err, ErrDead) || !strings.Contains(err.Error(), "1v1: its slot has 1v2 now") {
		t.Errorf("answered %v", err)
	}
	if w.Stats().Free != 0 {
		t.Error("a slot is free that is used")
	}
}

// lifecycle makes a system that notes what is called of it, and fails where it is asked to.
type lifecycle struct {
	notes []string
	fail  map[string]error
}

func (l *lifecycle) system(name string) System {
	note := func(what string) func(*Tick) error {
		return func(t *Tick) error {
			if t.World == nil || t.Commands == nil || t.System != name && what != "run" || t.DT != 0 && what != "run" {
				panic("a call without its tick")
			}
			l.notes = append(l.notes, what+" "+name)
			if err := l.fail[what+" "+name]; err != nil {
				t.Commands.Spawn()
				if errors.Is(err, ErrCritical) {
					panic(err)
				}
				return err
			}
			return nil
		}
	}
	return System{Name: name, Init: note("init"), Shutdown: note("shutdown"), Run: note("run")}
}

// took returns what was called since the last time.
func (l *lifecycle) took() string {
	all := strings.Join(l.notes, ", ")
	l.notes = nil
	return all
}

// TestSystemsAreInitialisedAndShutDown once each: in running order when they are added, in the
// opposite order when they are removed, replaced, or the world is closed.
func TestSystemsAreInitialisedAndShutDown(t *testing.T) {
	w := open(t, Options{})
	l := &lifecycle{}
	check := func(when, want string) {
		t.Helper()
		if got := l.took(); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	off := l.system("c")
	off.Disabled = true
	must(t, w.Schedule().Add(l.system("b"), off, l.system("a")))
	check("added", "init a, init b, init c")
	must(t, w.Step(1))
	check("a step", "run a, run b")
	must(t, w.Schedule().Change([]string{"a", "b"}, []System{l.system("a"), l.system("d")}))
	check("changed", "init a, init d, shutdown b, shutdown a")
	must(t, w.Schedule().Check(nil, []System{l.system("e")}))
	if err := w.Schedule().Add(l.system("e"), l.system("a")); !errors.Is(err, ErrConflict) {
		t.Errorf("a system of a name that is taken: %v", err)
	}
	check("refused", "")
	must(t, w.Close())
	check("closed", "shutdown d, shutdown c, shutdown a")
	must(t, w.Close())
	check("closed again", "")
}

// TestAnInitThatFails leaves the schedule as it was, and shuts down the systems that had begun.
func TestAnInitThatFails(t *testing.T) {
	boom := errors.New("boom")
	for what, fail := range map[string]error{"error": boom, "panic": fmt.Errorf("%w: %w", ErrCritical, boom)} {
		t.Run(what, func(t *testing.T) {
			w := open(t, Options{})
			l := &lifecycle{}
			must(t, w.Schedule().Add(l.system("a"), l.system("b")))
			l.took()
			l.fail = map[string]error{"init c": fail, "shutdown b": boom}
			fresh := l.system("b")
			inner := fresh.Init
			fresh.Init = func(t *Tick) error {
				t.World.Spawn()
				t.Commands.Spawn()
				return inner(t)
			}
			err := w.Schedule().Change([]string{"a", "b"}, []System{fresh, l.system("c")})
			var named *SystemError
			if !errors.As(err, &named) || named.System != "c" || !errors.Is(err, boom) || !strings.HasPrefix(err.Error(), `system "c": tick 0: init: `) {
				t.Errorf("Change said %v", err)
			}
			if !strings.Contains(err.Error(), `system "b": tick 0: shutdown: boom`) {
				t.Errorf("Change does not say that a shutdown failed: %v", err)
			}
			if what == "panic" && len(named.Stack) == 0 {
				t.Error("a panic without its stack")
			}
			if got := l.took(); got != "init b, init c, shutdown b" {
				t.Error(got)
			}
			if w.Len() != 1 { // what was recorded is dropped, what was done at once stays
				t.Errorf("%d entities", w.Len())
			}
			must(t, w.Step(1))
			if got := l.took(); got != "run a, run b" {
				t.Errorf("after a Change that failed: %s", got)
			}
			must(t, w.Check())
		})
	}
}

// TestAShutdownThatFails is reported by the next step, or by Close: the system goes.
func TestAShutdownThatFails(t *testing.T) {
	boom := errors.New("boom")
	l := &lifecycle{fail: map[string]error{"shutdown a": boom, "shutdown b": ErrCritical}}
	s := &Worlds{}
	n, err := s.Open("it", Options{})
	must(t, err)
	w := n.World
	must(t, w.Schedule().Add(l.system("a"), l.system("b")))
	must(t, w.Schedule().Change([]string{"a"}, nil))
	if err := w.Step(1); !errors.Is(err, boom) || !strings.Contains(err.Error(), `system "a": tick 0: shutdown: boom`) {
		t.Errorf("the step said %v", err)
	}
	must(t, w.Step(1))
	for range 2 * mostLate {
		must(t, w.Schedule().Add(l.system("a")))
		must(t, w.Schedule().Change([]string{"a"}, nil))
	}
	if len(w.schedule.late) != mostLate {
		t.Errorf("%d errors wait", len(w.schedule.late))
	}
	err = s.Close("it")
	if !errors.Is(err, ErrCritical) || !errors.Is(err, boom) || !strings.Contains(err.Error(), `system "b"`) {
		t.Errorf("Close said %v", err)
	}
	if s.Len() != 0 || !w.closed() {
		t.Error("the world is not closed")
	}
}

// TestWhatInitAndShutdownDoToTheWorld: commands are applied, orders to the world are refused, and
// a lock that one leaves is taken away.
func TestWhatInitAndShutdownDoToTheWorld(t *testing.T) {
	w := open(t, Options{Seed: 7})
	position := Register[Position](w)
	var refused []error
	var made Entity
	var drawn []uint64
	s := System{Name: "a", Run: idle, Init: func(t *Tick) error {
		made = t.Commands.Spawn(position.With(Position{X: 1}))
		refused = append(refused, t.World.Step(1), t.World.Close(), t.World.Run("x", idle), t.World.Schedule().Add())
		drawn = append(drawn, t.Random().Uint64())
		t.World.Raw().Hold()
		return nil
	}, Shutdown: func(t *Tick) error {
		drawn = append(drawn, t.Random().Uint64())
		t.Commands.Despawn(made)
		return nil
	}}
	must(t, w.Schedule().Add(s))
	if p, ok := position.Get(made); !ok || p.X != 1 {
		t.Error("what Init has recorded is not there")
	}
	for i, err := range refused {
		if !errors.Is(err, ErrIterating) {
			t.Errorf("order %d: %v", i, err)
		}
	}
	for range w.Query(Read(position)).Chunks() {
		if err := w.Schedule().Change([]string{"a"}, nil); !errors.Is(err, ErrIterating) || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("in a loop: %v", err)
		}
		if err := w.Schedule().Add(System{Name: "b", Run: idle, Init: idle}); !errors.Is(err, ErrIterating) {
			t.Errorf("in a loop: %v", err)
		}
	}
	must(t, w.Schedule().Change([]string{"a"}, nil))
	if w.Alive(made) || drawn[0] == drawn[1] {
		t.Errorf("alive %v, drawn %v", w.Alive(made), drawn)
	}
	must(t, w.Check())
}

// TestACommandOfInitThatFails: the system is not added, and those before it are shut down.
func TestACommandOfInitThatFails(t *testing.T) {
	w := open(t, Options{})
	boom := errors.New("boom")
	l := &lifecycle{}
	b := l.system("b")
	b.Init = func(t *Tick) error {
		t.Commands.Do(func(*World) error { return boom })
		return nil
	}
	err := w.Schedule().Add(l.system("a"), b)
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), `system "b"`) || w.Schedule().Len() != 0 {
		t.Errorf("Add said %v", err)
	}
	if got := l.took(); got != "init a, shutdown b, shutdown a" {
		t.Error(got)
	}
}

// TestIdleRunsAreNoSuccess: a system fails in every third run and has nothing to do in the others.
// Idle runs end no row of failures, and a parked system is not well again for having had nothing
// to do. A run that works ends the row.
func TestIdleRunsAreNoSuccess(t *testing.T) {
	w := open(t, Options{})
	boom := errors.New("boom")
	var ran, failed int
	working := false
	must(t, w.Schedule().Add(System{Name: "a", Breaker: &Breaker{Failures: 3, Retry: 10}, Run: func(tick *Tick) error {
		ran++
		switch {
		case working:
		case tick.N%3 == 0:
			failed++
			tick.Idle() // it has failed all the same
			return boom
		default:
			tick.Idle()
		}
		return nil
	}}))
	step := func(n int) Health {
		for range n {
			_ = w.Step(1)
		}
		h, _ := w.Schedule().Health("a")
		return h
	}
	if h := step(8); h != Monitoring || failed != 2 {
		t.Errorf("after two failures it is %v", h)
	}
	if h := step(1); h != Parked || failed != 3 || ran != 9 {
		t.Errorf("after %d failures in %d runs it is %v", failed, ran, h)
	}
	if h := step(11); h != HalfOpen || failed != 3 {
		t.Errorf("tried again without work it is %v after %d failures", h, failed)
	}
	if h := step(1); h != Parked || failed != 4 {
		t.Errorf("tried again with work it is %v after %d failures", h, failed)
	}
	working = true
	if h := step(30); h != Healthy {
		t.Errorf("having worked it is %v", h)
	}
	working = false
	if h := step(6); h != Monitoring {
		t.Errorf("after two failures more it is %v", h)
	}
}

// TestIdleIsOfOneRun: neither an observer nor the next system is taken for idle. Both fail twice,
// succeed, and fail twice again, which parks neither.
func TestIdleIsOfOneRun(t *testing.T) {
	w := open(t, Options{})
	calls := map[string]int{}
	run := func(name string, tick *Tick) error {
		if calls[name]++; tick.N != 3 {
			return errors.New("boom")
		}
		return nil
	}
	must(t, w.Schedule().Add(System{Name: "a", Run: func(tick *Tick) error {
		tick.Commands.Spawn()
		tick.Idle()
		return nil
	}}, System{Name: "b", Run: func(tick *Tick) error { return run("b", tick) }}))
	must(t, w.Observe(Observer{Name: "o", On: OnSpawn, Run: func(tick *Tick, n Notice) error { return run("o", tick) }}))
	for range 5 {
		_ = w.Step(0.1)
	}
	if calls["b"] != 5 || calls["o"] != 5 {
		t.Errorf("of five runs were made %v", calls)
	}
}

// TestTheTickOfAnInitEnds with it, and that of a Shutdown: what is recorded later issues no
// handle that nobody would ever place or give back.
func TestTheTickOfAnInitEnds(t *testing.T) {
	w := open(t, Options{MaxEntities: 2, ReuseAfter: -1})
	var kept []*Tick
	keep := func(t *Tick) error { kept = append(kept, t); return nil }
	must(t, w.Schedule().Add(System{Name: "s", Init: keep, Shutdown: keep, Run: func(*Tick) error { return nil }}))
	must(t, w.Schedule().Change([]string{"s"}, nil))
	for i, tick := range kept {
		if err := tick.ParallelFor(1, func(int) {}); !errors.Is(err, ErrConflict) {
			t.Errorf("tick %d: ParallelFor: %v", i, err)
		}
		if e := tick.Commands.Spawn(); e != 0 {
			t.Errorf("tick %d: commands have issued %v", i, e)
		}
		if err := tick.Commands.Apply(); !errors.Is(err, ErrConflict) {
			t.Errorf("tick %d: Apply: %v", i, err)
		}
	}
	w.Spawn()
	w.Spawn()
	must(t, w.Check())
}
