package snapshot_test

import (
	"flag"
	"testing"

	"github.com/perigee-ecs/perigee/internal/planted"
)

var plantFaults = flag.Bool("faults", false, "build package ecs with one fault after the other and demand that the tests of snapshots find it")

// forgets is a mistake of package ecs: a state that a snapshot leaves out.
func forgets(what, file, old, new string) planted.Fault {
	return planted.Fault{Says: "forgets " + what, File: "ecs/" + file, Old: old, New: new}
}

// faults leave out each state that is copied, or rebuilt, in turn.
var faults = []planted.Fault{
	forgets("the fixed time that is owed", "snapshot.go", "w.clock.tick, w.clock.time, w.clock.owed = c.tick, c.time, c.owed", "w.clock.tick, w.clock.time = c.tick, c.time"),
	forgets("the time", "snapshot.go", "w.clock.tick, w.clock.time, w.clock.owed = c.tick, c.time, c.owed", "w.clock.tick, w.clock.owed = c.tick, c.owed"),
	forgets("the tick", "snapshot.go", "w.clock.tick, w.clock.time, w.clock.owed = c.tick, c.time, c.owed", "w.clock.time, w.clock.owed = c.time, c.owed"),
	forgets("the moves", "snapshot.go", "w.clock.before, w.clock.moves, w.moves = c.before, c.moves, c.allMoves", "w.clock.before, w.clock.moves = c.before, c.moves"),
	forgets("how often functions have run", "snapshot.go", "\t\tw.clock.runs[name] = n\n", "\t\t_, _ = name, n\n"),
	forgets("the world's random numbers", "snapshot.go", "w.options.Seed, w.random = im.seed, im.random", "w.options.Seed = im.seed"),
	forgets("the seed", "snapshot.go", "w.options.Seed, w.random = im.seed, im.random", "w.random = im.random"),
	forgets("who dies later", "snapshot.go", "w.deferred.add(e)", "_ = e"),
	forgets("who was to die later since", "snapshot.go", "\tw.deferred.list = w.deferred.list[:0]\n\tclear(w.deferred.known)\n", ""),
	forgets("resources", "snapshot.go", "now.Elem().Set(r.staged.Elem())", "_ = now"),
	forgets("to clone resources at the capture", "snapshot.go", "copyPlanned(r.saved, from, plan)", "copyPlanned(r.saved, from, capture.Cloning{})"),
	forgets("to clone resources at the restore", "snapshot.go", "copyPlanned(r.staged, r.saved, r.plan)", "copyPlanned(r.staged, r.saved, capture.Cloning{})"),
	forgets("to clone values at the capture", "snapshot.go", "typed.copyValues(h.staged, plan.Clone)", "typed.copyValues(h.staged, nil)"),
	forgets("to clone values at the restore", "snapshot.go", "typed.stageValues(h.values, h.plan.Clone)", "typed.stageValues(h.values, nil)"),
	forgets("values on the heap", "pool_heap.go", "p.handles, p.data = v.handles, v.data", "_ = v"),
	forgets("the index of values on the heap", "pool_heap.go", "\t\tp.index.Remove(e.Index())\n\t}\n\tp.handles, p.data = nil, nil", "\t\t_ = e\n\t}\n\tp.handles, p.data = nil, nil"),
	forgets("values in a storage", "pool_custom.go", "p.storage.Put(e, v.data[i])", "_ = i; p.storage.Put(e, *new(T))"),
	forgets("what was put into a storage since", "pool_custom.go", "\tfor _, e := range handles {\n\t\tp.storage.Remove(e)\n\t}\n", "\t_ = handles\n"),
	forgets("how many links there are", "snapshot.go", "r.count, r.options.OnDespawn = im.relations[i].count, im.relations[i].policy", "r.options.OnDespawn = im.relations[i].policy"),
	forgets("policies", "snapshot.go", "r.count, r.options.OnDespawn = im.relations[i].count, im.relations[i].policy", "r.count = im.relations[i].count"),
	forgets("records", "snapshot.go", "w.slots.SetPage(page, int(im.slots.Used), k.Bytes)", "_ = k"),
	forgets("that records were written", "internal/slots/slots.go", "r.Table, r.Chunk, r.Row = table, chunk, row\n\ts.touch(uint32(handle & indexMask))", "r.Table, r.Chunk, r.Row = table, chunk, row"),
	forgets("that slots were freed", "internal/slots/slots.go", "\ts.deaths[index] = s.Now\n\ts.touch(index)\n", "\ts.deaths[index] = s.Now\n"),
	forgets("slots of the future", "internal/slots/census.go", "clear(s.records[st.Used:s.used])", "_ = s.records[st.Used:s.used]"),
	forgets("that slots of the future were cleared", "internal/slots/census.go", "s.touchFresh(st.Used)", "_ = st.Used"),
	forgets("the free slots", "internal/slots/census.go", "s.used, s.head, s.tail = st.Used, st.Head, st.Tail", "s.used = st.Used"),
	forgets("how many slots are free", "internal/slots/census.go", "s.live, s.free, s.retired = st.Live, st.Free, st.Retired", "s.live, s.retired = st.Live, st.Retired"),
	forgets("when entities have died", "internal/slots/census.go", "copy(s.deathsOf(page, n), dates)\n\tfor", "_ = dates\n\tfor"),
	forgets("which units are free", "snapshot.go", "w.arena.Restore(&im.arena)", "_ = &im.arena"),
	forgets("columns", "snapshot.go", "copy(columnBytes(a, c, i), columns[i].block.Bytes)", "_ = columnBytes(a, c, i)"),
	forgets("that a column was written since", "snapshot.go", "(same == nil || columns[i].version != c.versions[i])", "same == nil"),
	forgets("that a column was written since the image before", "snapshot.go", "was != nil && was[i].version == version", "was != nil"),
	forgets("that rows have moved since", "snapshot.go", "|| im.columns[k.first].version != c.versions[0] {", "{"),
	forgets("that a chunk was given back", "snapshot.go", "k.serial != c.serial || k.n != c.n || ", ""), // either of the two tells it
	forgets("to give columns new versions", "snapshot.go", "c.versions[i] = dates.of(columns[i].version)", "c.versions[i] = columns[i].version"),
	forgets("in which order columns were written", "detection.go", "return d.base + uint64(earlier)", "return d.base + uint64(earlier)*0"),
	forgets("to date values on the heap", "snapshot.go", "*p.dated(0) = date", "_ = date"),
	forgets("what queries have seen", "detection.go", "q.since = dates.look(k.since)", "_ = dates.look(k.since)"),
	forgets("what queries with Added have to yield", "detection.go", "q.added.restore(k)", "q.added.restore(nil)"),
	forgets("what queries with Added would have yielded", "detection.go", "\ta.entries = a.entries[:0]\n\tif k == nil", "\tif k == nil"),
	forgets("places in pools", "snapshot.go", "copy(p.store.unitBytes(k.unit), k.block.Bytes)", "_ = k"),
	forgets("that places in pools were written", "pool.go", "\tp.stamps[e.Index()/perPage] = p.store.slots.Stamp\n", ""),
	forgets("the rows of groups", "snapshot.go", "g.n = im.components[c.id].inAll", "g.n = 0"),
	forgets("events that wait", "event.go", "t.data.fill(k.data)", "t.data.fill(nil)"),
	forgets("when ticks have ended, for events", "event.go", "t.ends = append(t.ends[:0], k.ends...)", "t.ends = t.ends[:0]"),
	forgets("the numbers of events", "event.go", "t.first, t.sent = k.first, k.sent", "t.sent = k.sent"),
	forgets("how long events wait", "event.go", "t.keep = k.keep\n", "_ = k.keep\n"),
	forgets("how far readers have come", "event.go", "r.next, r.lost, r.behind = was.next, was.lost, was.behind", "r.lost, r.behind = was.lost, was.behind"),
	forgets("readers that were opened later", "event.go", "\t\t\tr.next, r.behind = t.next(), false\n\t\t\tcontinue", "\t\t\tcontinue"),
	forgets("events of later types", "event.go", "\t\t\tt.discard(t.next())\n\t\t\tt.sent, t.ends = t.first, nil\n\t\t}", "\t\t}"),
	forgets("the health of subscribers", "event.go", "restoreBreaker(k.subscribers, s.name, &s.health, now)", "_, _ = s, now"),
	forgets("the health of observers", "observer.go", "restoreBreaker(im.watchers, o.Name, &o.health, w.clock.time)", "_ = o"),
	forgets("the health of systems", "schedule.go", "was.restore(&o.health)", "_ = was"),
	forgets("who is blocked", "schedule.go", "of this tick\n\t}\n\ts.requirements.block()", "of this tick\n\t}"),
	forgets("the time since systems ran", "schedule.go", "= was.elapsed, was.phase, was.runs, was.skipped, was.disabled", "= o.elapsed, was.phase, was.runs, was.skipped, was.disabled"),
	forgets("where in their intervals systems are", "schedule.go", "= was.elapsed, was.phase, was.runs, was.skipped, was.disabled", "= was.elapsed, o.phase, was.runs, was.skipped, was.disabled"),
	forgets("how often systems have run", "schedule.go", "= was.elapsed, was.phase, was.runs, was.skipped, was.disabled", "= was.elapsed, was.phase, o.runs, was.skipped, was.disabled"),
	forgets("which systems are disabled", "schedule.go", "= was.elapsed, was.phase, was.runs, was.skipped, was.disabled", "= was.elapsed, was.phase, was.runs, was.skipped, o.Disabled"),
	forgets("systems that were added later", "schedule.go", "o.health = health{own: o.health.own, total: o.health.total, since: w.clock.time}\n\t\t\tcontinue", "continue"),
	forgets("notices that wait", "observer.go", "n.queue, n.data = append(n.queue, k.queue...), append(n.data[:0], k.data...)", "k.staged = nil"),
	forgets("values of notices", "observer.go", "n.queue, n.data = append(n.queue, k.queue...), append(n.data[:0], k.data...)", "n.queue, n.data = append(n.queue, k.queue...), make([]uint64, len(k.data))"),
	forgets("to clone values of notices", "observer.go", "kept, err = cloneKept(kept, k.plans[i]); err", "_, err = cloneKept(kept, k.plans[i]); err"),
	forgets("which observers a notice is for", "observer.go", "matched := n.named[name]", "matched, _ := (*watcher)(nil), name"),
	forgets("sets of components that came later", "snapshot.go", "if limbo+1+archetypes < len(w.archetypes) || limbo+1+tables < len(w.tables) {", "if false {"),
	forgets("that queries remember sets that have gone", "snapshot.go", "\ts.shapeEra++\n", ""),
	forgets("that commands were recorded before", "snapshot.go", "\tw.restores++\n", ""),
	forgets("that trackers remember sets that have gone", "snapshot.go", "t.matched, t.seen = nil, 0 // archetypes may have gone", "_ = t"),
	forgets("the tick of deaths", "snapshot.go", "w.slots.Now = uint32(min(im.clock.tick, math.MaxUint32))", "_ = math.MaxUint32"),
}

// TestFaultsCanBePlanted: the file of each fault exists and has the piece that is replaced.
func TestFaultsCanBePlanted(t *testing.T) { planted.Stand(t, faults) }

// TestTheTestsFindFaults builds package ecs with each of the faults in turn: a test of this package
// must fail.
//
//	go test -count=1 ./ecs/snapshot -run FindFaults -faults -timeout 0 -v
func TestTheTestsFindFaults(t *testing.T) {
	if !*plantFaults {
		t.Skip("runs with -faults only: it builds the core once for each fault")
	}
	planted.Find(t, faults, "-skip", "Faults", ".")
}
