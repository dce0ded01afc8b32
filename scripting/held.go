package scripting

import (
	"fmt"
	"maps"
	"math"
	"runtime/metrics"
	"slices"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/scripting/internal/held"
	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
	lua "github.com/yuin/gopher-lua"
)

// scales find scripts that hold more than Limits.Held.
//
// Why not at each allocation? The machine asks nobody when it makes a table, and
// nobody when the last variable lets go of one. Only a walk over all that
// variables lead to tells what is held; it takes 0.1 µs for each value. So nothing
// is walked until the program's heap has grown, by the runtime's own count of what
// was alive after its last collection: as long as all of the program takes less
// than half of the limit, no script can be above it. Then the walk goes on in
// steps, one in each tick, unless the heap grows fast: it is finished at once then.
//
// Invariant: owners are the scripts of the walk that is under way, nil when there
// is none; excesses are those that the last finished walk has found.
type scales struct {
	least    uint64 // bytes of the lower one of both limits; 0: there are none
	walk     held.Walk
	owners   []owner
	began    uint64 // what was alive when the last walk began, or less, if less was since
	ticks    int
	excesses map[string]excess // by script
	sample   []metrics.Sample
}

// owner is a version of a script: a later one has another environment.
type owner struct {
	name string
	env  *lua.LTable
}

// excess is what is known of a script that was found above a limit.
type excess struct {
	env   *lua.LTable
	what  string // for messages
	bytes int64  // when reach was last widened
	reach reach
}

// reach says whose calls fail because of an excess. It is widened when the script
// holds more and more although those within have not run: another one fills it.
type reach uint8

const (
	itself     reach = iota
	dependents       // the script, and those that require it, directly or not
	everyone
)

const (
	// valuesPerTick is about 0.1 ms.
	valuesPerTick = 1000
	// liveEvery is how many ticks pass between two looks at the heap.
	liveEvery = 8
)

func newScales(limits *Limits) scales {
	s := scales{sample: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	s.walk = held.Walk{Weigh: bindings.Weigh, Body: lualib.Body}
	for _, limit := range []int64{limits.Held, limits.HeldTotal} {
		if limit > 0 && (s.least == 0 || uint64(limit) < s.least) {
			s.least = uint64(limit)
		}
	}
	return s
}

// alive returns the bytes that were alive after the last collection.
func (s *scales) alive() uint64 {
	metrics.Read(s.sample)
	return s.sample[0].Value.Uint64()
}

// due reports whether a walk is to begin.
func (s *scales) due(alive uint64) bool {
	s.began = min(s.began, alive)
	return alive >= s.least/2 && (alive >= s.began+s.least/8 || len(s.excesses) > 0)
}

// weigh does a tick's part of what finds out what scripts hold.
func (h *Host) weigh() {
	s := &h.scales
	if s.ticks++; s.least == 0 || s.owners == nil && s.ticks%liveEvery != 0 {
		return
	}
	alive := s.alive()
	switch {
	case s.owners == nil && s.due(alive):
		s.began = alive
		h.beginWalk()
	case s.owners == nil:
		return
	case h.reloaded():
		h.beginWalk()
	}
	n := valuesPerTick
	if alive > s.began+s.least/4 {
		n = math.MaxInt
	}
	if s.walk.Step(n) {
		h.opts.Limits.judge(s)
		s.owners = nil
	}
}

// reloaded reports whether other versions of scripts are live than those of the
// walk.
func (h *Host) reloaded() bool {
	for _, o := range h.scales.owners {
		if m := h.live[o.name]; m == nil || m.env != o.env {
			return true
		}
	}
	return len(h.scales.owners) != len(h.live)
}

// beginWalk begins with the scripts that others require, so that what they hold
// is theirs.
func (h *Host) beginWalk() {
	s := &h.scales
	s.owners = make([]owner, 0, len(h.live))
	var values []held.Owner
	known := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		m := h.live[name]
		if m == nil || known[name] {
			return
		}
		known[name] = true
		for _, required := range m.requires {
			add(required)
		}
		s.owners = append(s.owners, owner{name, m.env})
		values = append(values, held.Owner{Env: m.env, Values: append(h.module.Held(m.script), m.exports)})
	}
	for _, name := range h.Modules() {
		add(name)
	}
	s.walk.Begin(values)
}

// judge says which scripts hold too much.
func (l *Limits) judge(s *scales) {
	before := s.excesses
	s.excesses = map[string]excess{}
	most, total := 0, int64(0)
	bytes := s.walk.Bytes()
	for i, n := range bytes {
		total += n
		if n > bytes[most] {
			most = i
		}
		if l.Held > 0 && n > l.Held {
			s.exceeds(before, i, n, fmt.Sprintf("%s of %s bytes (Limits.Held)", bindings.Grouped(n), bindings.Grouped(l.Held)))
		}
	}
	if l.HeldTotal > 0 && total > l.HeldTotal && len(s.excesses) == 0 {
		s.exceeds(before, most, total, fmt.Sprintf("most of what all scripts hold, %s of %s bytes (Limits.HeldTotal)",
			bindings.Grouped(total), bindings.Grouped(l.HeldTotal)))
	}
}

// exceeds notes that the i-th script holds too much.
func (s *scales) exceeds(before map[string]excess, i int, bytes int64, what string) {
	o := s.owners[i]
	x, known := before[o.name]
	switch {
	case !known || x.env != o.env:
		x = excess{env: o.env, bytes: bytes}
	case bytes > x.bytes+int64(s.least/64):
		x.bytes, x.reach = bytes, min(x.reach+1, everyone)
	}
	x.what = what
	s.excesses[o.name] = x
}

// enforce has the calls of scripts fail that hold too much. A version that has
// come since is not meant.
func (h *Host) enforce() {
	if len(h.scales.excesses) == 0 {
		return
	}
	refused := map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(h.scales.excesses)) {
		x := h.scales.excesses[name]
		if m := h.live[name]; m == nil || m.env != x.env {
			delete(h.scales.excesses, name)
			continue
		}
		for _, other := range h.Modules() {
			if other != name && (x.reach == everyone || x.reach == dependents && h.leadsTo(other, name)) && refused[other] == nil {
				refused[other] = fmt.Errorf("the variables of %s hold too much, and scripts that still run add to it: %s", name, x.what)
			}
		}
		refused[name] = fmt.Errorf("the variables of this script hold too much: %s", x.what)
	}
	h.guard.refused = refused
}

// leadsTo reports whether a script requires another, directly or not.
func (h *Host) leadsTo(from, to string) bool {
	m := h.live[from]
	return m != nil && slices.ContainsFunc(m.requires, func(name string) bool { return name == to || h.leadsTo(name, to) })
}
