package journal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/journal"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

type place struct{ X, Y float64 }

type health struct {
	HP   float32
	Hits [3]int32
}

type name struct{ Text string }

type burning struct{}

// stage is a world with a journal, and what its system does.
type stage struct {
	*ecs.World
	journal  *journal.Journal
	position ecs.Component[place]
	health   ecs.Component[health]
	name     ecs.Component[name]
	burning  ecs.Component[burning]
	do       func(*ecs.Tick) error
}

func newStage(t *testing.T, entries int) *stage {
	t.Helper()
	w := ecs.NewWorld()
	s := &stage{World: w, position: ecs.Register[place](w), health: ecs.Register[health](w), name: ecs.Register[name](w), burning: ecs.Register[burning](w)}
	j, err := journal.Open(w, journal.Options{Entries: entries})
	if err != nil {
		t.Fatal(err)
	}
	s.journal = j
	t.Cleanup(func() { j.Close(); w.Close() })
	if err := w.Schedule().Add(ecs.System{Name: "work", Run: func(tick *ecs.Tick) error {
		if s.do != nil {
			return s.do(tick)
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) step(t *testing.T, do func(*ecs.Tick) error) {
	t.Helper()
	s.do = do
	if err := s.Step(1); err != nil {
		t.Fatal(err)
	}
}

// lines writes entries, the oldest first.
func lines(list []journal.Entry) (texts []string) {
	for _, e := range slices.Backward(list) {
		texts = append(texts, e.String())
	}
	return texts
}

func expect(t *testing.T, got []journal.Entry, want ...string) {
	t.Helper()
	if texts := lines(got); !slices.Equal(texts, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(texts, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestWhoHasChangedAnEntity is the life of one, from its spawn to its end.
func TestWhoHasChangedAnEntity(t *testing.T) {
	s := newStage(t, 0)
	parent := s.Spawn()
	var e ecs.Entity
	s.step(t, func(tick *ecs.Tick) error {
		e = tick.Commands.Spawn(s.position.With(place{X: 1}), s.health.With(health{HP: 10}))
		tick.Commands.SetParent(e, parent)
		return nil
	})
	if err := s.journal.Watch(e); err != nil {
		t.Fatal(err)
	}
	s.step(t, func(tick *ecs.Tick) error {
		for _, h := range ecs.Rows(s.Query(ecs.Write(s.health)), s.health) {
			h.HP -= 2
			h.Hits[1] = 7
		}
		tick.Commands.Add(e, s.burning.With(burning{}), s.name.With(name{"ann"}))
		return nil
	})
	s.step(t, func(tick *ecs.Tick) error {
		tick.Commands.Add(e, s.name.With(name{"bob"}), s.position.With(place{X: 1, Y: 2}))
		tick.Commands.Remove(e, s.burning)
		return nil
	})
	s.position.Edit(e).X = 5 // by the host
	s.step(t, func(tick *ecs.Tick) error { tick.Commands.Despawn(parent); return nil })
	expect(t, s.journal.Of(e, 100),
		`tick 1: 2v1 came with place, health, by "work"`,
		`tick 1: 2v1 has the target 1v1 in ChildOf, by "work"`,
		`tick 2: hp of health 10 → 8, by "work"`,
		`tick 2: hits of health [0 0 0] → [0 7 0], by "work"`,
		`tick 2: 2v1 got burning, name, by "work"`,
		`tick 3: a command wrote name, place of 2v1, by "work"`,
		`tick 3: y of place 0 → 2, by "work"`,
		`tick 3: text of name ann → bob, by "work"`,
		`tick 3: 2v1 lost burning, by "work"`,
		`tick 4: x of place 1 → 5, by the host`,
		`tick 4: 2v1 died with 1v1, by "work"`,
	)
	expect(t, s.journal.Of(parent, 2), `tick 1: 2v1 has the target 1v1 in ChildOf, by "work"`, `tick 4: 1v1 was despawned, by "work"`)
	if s.journal.Watches(e) {
		s.journal.Unwatch(e)
	}
	s.journal.Close()
	if got := s.journal.Of(e, -1); len(got) > 0 {
		t.Errorf("fewer than none: %v", got)
	}
	if got := s.journal.Last(1); len(got) > 0 || s.journal.Watch(parent) == nil {
		t.Errorf("after Close: %v", got)
	}
}

// TestJournalAgainstAList: the last entries are those of a list that forgets nothing, whatever the length of the
// ring, also after the world has gone back.
func TestJournalAgainstAList(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		entries := 1 + random.IntN(60)
		s := newStage(t, entries)
		var many []ecs.Value // more than a record has room for
		for i := range 9 {
			id, err := s.Raw().Define(ecs.Schema{Name: fmt.Sprint("tag", i), Align: 1}, i%3 == 2)
			if err != nil {
				t.Fatal(err)
			}
			many = append(many, s.Raw().ValueAt(id, nil))
		}
		var list []string // of all changes that the world has not taken back, each with its tick
		var numbers []int // of the changes, from 0 on
		changes := 0
		tick := func() uint64 { _, n := s.Time(); return n }
		note := func(format string, args ...any) {
			list, numbers = append(list, fmt.Sprintf("tick %d: ", tick())+fmt.Sprintf(format, args...)+", by the host"), append(numbers, changes)
			changes++
		}
		var kept *snapshot.Snapshot
		before := 0 // changes before the capture
		lost := 0   // entries that the ring has dropped for others which were given up
		for range 80 {
			alive := slices.Collect(s.Entities())
			switch at := random.IntN(8); {
			case at < 3 || len(alive) == 0:
				n := random.IntN(10)
				e := s.Spawn(many[:n]...)
				names := []string{"no components"}
				for i := range n {
					if i == 0 {
						names = nil
					}
					names = append(names, fmt.Sprint("tag", i))
				}
				note("%v came with %s", e, strings.Join(names, ", "))
			case at < 4:
				e := alive[random.IntN(len(alive))]
				if err := s.Despawn(e); err != nil {
					t.Fatal(err)
				}
				note("%v was despawned", e)
			case at < 5:
				x, err := snapshot.Capture(s.World)
				if err != nil {
					t.Fatal(err)
				}
				kept, before = x, changes
			case at < 6 && kept != nil:
				if err := snapshot.Restore(s.World, kept); err != nil {
					t.Fatal(err)
				}
				// What comes next takes the place of what was after the capture, also in the same tick.
				for len(numbers) > 0 && numbers[len(numbers)-1] >= before {
					list, numbers = list[:len(list)-1], numbers[:len(numbers)-1]
					lost++
				}
				if got := lines(s.journal.Last(entries)); !slices.Equal(got, list[max(0, len(list)-len(got)):]) {
					t.Fatalf("seed %d: after a restore: got %q, want %q", seed, got, list)
				}
				note("%v came with no components", s.Spawn())
			default:
				s.step(t, nil)
			}
			got := lines(s.journal.Last(entries))
			want := list[max(0, len(list)-len(got)):]
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d entries:\n got %q\nwant %q", seed, entries, got, want)
			}
			if least := min(len(list), entries/2) - lost; lost == 0 && len(got) < least {
				t.Fatalf("seed %d: %d entries of %d, in a ring of %d", seed, len(got), len(list), entries)
			}
		}
	}
}

// TestWritesThatGoOnAreOneEntry: a field that a system writes in each tick, until another one does.
func TestWritesThatGoOnAreOneEntry(t *testing.T) {
	s := newStage(t, 0)
	e := s.Spawn(s.position.With(place{}))
	if err := s.journal.Watch(e); err != nil {
		t.Fatal(err)
	}
	work := func(tick *ecs.Tick) error {
		for _, p := range ecs.Rows(s.Query(ecs.Write(s.position)), s.position) {
			p.X++
		}
		return nil
	}
	for range 5 {
		s.step(t, work)
	}
	s.position.Edit(e).X = 50
	s.step(t, work)
	s.step(t, work)
	expect(t, s.journal.Of(e, 2),
		`tick 6: x of place 5 → 50, by the host`,
		`tick 7: x of place 50 → 52, 2 times since tick 6, by "work"`)
	expect(t, s.journal.Of(e, 9),
		`tick 0: 1v1 came with place, by the host`,
		`tick 5: x of place 0 → 5, 5 times since tick 1, by "work"`,
		`tick 6: x of place 5 → 50, by the host`,
		`tick 7: x of place 50 → 52, 2 times since tick 6, by "work"`)
}

// TestEachCommandHasItsFields: of two commands, and of an observer, each is named for what it has written.
func TestEachCommandHasItsFields(t *testing.T) {
	s := newStage(t, 0)
	line := 0
	s.Raw().CallersFrom(func() ecs.Caller { line++; return ecs.Caller{Code: "script", At: line} })
	e := s.Spawn(s.position.With(place{}))
	if err := errors.Join(s.journal.Watch(e), s.position.Observe("heir", ecs.OnSet, func(tick *ecs.Tick, e ecs.Entity, p *place) error {
		if p.Y == 3 {
			tick.Commands.Add(e, s.position.With(place{X: 1, Y: 9}))
		}
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	s.step(t, func(tick *ecs.Tick) error {
		tick.Commands.Add(e, s.position.With(place{Y: 3}))
		tick.Commands.Add(e, s.position.With(place{X: 1, Y: 3}))
		return nil
	})
	var got []string
	for _, w := range slices.Backward(s.journal.Of(e, 9)) {
		if w.Kind == journal.Write {
			got = append(got, fmt.Sprint(w.Field, " ", w.Old, " ", w.New, " ", w.System, " ", w.Caller.At))
		}
	}
	if want := []string{"y 0 3 work 1", "x 0 1 work 2", "y 3 9 heir 3"}; !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

// TestHistoryThatWasGivenUp: entries of ticks that the world has gone back over do not come again, and what a restore has
// brought nobody has written.
func TestHistoryThatWasGivenUp(t *testing.T) {
	s := newStage(t, 0)
	e := s.Spawn(s.position.With(place{}))
	if err := s.journal.Watch(e); err != nil {
		t.Fatal(err)
	}
	s.step(t, nil)
	x, err := snapshot.Capture(s.World)
	if err != nil {
		t.Fatal(err)
	}
	s.step(t, func(tick *ecs.Tick) error { tick.Commands.Add(e, s.position.With(place{X: 5})); return nil })
	s.step(t, func(tick *ecs.Tick) error { tick.Commands.Despawn(e); return nil })
	if err := snapshot.Restore(s.World, x); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		s.step(t, nil)
	}
	s.step(t, func(tick *ecs.Tick) error { tick.Commands.Add(e, s.burning.With(burning{})); return nil })
	expect(t, s.journal.Of(e, 9), `tick 0: 1v1 came with place, by the host`, `tick 6: 1v1 got burning, by "work"`)
}

// TestWritesOfTwoLivesAreTwo: a component that was lost and came again is another one.
func TestWritesOfTwoLivesAreTwo(t *testing.T) {
	s := newStage(t, 0)
	e := s.Spawn(s.position.With(place{}))
	if err := s.journal.Watch(e); err != nil {
		t.Fatal(err)
	}
	work := func(do func(c *ecs.Commands)) func(tick *ecs.Tick) error {
		return func(tick *ecs.Tick) error {
			for _, p := range ecs.Rows(s.Query(ecs.Write(s.position)), s.position) {
				p.X++
			}
			do(tick.Commands)
			return nil
		}
	}
	s.step(t, work(func(c *ecs.Commands) { c.Remove(e, s.position) }))
	s.step(t, work(func(c *ecs.Commands) { c.Add(e, s.position.With(place{X: 3})) }))
	s.step(t, work(func(*ecs.Commands) {}))
	expect(t, s.journal.Of(e, 4),
		`tick 1: x of place 0 → 1, by "work"`, `tick 1: 1v1 lost place, by "work"`, `tick 2: 1v1 got place, by "work"`, `tick 3: x of place 3 → 4, by "work"`)
}

// TestEntriesAreSmall: of a long text an entry keeps the beginning.
func TestEntriesAreSmall(t *testing.T) {
	s := newStage(t, 0)
	long := strings.Repeat("é", 1<<16)
	e := s.Spawn(s.name.With(name{long}))
	if err := s.journal.Watch(e); err != nil {
		t.Fatal(err)
	}
	s.name.Edit(e).Text = long + "!"
	s.step(t, nil)
	if got := s.journal.Of(e, 1)[0]; len(got.String()) > 1000 || !strings.HasPrefix(got.New.(string), "éé") {
		t.Errorf("an entry of %d bytes: %.100v", len(got.String()), got.New)
	}
}

// TestLaterTicksAreNotShown: while the world is at an earlier tick, its journal is as it was then.
func TestLaterTicksAreNotShown(t *testing.T) {
	s := newStage(t, 0)
	e := s.Spawn()
	x, err := snapshot.Capture(s.World)
	if err != nil {
		t.Fatal(err)
	}
	s.step(t, func(tick *ecs.Tick) error { tick.Commands.Add(e, s.burning.With(burning{})); return nil })
	later, err := snapshot.Capture(s.World)
	if err != nil {
		t.Fatal(err)
	}
	came, got := "tick 0: 1v1 came with no components, by the host", `tick 1: 1v1 got burning, by "work"`
	expect(t, s.journal.Of(e, 9), came, got)
	if err := snapshot.Restore(s.World, x); err != nil {
		t.Fatal(err)
	}
	expect(t, s.journal.Of(e, 9), came)
	if err := snapshot.Restore(s.World, later); err != nil {
		t.Fatal(err)
	}
	expect(t, s.journal.Of(e, 9), came, got)
}

// TestJournalRefuses what makes no sense.
func TestJournalRefuses(t *testing.T) {
	w := ecs.NewWorld()
	for _, n := range []int{-1, 5_000_000} {
		if _, err := journal.Open(w, journal.Options{Entries: n}); !errors.Is(err, ecs.ErrRange) {
			t.Errorf("%d entries: %v", n, err)
		}
	}
	if _, err := journal.Open(nil, journal.Options{}); !errors.Is(err, ecs.ErrConflict) {
		t.Errorf("no world: %v", err)
	}
	j, err := journal.Open(w, journal.Options{Entries: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	e := w.Spawn()
	for range journal.MostWatched {
		if err := j.Watch(w.Spawn()); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Watch(e); !errors.Is(err, ecs.ErrRange) {
		t.Errorf("too many: %v", err)
	}
	if err := w.Despawn(e); err != nil {
		t.Fatal(err)
	}
	if err := j.Watch(e); !errors.Is(err, ecs.ErrDead) {
		t.Errorf("a dead one: %v", err)
	}
	var none *journal.Journal
	if none.Close(); none.Last(5) != nil || none.Watches(e) || !errors.Is(none.Watch(e), ecs.ErrClosed) {
		t.Error("a nil journal has something")
	}
	w.Close()
	if _, err := journal.Open(w, journal.Options{}); !errors.Is(err, ecs.ErrClosed) {
		t.Errorf("a closed world: %v", err)
	}
}

// TestJournalKnowsMomentsBetweenSteps: what the host changes between two steps is given up with them when the world goes back to a
// moment before, and stays when it goes back to one after. A snapshot of another world has no such moments: its tick counts.
func TestJournalKnowsMomentsBetweenSteps(t *testing.T) {
	s := newStage(t, 0)
	s.step(t, nil)
	first := s.Spawn()
	x, err := snapshot.Capture(s.World)
	if err != nil {
		t.Fatal(err)
	}
	second := s.Spawn(s.position.With(place{}))
	again := func(from *snapshot.Snapshot, want int) {
		t.Helper()
		if err := snapshot.Restore(s.World, from); err != nil {
			t.Fatal(err)
		}
		if got := lines(s.journal.Last(10)); len(got) != want {
			t.Errorf("%q, want %d entries", got, want)
		}
	}
	y, err := snapshot.Capture(s.World)
	if err != nil {
		t.Fatal(err)
	}
	again(x, 1)
	if got := s.journal.Of(second, 10); len(got) > 0 {
		t.Error(got)
	}
	again(y, 2) // nothing has changed since: the entries are there
	again(x, 1)
	if other := s.Spawn(); other != second {
		t.Fatalf("%v, and %v before the restore", other, second)
	}
	if got := lines(s.journal.Of(second, 10)); len(got) != 1 {
		t.Errorf("the history of two entities with one handle: %q", got)
	}
	if got := s.journal.Of(first, 10); len(got) != 1 {
		t.Error(got)
	}
	if n, known := s.Raw().Reported(); n != 3 || !known {
		t.Error(n, known)
	}
	foreign, err := ecs.Open(ecs.Options{Tag: s.Raw().Tag()})
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	ecs.Register[place](foreign)
	ecs.Register[health](foreign)
	ecs.Register[name](foreign)
	ecs.Register[burning](foreign)
	if err := foreign.Step(1); err != nil {
		t.Fatal(err)
	}
	z, err := snapshot.Capture(foreign)
	if err != nil {
		t.Fatal(err)
	}
	again(z, 2)
	if _, known := s.Raw().Reported(); known {
		t.Error("changes of another world are known")
	}
}
