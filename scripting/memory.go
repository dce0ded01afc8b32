package scripting

import (
	"cmp"
	"maps"
	"math"
	"runtime/metrics"
	"slices"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/scripting/internal/heapsize"
)

// heldWatch finds scripts that hold more than Limits.Held.
//
// Why not at each allocation? The VM does not say when it makes a table, nor when the last
// variable lets go of one. Only a walk over everything that variables lead to can count what
// a script holds, and it takes 0.1 µs for each value. So the walk begins when the live heap
// of the whole program, by the runtime's own count, is more than half of the limit: below
// that, no script can be above it. The walk takes one step in each tick. If the heap grows
// fast, it is finished at once.
//
// The runtime counts what is alive when it collects, which may be seldom: a host sets it so that
// scripts' garbage costs little. So a walk also begins when scripts have made half of the limit since
// the last one began, kept or not, and then its steps are longer, the more they make.
//
// Invariant: owners are the scripts of the walk that is under way, and nil if there is no
// walk; excesses are those that the last finished walk has found.
type heldWatch struct {
	least    uint64 // the lower one of both limits, in bytes; 0: there is no limit
	walk     heapsize.Walk
	owners   []owner
	began    uint64 // the live heap when the last walk began, or less if it has shrunk since
	walked   int64  // what scripts had made when the last walk began
	made     int64  // what they had made in the last tick
	ticks    int
	excesses map[string]excess // by script
	sample   []metrics.Sample
}

// owner is a version of a script. Each version has an environment of its own.
type owner struct {
	name string
	env  *lua.LTable
}

// excess says by how much a script is above a limit, and whose calls fail because of it.
type excess struct {
	env   *lua.LTable
	what  string // for messages
	limit string // of scripting.Limits
	bytes int64  // when reach was last widened
	reach reach
}

// fault returns an error about the excess, which names its limit.
func (x *excess) fault(format string, v ...any) *Error {
	e := diag.New(format, v...)
	e.Limit = x.limit
	return e
}

// reach says whose calls fail because of an excess. It is widened if the script holds more
// and more although none of these has run: then another script fills its tables.
type reach uint8

const (
	itself     reach = iota
	dependents       // the script, and those that require it, directly or not
	everyone
)

const (
	// valuesPerTick is about 0.1 ms.
	valuesPerTick = 1000
	// madePerValue is how many bytes scripts make for each value more: to make them takes longer than
	// to look at the value. Where a walk does not come to its end, it is madeSoon.
	madePerValue, madeSoon = 256, 32
	// liveEvery is how many ticks pass between two looks at the heap.
	liveEvery = 8
)

// newHeldWatch makes a watch for the lower one of the two limits.
func newHeldWatch(limits *Limits) heldWatch {
	s := heldWatch{sample: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	s.walk = newWalk()
	s.setLimits(limits)
	return s
}

// setLimits takes over other limits.
func (s *heldWatch) setLimits(limits *Limits) {
	s.least = 0
	for _, limit := range []int64{limits.Held, limits.HeldTotal} {
		if limit > 0 && (s.least == 0 || uint64(limit) < s.least) {
			s.least = uint64(limit)
		}
	}
}

// alive returns the bytes that were alive after the last collection.
func (s *heldWatch) alive() uint64 {
	metrics.Read(s.sample)
	return s.sample[0].Value.Uint64()
}

// due reports whether a walk is to begin.
func (s *heldWatch) due(alive uint64) bool {
	s.began = min(s.began, alive)
	return alive >= s.least/2 && (alive >= s.began+s.least/8 || len(s.excesses) > 0)
}

// count counts at once what scripts hold, even in the middle of a call, and makes the
// calls of scripts fail that hold too much. The error is for the call that is running;
// during a load, it is about the files that are being loaded.
func (vm *interpreter) count() error {
	s := &vm.heldWatch
	before := s.excesses
	owners, total := vm.countAll()
	if vm.limiter.looks > 0 { // within a call
		vm.leaveToMade(owners, total, before)
	}
	if vm.loader != nil {
		err := vm.loader.tooMuch(s, owners, total-vm.slack())
		s.excesses = before // a file that is refused is no reason to stop those that are live
		return err
	}
	vm.enforce()
	if err := vm.limiter.refused[vm.limiter.script]; err != nil {
		return err
	}
	return vm.limits.overflow(s, total)
}

// leaveToMade takes the excess of the call that runs back, as long as it is small. When count
// comes depends on the heap of the program; countMade finds it at the same instruction in each
// run.
func (vm *interpreter) leaveToMade(owners []owner, total int64, before map[string]excess) {
	s, limits := &vm.heldWatch, vm.limits
	for i, o := range owners {
		switch {
		case vm.loader == nil && o.name != vm.limiter.script:
		case limits.Held > 0 && s.walk.Bytes()[i] > limits.Held+limits.Held/4:
		case limits.HeldTotal > 0 && total > limits.HeldTotal+limits.HeldTotal/4:
		default:
			delete(s.excesses, o.name)
			if x, known := before[o.name]; known && x.env == o.env {
				s.excesses[o.name] = x
			}
		}
	}
}

// slack is how much more all scripts may hold until a load that is under way is refused for it,
// before countMade has come to that.
func (vm *interpreter) slack() int64 {
	if vm.limiter.looks > 0 {
		return max(vm.limits.HeldTotal, 0) / 4
	}
	return 0
}

// countAll walks over all that scripts hold, and judges it.
func (vm *interpreter) countAll() (owners []owner, total int64) {
	s := &vm.heldWatch
	vm.beginWalk()
	for !s.walk.Step(math.MaxInt) {
	}
	total = vm.limits.judge(s)
	owners, s.owners = s.owners, nil
	s.began = s.alive()
	vm.limiter.gauge.counted(total, len(owners), vm.limiter.soFar().bytes)
	return owners, total
}

// countMade counts what scripts hold when the call that runs has made so many bytes: half of what
// they may hold, and each eighth of it after that. So a call that holds too much is ended at the
// same instruction in each run. It returns at how many bytes it is to be called next. What it
// finds is a fault of the call alone: what stays of it when that has ended, is found between ticks.
//
// Why is this not all there is? The machine counts tables, functions, coroutines and long texts.
// It counts neither short texts nor what a script holds of the host's, so a call may hold more
// than it has made.
func (vm *interpreter) countMade(made int64) (next int64, err error) {
	s := &vm.heldWatch
	before := s.excesses
	owners, total := vm.countAll()
	if vm.loader != nil {
		err = vm.loader.tooMuch(s, owners, total)
	} else if x, over := s.excesses[vm.limiter.script]; over {
		err = x.fault("the variables of this script hold too much: %s", x.what)
	}
	s.excesses = before
	part := max(vm.limits.mostHeld()/8, 1)
	return (made/part + 1) * part, err
}

// mostHeld is the lower one of Held and HeldTotal, 0 without both.
func (l *Limits) mostHeld() int64 {
	if l.Held > 0 && (l.HeldTotal <= 0 || l.Held < l.HeldTotal) {
		return l.Held
	}
	return max(l.HeldTotal, 0)
}

// tooMuch is the error of a load: one of its files holds too much, or all scripts together
// with them do.
func (l *loader) tooMuch(s *heldWatch, owners []owner, total int64) error {
	for _, o := range owners {
		x, over := s.excesses[o.name]
		if over && x.env == o.env && slices.ContainsFunc(l.begun, func(m *module) bool { return m.env == o.env }) {
			return x.fault("the variables of %s hold too much: %s", o.name, x.what)
		}
	}
	if limit := l.vm.limits.HeldTotal; limit > 0 && total > limit {
		return diag.Reached("HeldTotal", "with this file all scripts hold too much: %s of %s bytes", diag.Grouped(total), diag.Grouped(limit))
	}
	return nil
}

// overflow is the error of a call that makes the heap grow while all scripts together hold
// much more than they may. It cannot wait until the scripts that hold the most are
// stopped.
func (l *Limits) overflow(s *heldWatch, total int64) error {
	if l.HeldTotal <= 0 || total <= l.HeldTotal+l.HeldTotal/4 {
		return nil
	}
	most, bytes := "", int64(0)
	for name, x := range s.excesses {
		if x.bytes > bytes || x.bytes == bytes && name < most {
			most, bytes = name, x.bytes
		}
	}
	return diag.Reached("HeldTotal", "no memory is left: all scripts hold %s of %s bytes, most of it %s",
		diag.Grouped(total), diag.Grouped(l.HeldTotal), most)
}

// weigh does the step of the walk that belongs to a tick.
func (h *Host) weigh() {
	s, made := &h.heldWatch, h.limiter.made
	grown := made - s.made
	s.made = made
	if s.ticks++; s.least == 0 || s.owners == nil && s.ticks%liveEvery != 0 {
		return
	}
	alive := s.alive()
	switch {
	case s.owners == nil && (s.due(alive) || uint64(made-s.walked) >= s.least/2):
		s.began, s.walked = alive, made
		h.beginWalk()
	case s.owners == nil:
		return
	case h.reloaded():
		h.beginWalk()
	}
	n := valuesPerTick + int(grown/madePerValue)
	if uint64(made-s.walked) > s.least/4 {
		n += int(grown / madeSoon)
	}
	if alive > s.began+s.least/4 {
		n = math.MaxInt
	}
	if s.walk.Step(n) {
		h.limiter.gauge.counted(h.opts.Limits.judge(s), len(s.owners), made)
		s.owners = nil
	}
}

// reloaded reports whether scripts have been reloaded since the walk began.
func (vm *interpreter) reloaded() bool {
	for _, o := range vm.heldWatch.owners {
		if vm.envOf(o.name) != o.env {
			return true
		}
	}
	all := len(vm.live)
	if vm.console.holds() {
		all++
	}
	return len(vm.heldWatch.owners) != all
}

// envOf returns the globals of a script by its name, or those of the console; nil for none.
func (vm *interpreter) envOf(name string) *lua.LTable {
	if m := vm.live[name]; m != nil {
		return m.env
	}
	if name == consoleName && vm.console.holds() {
		return vm.console.env
	}
	return nil
}

// beginWalk begins a walk. Scripts that others require come first, so that values which
// both can reach belong to the script that is required.
func (vm *interpreter) beginWalk() {
	owners, values := vm.owners()
	vm.heldWatch.owners = owners
	vm.heldWatch.walk.Begin(values)
}

// owners lists who holds what: the scripts, and for each what a walk over its values begins with.
func (vm *interpreter) owners() (owners []owner, values []heapsize.Owner) {
	owners = make([]owner, 0, len(vm.live))
	known := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		m := vm.live[name]
		if m == nil || known[name] {
			return
		}
		known[name] = true
		for _, required := range m.requires {
			add(required)
		}
		owners = append(owners, owner{name, m.env})
		values = append(values, vm.holder(m))
	}
	for _, name := range slices.Sorted(maps.Keys(vm.live)) {
		add(name)
	}
	if c := vm.console; c.holds() {
		owners = append(owners, owner{consoleName, c.env})
		values = append(values, c.holder())
	}
	if vm.loader != nil {
		for _, m := range vm.loader.begun {
			if m.env != nil {
				owners = append(owners, owner{m.name, m.env})
				values = append(values, vm.holder(m))
			}
		}
	}
	return owners, values
}

// holder lists the values from which the walk of a script starts. The stack belongs to the
// script that is running.
func (vm *interpreter) holder(m *module) heapsize.Owner {
	o := heapsize.Owner{Env: m.env}
	vm.binding.Roots(m.script, func(name string, v lua.LValue) {
		o.Sources = append(o.Sources, heapsize.Root{Name: name, Value: v})
	})
	o.Sources = append(o.Sources, heapsize.Root{Name: "what it returns", Value: m.exports})
	if waiting, ok := vm.untaken[m.name]; ok {
		o.Sources = append(o.Sources, heapsize.Root{Name: "what waits for its next on_reload", Value: waiting.Value})
	}
	if waiting, ok := vm.unloaded[m.name]; ok {
		o.Sources = append(o.Sources, heapsize.Root{Name: "what waits for its on_load", Value: waiting})
	}
	if vm.limiter.inCall && (vm.limiter.script == m.name || vm.limiter.script == "") {
		o.Sources = append(o.Sources, heapsize.Root{Name: "the locals of the call that is running", Value: vm.binding.Thread()})
	}
	return o
}

// judge finds the scripts that hold too much, and returns what all scripts hold. If all
// together hold too much, it stops the scripts that hold the most, until the others are
// well within HeldTotal.
func (l *Limits) judge(s *heldWatch) (total int64) {
	before := s.excesses
	s.excesses = map[string]excess{}
	bytes := s.walk.Bytes()
	order := make([]int, len(bytes))
	for i, n := range bytes {
		order[i] = i
		total += n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(bytes[b], bytes[a]) })
	rest := total // of those that go on
	for _, i := range order {
		n := bytes[i]
		switch {
		case l.Held > 0 && n > l.Held:
			s.exceeds(before, i, n, diag.Reached("Held", "%s of %s bytes", diag.Grouped(n), diag.Grouped(l.Held)))
		case l.HeldTotal > 0 && total > l.HeldTotal && (rest == total || rest > 2*l.HeldTotal-total && n > l.HeldTotal/int64(4*len(bytes)+4)):
			s.exceeds(before, i, n, diag.Reached("HeldTotal", "%s of what all scripts hold, %s of %s bytes",
				part(rest == total), diag.Grouped(total), diag.Grouped(l.HeldTotal)))
		default:
			continue
		}
		rest -= n
	}
	return total
}

// part says how much of everything a script holds, for a message.
func part(first bool) string {
	if first {
		return "most"
	}
	return "much"
}

// exceeds notes that the i-th script of the walk holds too much.
func (s *heldWatch) exceeds(before map[string]excess, i int, bytes int64, why *Error) {
	o := s.owners[i]
	x, known := before[o.name]
	switch {
	case !known || x.env != o.env:
		x = excess{env: o.env, bytes: bytes}
	case bytes > x.bytes+int64(s.least/64):
		x.bytes, x.reach = bytes, min(x.reach+1, everyone)
	}
	x.what, x.limit = why.Message, why.Limit
	if most := s.walk.Most()[i]; most.Bytes > bytes/8 {
		x.what += ", most of it in " + cmp.Or(most.Name, "its globals")
	}
	s.excesses[o.name] = x
}

// enforce makes the calls of scripts fail that hold too much, unless a newer version has
// come since.
func (vm *interpreter) enforce() {
	if vm.limiter.refused = nil; len(vm.heldWatch.excesses) == 0 {
		return
	}
	refused := map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(vm.heldWatch.excesses)) {
		x := vm.heldWatch.excesses[name]
		if vm.envOf(name) != x.env || name == consoleName && vm.console.overflows(&x) {
			delete(vm.heldWatch.excesses, name)
			continue
		}
		set := vm.newLoader(map[string]*source{name: {removed: true}})
		if x.reach == dependents {
			set.addDependents(vm.sources())
		}
		for _, other := range slices.Sorted(maps.Keys(vm.live)) {
			if other != name && (x.reach == everyone || set.changes(other)) && refused[other] == nil {
				refused[other] = x.fault("the variables of %s hold too much, and scripts that still run add to it: %s", name, x.what)
			}
		}
		refused[name] = x.fault("the variables of this script hold too much: %s", x.what)
	}
	vm.limiter.refused = refused
}

// heapGauge decides from the runtime's own numbers when what scripts hold is to be counted
// within a tick. To read the numbers takes half a microsecond; a count takes a tenth of one
// for each value.
//
// The gauge compares the live heap after each collection of Go with that at the last count.
// If a tick has allocated so much that it would be too late to wait for the next collection,
// scripts are counted without one: a collection would hold up the whole program, every room of it.
//
// The numbers are about the whole program. So what its Go code and other hosts allocate leads to no
// count, unless the scripts of this host have made a part of it themselves.
type heapGauge struct {
	sample []metrics.Sample
	room   uint64 // what all scripts may hold; 0: there is no limit
	held   uint64 // what they held at the last count
	alive  uint64 // the live heap at the last count
	seen   uint64 // the live heap after the last collection that the gauge has seen
	heap   uint64 // the whole heap at that time, garbage included
	made   int64  // what scripts had made at the last count
	tick   uint64 // the heap at the first look in this tick
	ticked bool   // there was a look in this tick
	share  int64  // what a call may add while all scripts hold too much; 0: they do not
}

// newHeapGauge makes a gauge that takes what is alive now as the beginning.
func newHeapGauge(limits *Limits) heapGauge {
	g := heapGauge{sample: []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"},
	}}
	g.setLimits(limits)
	return g
}

// setLimits takes over other limits.
func (g *heapGauge) setLimits(limits *Limits) {
	g.room, g.share = 0, 0
	for _, limit := range []int64{limits.HeldTotal, limits.Held} {
		if limit > 0 && g.room == 0 {
			g.room = uint64(limit)
		}
	}
	if g.room > 0 {
		heap, alive, _ := g.read()
		g.heap, g.alive, g.seen = heap, alive, alive
	}
}

// read returns the bytes of the heap, garbage included; of what was alive after the
// last collection; and of the heap at which the next one begins.
func (g *heapGauge) read() (heap, alive, goal uint64) {
	metrics.Read(g.sample)
	return g.sample[0].Value.Uint64(), g.sample[1].Value.Uint64(), g.sample[2].Value.Uint64()
}

// step is by how much the heap may grow before scripts are counted again: by what is
// left of the room, within reason.
func (g *heapGauge) step() uint64 {
	left := uint64(0)
	if g.held < g.room {
		left = g.room - g.held
	}
	return max(g.room/8, min(left/2, g.held/2))
}

// ownPart is which part of a growth scripts must have made themselves, at the least. The machine
// counts no short texts: what scripts hold can be six times what it has counted, not more.
const ownPart = 8

// due reports whether scripts are to be counted now, which have made so many bytes so far.
func (g *heapGauge) due(made int64) bool {
	if g.room == 0 || g.share == 0 && uint64(made-g.made) < g.step()/ownPart {
		return false
	}
	heap, alive, goal := g.read()
	first := !g.ticked
	if first {
		g.tick, g.ticked = heap, true
	}
	if g.share > 0 && !first {
		return false // calls have their share, and no more
	}
	if alive != g.seen { // there was a collection
		g.seen, g.heap = alive, heap
		if g.share > 0 && alive+g.room/16 < g.alive {
			return true // somebody has let go of something
		}
		g.alive = min(g.alive, alive)
		return alive >= g.alive+g.step()
	}
	step := g.step()
	if g.share > 0 {
		step = g.room / 4 // and no collection more often than a common one
	}
	if heap < g.heap+step || heap < g.tick+2*step && heap < max(goal, g.alive+g.room) {
		return false
	}
	return true
}

// counted notes what a count has found, of so many scripts, which have made so many bytes so far.
func (g *heapGauge) counted(held int64, scripts int, made int64) {
	g.made = made
	if g.share = 0; g.room > 0 && uint64(held) > g.most() {
		g.share = max(int64(g.room)/int64(4*scripts+4), leastShare)
	}
	heap, alive, _ := g.read()
	g.held, g.alive, g.seen, g.heap = uint64(held), alive, alive, heap
}

// most is how much scripts may hold until calls get no more than a share.
func (g *heapGauge) most() uint64 { return g.room + g.room/4 }

// leastShare is what any call may add to the heap.
const leastShare = 64 << 10

// newTick begins a tick.
func (g *heapGauge) newTick() { g.ticked = false }
