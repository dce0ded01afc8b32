package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Divergence says in what a replay is not what was recorded, in the first tick in which it was not.
type Divergence struct {
	Tick uint64
	// System is the first that has written the value in the tick, or that may have: see Writers. It is "" for what runs
	// before the first system: on_start, timers, inputs, observers; and where nobody knows.
	System string
	// Writers are all that were seen to write the value, in their order; none where that was not seen. One
	// of them has written it otherwise than when it was recorded, or a value that it was made of.
	Writers []string
	// Entity, Component and Field name one value that differs; Component is "" if there is none, or none
	// could be found. Of several, it is the one that the earliest system has written. Entity is zero where the replay has
	// never had one in that place.
	Entity    ecs.Entity
	Component string
	Field     string
	// Recorded and Replayed are the value as texts; "nothing" where the entity or the component is
	// not there.
	Recorded, Replayed string
	Components         []string // all that have values that differ
	Random             bool     // the random numbers of the world differ
	Scripts            bool     // what scripts keep differs: ecs.state, timers, what was read of events
	// Ended is the first tick in which the clock or the memory has ended a call of a script when the game
	// was recorded, which no replay can repeat: see [scripting.Host.Unrepeatable]. Zero for none.
	Ended uint64
	// EndedAlone is the first tick in which the clock or the memory has ended a call in the replay, and
	// none when the game was recorded. Zero for none. The limits of the replaying host may be lower, or
	// its program may hold more: see [scripting.Limits.Held].
	EndedAlone uint64
	// Keyframe is the tick of the keyframe that the replay has begun with; 0 for none. No keyframe has what scripts
	// keep beside ecs.state and on_save, such as a local of a file or a suspended coroutine: that may be the difference.
	Keyframe uint64
	// Once says that the tick was not the same when it was made once more: a script keeps something of the same kind, or the
	// program something beside the world. The Writers are then those of the same value in the first tick that differed
	// there, if any.
	Once bool
}

// String says it in one sentence.
func (d *Divergence) String() string {
	if d == nil {
		return "no difference"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tick %d differs", d.Tick)
	if d.Component != "" {
		name := d.Component
		if d.Field != "" {
			name += "." + d.Field
		}
		if d.Entity == 0 {
			fmt.Fprintf(&b, ": %s of an entity that this game does not have was there when it was recorded", name)
		} else {
			fmt.Fprintf(&b, ": %s of entity %v is %s, and was %s when it was recorded", name, d.Entity, d.Replayed, d.Recorded)
		}
		switch {
		case len(d.Writers) > 0:
			b.WriteString("; it was written by " + strings.Join(named(d.Writers), ", then by "))
		case d.System != "":
			fmt.Fprintf(&b, "; system %q may have written it", d.System)
		}
	}
	if d.Component == "" && d.System != "" {
		fmt.Fprintf(&b, ": system %q may be the first that has written another value", d.System)
	}
	if n := len(d.Components); n > 1 || n == 1 && d.Component == "" {
		fmt.Fprintf(&b, "; values differ in %s", strings.Join(d.Components, ", "))
	}
	if d.Random {
		b.WriteString("; the random numbers differ")
	}
	if d.Scripts {
		b.WriteString("; what scripts keep differs (ecs.state, timers, events)")
	}
	if d.Ended > 0 {
		fmt.Fprintf(&b, "; in tick %d the recorded run had a call of a script that the clock or the memory has ended, which no replay repeats", d.Ended)
	}
	if d.Keyframe > 0 {
		fmt.Fprintf(&b, "; the replay began with the game that was kept after tick %d, which has no locals of scripts and no coroutines: replay from the beginning to be sure", d.Keyframe)
	}
	if d.Once {
		b.WriteString("; made once more, the game differs elsewhere: a script keeps something beside ecs.state and on_save, or the program something beside the world")
	}
	if d.EndedAlone > 0 {
		fmt.Fprintf(&b, "; in tick %d the clock or the memory has ended a call of a script in the replay alone (Limits.Held, HeldTotal, Time)", d.EndedAlone)
	}
	return b.String()
}

// named returns systems as a sentence names them.
func named(systems []string) (names []string) {
	for _, s := range systems {
		if s == "" {
			names = append(names, "on_start, a timer or an input, before the first system")
		} else {
			names = append(names, fmt.Sprintf("system %q", s))
		}
	}
	return names
}

// foundCell is a value that differs.
type foundCell struct {
	c      *componentDigest
	place  uint64
	weight uint64 // as recorded less as replayed
}

// element returns the number of the element, index that of the slot.
func (x *foundCell) element() int  { return int(x.place & (1<<elementBits - 1)) }
func (x *foundCell) index() uint32 { return uint32(x.place >> elementBits) }

// compare holds the host against a digest. It returns nil once there was a difference.
func (p *Player) compare(want *digest) *Divergence {
	if p.differs {
		return nil
	}
	got := p.digests.of(p.s.host)
	d := &Divergence{Tick: p.tick, Random: got.random != want.random, Ended: p.ended, EndedAlone: p.alone, Keyframe: p.from}
	d.Scripts = !p.other && got.scripts != want.scripts && got.scripts != 0 && want.scripts != 0
	if got.world == want.world && !d.Random && !d.Scripts {
		return nil
	}
	p.differs = true
	if got.world == want.world || p.r.header.Sparse {
		return d
	}
	cells := p.cells(d)
	if len(cells) > 0 {
		p.describe(d, &cells[0])
	}
	return d
}

// cells finds values that differ, at most one for each level of each component.
func (p *Player) cells(d *Divergence) (list []foundCell) {
	slots := p.s.host.World().Raw().Slots()
	d.Components = nil
	for _, c := range p.digests.byName {
		want := p.want[c.name]
		if want == c.sums {
			continue
		}
		d.Components = append(d.Components, c.name)
		want.remove(&c.sums)
		for bucket := len(want) - 1; bucket >= 0; bucket-- {
			place, ok := want[bucket].single()
			x := foundCell{c, place, want[bucket].weights}
			if ok && bucketOf(hashOf(place), x.element(), c.mask()) == bucket && int(x.index()) < slots+mostNew && (c.elements == nil && x.element() == 0 || x.element() < len(c.elements)) {
				list = append(list, x)
			}
		}
	}
	for name := range p.want { // of components that this world does not have
		if !slices.ContainsFunc(p.digests.byName, func(c *componentDigest) bool { return c.name == name }) && p.want[name] != (sums{}) {
			d.Components = append(d.Components, name)
		}
	}
	slices.Sort(d.Components)
	return list
}

// mostNew is how many more slots the world that was recorded may have.
const mostNew = 1 << 20

// single returns the place of the one cell that the difference of two pairs has. ok is false where
// there is none, or there are several, but for one in 2¹⁰ of these.
func (s pair) single() (place uint64, ok bool) {
	if s.weights == 0 {
		return 0, false
	}
	zeros := bits.TrailingZeros64(s.weights)
	if zeros > 8 { // so few bits are left that places are no longer told apart
		return 0, false
	}
	place = (s.places >> zeros) * inverse(s.weights>>zeros) & (1<<(64-zeros) - 1)
	return place, place < 1<<(32+elementBits) && place*s.weights == s.places
}

// describe says which value a cell is.
func (p *Player) describe(d *Divergence, x *foundCell) {
	w := p.s.host.World()
	d.Component, d.Field = x.c.name, ""
	d.Entity = w.Raw().At(x.index())
	var e element
	if x.c.elements != nil {
		e = x.c.elements[x.element()]
		d.Field = e.name
	}
	value, there := x.value(w)
	recorded := x.weight
	if there {
		recorded += weight(x.place, value, d.Entity.Generation())
	}
	d.Replayed, d.Recorded = "nothing", "nothing"
	if there {
		d.Replayed = e.text(value)
	}
	if recorded != 0 {
		d.Recorded = "something else"
		if x.c.elements != nil && e.kind != kindTag && (there || d.Entity != 0) {
			d.Recorded = e.text(valueOf(x.place, recorded, d.Entity.Generation()))
		} else if e.kind == kindTag {
			d.Recorded = "there"
		}
	}
	if x.c.elements == nil && there && recorded != 0 { // of a Go type, of which a digest has one sum
		d.Replayed, d.Recorded = "one value", "another"
	}
}

// value returns the bits of the cell's value now.
func (x *foundCell) value(w *ecs.World) (value uint64, there bool) {
	raw := w.Raw()
	e := raw.At(x.index())
	if e == 0 || !w.Alive(e) || !raw.Has(e, x.c.id) {
		return 0, false
	}
	p := raw.Pointer(e, x.c.id)
	switch {
	case x.c.elements == nil:
		return valueHash(raw.GoType(x.c.id), p), true
	case x.c.elements[x.element()].kind == kindTag:
		return 0, true
	}
	n := &x.c.elements[x.element()]
	return bitsOf(n.kind, unsafe.Add(p, n.offset)), true
}

// text writes a value that is given as bits.
func (e *element) text(n uint64) string {
	switch e.kind {
	case kindTag:
		return "there"
	case ecs.F32, ecs.F64:
		return strconv.FormatFloat(math.Float64frombits(n), 'g', -1, 64)
	case ecs.Bool:
		return strconv.FormatBool(n&1 == 1)
	case ecs.I8:
		return strconv.Itoa(int(int8(n)))
	case ecs.I16:
		return strconv.Itoa(int(int16(n)))
	case ecs.I32:
		return strconv.Itoa(int(int32(n)))
	case ecs.I64:
		return strconv.FormatInt(int64(n), 10)
	case ecs.Ref:
		return fmt.Sprintf("entity %d of generation %d", uint32(n), n>>32)
	}
	return strconv.FormatUint(n, 10)
}

// stride is how many ticks Bisect makes from one mark to the next.
const stride = 32

// Bisect runs the recording on, up to a tick or, for zero, to its end, and returns the first difference
// with the system that has written it; nil if there is none. It compares each tick; when one
// differs it goes back some ticks, makes them once more, and looks after each system of the one that
// differs. If that comes to something else, the Divergence is what was found the first time, see its Once: what a
// script keeps where no snapshot has it, or what a program does otherwise each time, as by the clock.
//
// The errors are those of [Player.Step], and that of the context, which is asked before each tick.
func (p *Player) Bisect(ctx context.Context, to uint64) (*Divergence, error) {
	if p == nil || !p.s.open() || ctx == nil {
		return nil, fmt.Errorf("record: replay: %w: no player, or no context", ecs.ErrConflict)
	}
	last := p.r.last()
	if to == 0 || to > last {
		to = last
	}
	good := &checkpoint{}
	if err := p.mark(good); err != nil { // scripts keep what cannot be captured: there is no way back
		return p.until(ctx, to)
	}
	for p.tick < to {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("record: replay: %w", ecs.ContextError(ctx))
		}
		t, err := p.next()
		if err != nil {
			return nil, err
		}
		if d := p.compare(&t.digest); d != nil && len(t.reloads) > 0 { // nothing goes back over a reload
			return d, nil
		} else if d != nil {
			return p.narrow(d, good)
		}
		if p.tick%stride == 0 || len(t.reloads) > 0 {
			if err := p.mark(good); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// until makes ticks up to one, and compares each.
func (p *Player) until(ctx context.Context, to uint64) (*Divergence, error) {
	for p.tick < to {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("record: replay: %w", ecs.ContextError(ctx))
		}
		if d, err := p.Step(); d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// reloads reports whether scripts were reloaded in a tick.
func (p *Player) reloads(n uint64) bool {
	if n <= p.r.start || n > p.r.last() {
		return false
	}
	at := p.r.ticks[n-1-p.r.start]
	return at.at != at.tick
}

// checkpoint is where a replay was like its recording.
type checkpoint struct {
	snapshot scripting.Snapshot
	want     map[string]sums
	tick     uint64
}

// mark notes the tick at hand, to come back to it.
func (p *Player) mark(m *checkpoint) error {
	if err := p.s.host.Update(&m.snapshot); err != nil {
		return fmt.Errorf("record: replay: %w", err)
	}
	m.want, m.tick = maps.Clone(p.want), p.tick
	return nil
}

// back goes to a mark.
func (p *Player) back(m *checkpoint) error {
	if _, err := p.s.host.Restore(&m.snapshot); err != nil {
		return fmt.Errorf("record: replay: %w", err)
	}
	p.want, p.tick, p.differs = maps.Clone(m.want), m.tick, false
	return nil
}

// narrow goes back to a mark, and finds out who has written what is known to differ.
func (p *Player) narrow(known *Divergence, good *checkpoint) (*Divergence, error) {
	if err := p.back(good); err != nil {
		return nil, err
	}
	for p.tick < known.Tick {
		t, err := p.next()
		if err != nil {
			return nil, err
		}
		switch d := p.compare(&t.digest); {
		case d == nil && p.tick < known.Tick:
			if err := p.mark(good); err != nil {
				return nil, err
			}
		case d != nil && d.String() == known.String():
			return d, p.trace(d, good)
		default:
			return known, p.once(known, d, good)
		}
	}
	return known, nil
}

// names reports whether two differences name the same value.
func (d *Divergence) names(other *Divergence) bool {
	return d.Component == other.Component && d.Field == other.Field && d.Entity == other.Entity
}

// once notes who has written the value of a difference, which has not come again: another one has, or none.
func (p *Player) once(known, other *Divergence, good *checkpoint) error {
	if other != nil && other.names(known) {
		if err := p.trace(other, good); err != nil {
			return err
		}
		if other.names(known) {
			known.System, known.Writers = other.System, other.Writers
		}
	} else if known.Component != "" {
		known.System = p.writer(known.Component)
	}
	p.differs, known.Once = true, true
	return nil
}

// writes are the changes of a cell that were seen.
type writes struct {
	first   int // the order of the first system in the tick
	systems []string
}

// trace makes the tick of a difference once more, and notes which system has written the values that
// differ.
func (p *Player) trace(d *Divergence, good *checkpoint) error {
	if p.r.header.Sparse { // there are no sums to compare
		return nil
	}
	cells := p.cells(d)
	if len(cells) == 0 {
		if len(d.Components) > 0 {
			d.System = p.writer(d.Components[0])
		}
		return nil
	}
	if err := p.back(good); err != nil {
		return err
	}
	w := p.s.host.World()
	type seen struct {
		value uint64
		there bool
	}
	now := make([]seen, len(cells))
	for i := range cells {
		now[i].value, now[i].there = cells[i].value(w)
	}
	wrote, order := make([]writes, len(cells)), 0
	remove, err := w.Schedule().AfterSystem(func(system string) {
		order++
		for i := range cells {
			value, there := cells[i].value(w)
			if is := (seen{value, there}); is != now[i] {
				now[i] = is
				if len(wrote[i].systems) == 0 {
					wrote[i].first = order
				}
				wrote[i].systems = append(wrote[i].systems, system)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("record: replay: %w", err)
	}
	_, err = p.next()
	remove()
	if err != nil && !errors.Is(err, ErrEnd) {
		return err
	}
	p.differs = true
	best := -1
	for i, x := range wrote {
		if len(x.systems) > 0 && (best < 0 || x.first < wrote[best].first) {
			best = i
		}
	}
	if best >= 0 {
		p.describe(d, &cells[best])
		d.System, d.Writers = wrote[best].systems[0], wrote[best].systems
		return nil
	}
	p.describe(d, &cells[0])
	d.System = p.writer(d.Component)
	return nil
}

// writer returns the first system that says it writes a component.
func (p *Player) writer(component string) string {
	for _, s := range p.s.host.World().Schedule().Stats(nil) {
		if slices.Contains(s.Writes, component) {
			return s.Name
		}
	}
	return ""
}
