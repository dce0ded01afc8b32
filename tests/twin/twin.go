package twin

import (
	"errors"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// crowd bounds the entities of a twin, unless Crowd allows more: each takes time to
// compare.
const crowd = 120

// Twin is a world and its model. Both get the same operations. It belongs to one
// goroutine; close it with Close.
type Twin struct {
	restored int // restores so far
	World    *ecs.World
	Model    *Model

	kinds     []kind
	relations []*ecs.Relation
	tight     bool // the world may run out of memory: a refusal changes nothing
	crowd     int  // at most so many entities
	burst     int  // about so many at once where several come or go
	reuse     reuse
	reused    bool // the last operation has used slots again
	turn      int  // with it, a byte names other entities of a large crowd in each operation
	commands  *ecs.Commands
	dead      []ecs.Entity // handles that must stay dead
	side      *ecs.World   // to which entities are sent, and from where they come back
	lookers   []*liveQuery
	followers []*follower
	elsewhere []call  // that hooks of the side world got, in the last transfer
	answers   []error // of the commands of a system
	boxes     [2]mailbox
	options   ecs.Options
	kept      [2]kept
	mark      mark     // in the commands, for a rewind
	expect    []note   // notices that are due, in order
	watching  []string // the names of the observers
	calls     []call   // that hooks got
	wrong     error    // what an observer found
	reported  reported
	program   func(*ecs.Tick) error
}

// Run makes a twin, applies the operations to it and compares after each. The
// options' Breaker is replaced: systems of a twin fail on purpose.
func Run(t T, options ecs.Options, ops []Op) {
	t.Helper()
	tw := New(t, options)
	defer tw.Close()
	for i, op := range ops {
		tw.Do(t, op)
		if err := tw.Compare(); err != nil {
			t.Fatalf("after operation %d, %v: %v", i, op, err)
		}
	}
}

// Crowd allows a twin so many entities. An operation on several entities then takes up to
// a third as many.
func (tw *Twin) Crowd(n int) {
	tw.crowd, tw.burst = n, max(n/3, 40)
	tw.Model.remembered = max(tw.Model.remembered, 8*n)
}

// Observed reports whether the world has observers at the moment: see Quiet.
func (tw *Twin) Observed() bool { return !tw.Model.quiet }

// New opens a world with its model. A world of less than 8 MiB is expected to run out
// of memory: then ErrArenaFull and ErrEntityLimit are allowed results, provided that
// nothing has changed.
func New(t T, options ecs.Options) *Twin {
	t.Helper()
	options.Breaker.Failures = -1
	w, err := ecs.Open(options)
	if err != nil {
		t.Fatalf("opening the world: %v", err)
	}
	tw := &Twin{World: w, options: options, commands: w.NewCommands(), crowd: crowd, burst: 40}
	tw.tight = options.MaxBytes > 0 && options.MaxBytes < 8<<20 || options.MaxEntities > 0
	tw.reuse = newReuse(options, tw.tight)
	removeHooks := options.ReuseAfter < 0
	all, rules := ruled(w, kinds(w), &tw.calls, removeHooks)
	tw.kinds = finish(w, all)
	pooled := make([]bool, len(tw.kinds))
	for i, k := range tw.kinds {
		pooled[i] = k.pooled
	}
	tw.Model = NewModel(pooled)
	tw.Model.kinds, tw.Model.removeHooks = rules, removeHooks
	if tw.relations, err = relations(w); err != nil {
		t.Fatalf("preparing the world: %v", err)
	}
	for _, r := range tw.relations {
		tw.Model.rules = append(tw.Model.rules, r.Options())
	}
	tw.lookers, tw.followers = lookers(tw), track(tw.kinds)
	tw.boxes, err = openBoxes(w)
	if err := errors.Join(err, tw.observe(), tw.schedule(), tw.report(options.ReuseAfter < 0)); err != nil {
		t.Fatalf("preparing the world: %v", err)
	}
	return tw
}

func (tw *Twin) schedule() error {
	return tw.World.Schedule().Add(ecs.System{Name: "program", Run: func(t *ecs.Tick) error {
		if tw.program == nil {
			return nil
		}
		return tw.program(t)
	}})
}

// pick returns the entity that a byte names: mostly a living one, at times a handle that
// is dead, of another world, or was never issued.
func (tw *Twin) pick(n byte) ecs.Entity {
	if n%8 == 7 || len(tw.Model.order) == 0 {
		others := append(append([]ecs.Entity{0}, neverIssued...), tw.dead...)
		return others[int(n/8)%len(others)]
	}
	if len(tw.Model.order) > 256 {
		return tw.Model.order[(uint64(n)*0x9E3779B97F4A7C15^uint64(tw.turn)*0xC2B2AE3D27D4EB4F)>>20%uint64(len(tw.Model.order))]
	}
	return tw.Model.order[int(n)%len(tw.Model.order)]
}

// given returns the values that an operation names; at times one of them twice.
func (tw *Twin) given(op Op) []given {
	var vs []given
	for i, k := range op.kindsOf(len(tw.kinds)) {
		vs = append(vs, given{k, int(op.D) + i})
	}
	if len(vs) > 0 && op.D%5 == 0 {
		vs = append(vs, given{vs[0].kind, int(op.D) + 100})
	}
	return vs
}

func (tw *Twin) values(vs []given) []ecs.Value {
	values := make([]ecs.Value, len(vs))
	for i, v := range vs {
		values[i] = tw.kinds[v.kind].value(v.n)
	}
	return values
}

func (tw *Twin) ids(ks []int) []ecs.ComponentID {
	ids := make([]ecs.ComponentID, len(ks))
	for i, k := range ks {
		ids[i] = tw.kinds[k].id
	}
	return ids
}

// refs are ids as handles.
func (tw *Twin) refs(ks []int) []ecs.ComponentRef {
	refs := make([]ecs.ComponentRef, len(ks))
	for i, k := range ks {
		refs[i] = tw.kinds[k].id
	}
	return refs
}

// full reports whether a tight world has refused an operation for lack of room.
func (tw *Twin) full(err error) bool {
	return tw.tight && (errors.Is(err, ecs.ErrArenaFull) || errors.Is(err, ecs.ErrEntityLimit))
}

// agree demands that world and model have returned the same error.
func agree(t T, op Op, got, want error) {
	t.Helper()
	if want == errNeverIssued {
		want = ecs.ErrDead
	}
	if !errors.Is(got, want) || want == nil && got != nil {
		t.Fatalf("%v: the world answered %v, the model %v", op, got, want)
	}
}

// bury remembers the handles of entities that have died, and reports slots that were used
// again too soon.
func (tw *Twin) bury() error {
	m := tw.Model
	err := tw.reuse.operation(m.reissued, m.lost)
	tw.reused = len(m.reissued) > 0
	m.reissued = m.reissued[:0]
	tw.dead = append(tw.dead, tw.Model.lost...)
	tw.Model.lost = tw.Model.lost[:0]
	if n := len(tw.dead) - 64; n > 0 {
		tw.dead = slices.Delete(tw.dead, 0, n)
	}
	return err
}

// Close closes the worlds.
func (tw *Twin) Close() {
	tw.World.Close()
	if tw.side != nil {
		tw.side.Close()
	}
}
