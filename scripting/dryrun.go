package scripting

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/bindings/rows"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
)

// dryRun is a set of files, tried beside the game: the files, everything that
// requires them and everything that they require run in an interpreter of their own,
// where they can neither see nor change what is live.
//
// Why does the set run again when it is taken over, instead of being adopted as it is? The
// dry run has copies of the modules that stay. Their locals, and the tables that other
// modules hold of them, would exist twice. Only top levels run again in the step, and they
// mostly declare: some hundredths of a millisecond for a file. Everything that takes long or
// fails has happened by then: an endless loop, a fault in the last line, the compilation of
// kernels. Only those for which modules that stay have other values by now are made anew: two small ones in the
// step, the others beside the ticks after it.
//
// Why may a dry run be unsure? A script may ask for something that only the running game has:
// the result of a host function, what is in a state table. Then the dry run cannot refuse
// the set, and the step decides. Its top levels have little there, so that an endless loop in one of them
// does not hold the game: see limiter.allowUntried.
//
// A nil dryRun stands for a set that was not tried.
type dryRun struct {
	vm           *interpreter
	loader       *loader
	scripts      []*bindings.Declarations // of the files and their dependents
	problems     []*Error                 // of these: reasons to refuse the set
	unsure       bool                     // it has asked for something that only the running game has
	changes      bool                     // a top level may have changed a module that stays
	changed      map[string]bool          // files whose text is new
	inconclusive bool                     // something may not have been compiled, because the values of state tables were missing
	kernels      []*kernel.Prepared       // kernels that the step finds compiled
	notes        []*Error                 // what may not be meant in the files that have changed
	took         time.Duration
}

// refuses reports whether the set must not be run in the game.
func (r *dryRun) refuses() bool { return r != nil && !r.unsure && len(r.problems) > 0 }

// touches reports whether a run of the set is known to change modules that stay, or nobody knows.
func (r *dryRun) touches() bool { return r == nil || r.unsure || r.changes }

// dataFiles returns the data files that the dry run has read because nobody had asked for them
// before.
func (r *dryRun) dataFiles() map[string]*source {
	if r == nil {
		return nil
	}
	return r.loader.data.read
}

// duration is how long the dry run took.
func (r *dryRun) duration() time.Duration {
	if r == nil {
		return 0
	}
	return r.took
}

// release ends the dry run, once its set was taken over, refused or replaced.
func (r *dryRun) release() {
	if r == nil {
		return
	}
	for _, k := range r.kernels {
		_ = k.Close() // memory that the engine cannot give back is lost, whatever is done about it
	}
	r.vm.binding.Abandon()
	r.vm.state.Close()
}

// dryRun tries a set of texts. Where the set changes the fields of components that
// other scripts use, these are tried as well, as a load does; see interpreter.load.
func (h *Host) dryRun(ctx context.Context, o *published, texts map[string]*source) *dryRun {
	began := time.Now()
	var first []string
	for {
		r := h.dryRunSet(ctx, o, texts, first)
		affected, changing := r.vm.binding.Affected(r.borrowed())
		if len(affected) == 0 || r.unsure || ctx != nil && ctx.Err() != nil {
			r.took = time.Since(began)
			return r
		}
		r.release()
		texts, first = maps.Clone(texts), changing
		for _, name := range affected {
			if s := o.live[name]; s != nil && texts[name] == nil {
				texts[name] = s
			}
		}
	}
}

// dryRunSet tries a set of texts once, against what was published of the game: the
// declarations of the scripts that stay, the values that the host exposes, the engine of
// the kernels.
func (h *Host) dryRunSet(ctx context.Context, o *published, texts map[string]*source, first []string) *dryRun {
	vm := newInterpreter(h.limits)
	vm.dataFiles, vm.dataFolder = o.data, o.folder
	vm.onCapture, vm.compiling, vm.translations = h.onCapture, compileBudget(), o.translations
	vm.tried = kernel.NewTried(o.translations, mostTried) // for the step that takes the set over
	vm.limiter.ctx, vm.limiter.dry = ctx, true
	r := &dryRun{vm: vm, loader: vm.newLoader(texts), changed: map[string]bool{}}
	for name, s := range texts {
		r.changed[name] = o.live[name] != s
	}
	options := vm.options()
	options.Asset = o.lookForAsset
	options.Unsure = func() { r.unsure = true }
	if !h.opts.NoKernels {
		options.Compile = func(s bindings.KernelSource) (bindings.Compilation, *diag.Error) {
			return r.prepare(&s, func() *kernel.Engine { return h.kernels.try(o.program, o.memory) })
		}
	}
	vm.furnish(bindings.NewRehearsal(o.catalog, vm.state, options), func() float64 { return 0 })
	vm.memory = func() kernel.Memory { return kernel.Memory{MemoryMap: o.memory.at} }
	for name, v := range o.exposed {
		vm.exposed[name] = r.hostStub(v)
	}
	r.run(o, first)
	return r
}

// run runs what stays, as far as the set requires it, and then the set. The holdings
// between the two tells afterwards whether the set has changed what stays.
func (r *dryRun) run(o *published, first []string) {
	l := r.loader
	l.addDependents(o.live)
	set := slices.Sorted(maps.Keys(l.texts))
	borrowed := l.borrow(o.live, set)
	r.vm.loader, r.vm.trial = l, l
	r.vm.binding.Begin()
	for _, name := range borrowed {
		l.ensure(nil, name)
	}
	before, known := holdingsOf(l.order), len(l.order)
	for _, name := range slices.Concat(first, set) {
		if slices.Contains(set, name) {
			l.ensure(nil, name)
		}
	}
	r.vm.loader = nil
	r.judge(set, known)
	r.note()
	if r.vm.limits.InstructionTime > 0 {
		r.ready()
	}
	r.changes = r.changes || before.changed()
}

// borrow makes all live scripts known to the loader, and returns those that a set of
// files requires, directly or not.
func (l *loader) borrow(live map[string]*source, set []string) []string {
	var needed []string
	wanted := slices.Clone(set)
	for len(wanted) > 0 {
		name := wanted[0]
		wanted = wanted[1:]
		s := live[name]
		if s == nil {
			continue
		}
		for _, file := range s.requires {
			if !l.changes(file) && live[file] != nil && !slices.Contains(needed, file) {
				needed = append(needed, file)
				wanted = append(wanted, file)
			}
		}
	}
	for name, s := range live {
		if !l.changes(name) {
			l.texts[name] = s
		}
	}
	slices.Sort(needed)
	return needed
}

// judge decides what the run means. Problems of the set are reasons to refuse it. If a
// live script has problems, too, the dry run was not like the game, and is unsure. A
// module that stays may have run for the first time in the set, because nothing had
// required it before: then it is not in the snapshot, and may have been changed.
func (r *dryRun) judge(set []string, known int) {
	for i, m := range r.loader.order {
		switch {
		case slices.Contains(set, m.name):
			r.scripts = append(r.scripts, m.script)
			r.problems = append(r.problems, m.script.Problems...)
		case len(m.script.Problems) > 0:
			r.unsure = true
		case i >= known:
			r.changes = true
		}
	}
	r.problems = withoutEchoes(r.problems)
	if !r.unsure {
		if missing := r.vm.binding.Rehearse(r.scripts); !r.inconclusive {
			r.problems = append(r.problems, missing...)
		}
	}
	if r.refuses() { // with what would be refused next, so that it needs no second save
		tried := slices.DeleteFunc(slices.Clone(r.loader.order), func(m *module) bool { return !slices.Contains(set, m.name) })
		for _, e := range r.vm.certain(r.loader, tried) {
			r.problems = add(r.problems, e)
		}
	}
	maps.DeleteFunc(r.loader.texts, func(name string, _ *source) bool { return !slices.Contains(set, name) }) // borrowed
	r.vm.complete(r.problems)
}

// ready has the programs of the set ready for the ticks, see Host.rest.
func (r *dryRun) ready() {
	for _, m := range r.loader.order {
		if m.program != nil {
			m.program.ready()
		}
	}
}

// note finds what may not be meant in the files that have changed, where no frame waits for it.
func (r *dryRun) note() {
	for _, m := range r.loader.order {
		if r.changed[m.name] && m.program != nil {
			r.notes = append(r.notes, r.vm.newGlobals(m)...)
		}
	}
}

// borrowed returns the scripts that stay.
func (r *dryRun) borrowed() []*bindings.Declarations {
	var scripts []*bindings.Declarations
	for _, m := range r.loader.order {
		if !r.loader.changes(m.name) {
			scripts = append(scripts, m.script)
		}
	}
	return scripts
}

// prepare compiles a kernel for the engine of the game, where the step finds it. The dry run itself gets a
// stub: none of its systems will ever run. What an engine would interpret is only translated.
func (r *dryRun) prepare(s *bindings.KernelSource, engine func() *kernel.Engine) (bindings.Compilation, *diag.Error) {
	r.vm.stateRead = false
	text, id, ok := r.vm.each(s.Closure)
	if !ok {
		return nil, r.vm.whyNot(s, notWritten())
	}
	l, err := r.vm.lowerFor(s, text, id)
	var k *kernel.Prepared
	if err == nil {
		e := engine()
		compiles := e != nil
		if compiles && e.Interprets() && !s.Single {
			e = nil
		}
		if k, err = l.Prepare(e); err == nil && compiles {
			r.vm.tried.Keep(l)
		}
	}
	if err != nil {
		r.inconclusive = r.inconclusive || r.vm.stateRead
		return nil, r.vm.whyNot(s, err)
	}
	r.kernels = append(r.kernels, k)
	return compilationStub{}, nil
}

// mostTried is how many bytes of keys a dry run keeps for the step that takes it over. What the compiler makes takes some
// twenty times as much. What has no room is compiled beside the ticks after that step.
const mostTried = 16 << 20

// compilationStub stands for what makes the kernel of a system in a dry run.
type compilationStub struct{ bindings.Compilation }

// Work implements bindings.Compilation: nothing is left to do.
func (compilationStub) Work() int64 { return 0 }

// Waits implements bindings.Compilation.
func (compilationStub) Waits() bool { return false }

// Kernel implements bindings.Compilation.
func (compilationStub) Kernel() (rows.Kernel, *diag.Error) { return kernelStub{}, nil }

// kernelStub stands for the kernel.
type kernelStub struct{ rows.Kernel }

// Close implements rows.Kernel.
func (kernelStub) Close() error { return nil }

// hostStub stands for a value that the host program exposes. A script may hold it. Anything
// else that a script does with it has a result only in the running game.
func (r *dryRun) hostStub(v lua.LValue) lua.LValue {
	unsure := r.vm.state.NewFunction(func(L *lua.LState) int {
		r.unsure = true
		fault.Raisef(L, "only the running game knows this")
		return 0
	})
	switch v.Type() {
	case lua.LTFunction:
		return unsure
	case lua.LTNumber, lua.LTString, lua.LTBool:
		return v
	}
	meta := r.vm.state.NewTable()
	for _, event := range []string{"__index", "__newindex", "__call", "__len", "__eq", "__tostring"} {
		meta.RawSetString(event, unsure)
	}
	meta.RawSetString("__metatable", lua.LFalse)
	return lua.NewUserData(nil, meta)
}

// holdings are what modules hold at one moment: the content of every table and the
// value of every captured local that can be reached from them. It tells whether
// something has changed since, and puts it back. O(tables + entries + captured
// locals) in time and memory.
//
// State tables are left out, because writes into them are noted one by one. Coroutines and
// the values that Go functions hold are left out, too, because they cannot be looked into.
type holdings struct {
	tables []tableSnapshot
	locals []localSnapshot
	seen   map[any]bool
	ahead  []lua.LValue // reached, and still to be walked through
	room   int          // for values, of holdings that are bounded
	most   int          // the bound; 0: there is none. What does not fit is not held
	beyond bool         // something did not fit
	roots  []lua.LValue // that the walks of bounded ones have begun with
	exact  bool         // 0 and -0 are two values
}

// tableSnapshot is the content of one table.
type tableSnapshot struct {
	table   *lua.LTable
	meta    lua.LValue
	entries []lua.LValue // key and value in turns, in the order of next
}

// localSnapshot is the value of one captured local.
type localSnapshot struct {
	local *lua.Upvalue
	value lua.LValue
}

// holdingsOf keeps what modules hold, and what other values lead to. Modules that have failed hold nothing.
func holdingsOf(modules []*module, others ...lua.LValue) *holdings {
	p := &holdings{seen: map[any]bool{}, ahead: others}
	for _, m := range modules {
		if len(m.script.Problems) == 0 {
			p.ahead = append(p.ahead, m.exports)
		}
	}
	p.walk()
	p.seen = nil
	return p
}

// boundedHoldings are holdings of so many values at most. Nothing is in them yet: see holdings.more.
func boundedHoldings(most int) *holdings {
	return &holdings{seen: map[any]bool{}, room: most, most: most, exact: true}
}

// more keeps what further values lead to, as far as there is room. It returns how many values that were.
func (p *holdings) more(values ...lua.LValue) int {
	before := p.room
	p.roots = append(p.roots, values...)
	p.ahead = append(p.ahead, values...)
	p.walk()
	return before - p.room
}

// walk keeps what was reached, and what that leads to.
func (p *holdings) walk() {
	for len(p.ahead) > 0 {
		last := len(p.ahead) - 1
		v := p.ahead[last]
		p.ahead = p.ahead[:last]
		p.keep(v)
	}
}

// fits takes room for values, and reports whether there was as much.
func (p *holdings) fits(n int) bool {
	if p.most == 0 {
		return true
	}
	if n > p.room {
		p.beyond = true
		return false
	}
	p.room -= n
	return true
}

// holdingsInReach keeps what the functions may change that run before a set of texts is taken over: what
// live modules hold that stay, and what the on_unload functions of the set's old versions lead to. Where a dry
// run has shown which modules the set requires, and that it leaves them alone, only those are kept: in the
// game, where they hold other values, a top level may do something else, and so may a migrate function.
//
// O(tables + entries + captured locals) of those.
func (vm *interpreter) holdingsInReach(texts map[string]*source, tried *dryRun) *holdings {
	var stay []*module
	var unload []lua.LValue
	all, required := tried.touches(), map[string]bool{}
	if !all {
		for _, s := range tried.borrowed() {
			required[s.Name] = true
		}
	}
	for name, m := range vm.live {
		if f := m.script.OnUnload(); texts[name] != nil && f != nil {
			unload = append(unload, f)
		} else if texts[name] == nil && (all || required[name]) {
			stay = append(stay, m)
		}
	}
	return holdingsOf(stay, unload...)
}

// keep adds a table or a function to the snapshot, and what it leads to to the list of
// what is still to be walked through.
func (p *holdings) keep(v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		if p.isNew(v) && proxy.Unwrap(v) == v && !proxy.State(v) && p.fits(1+lua.Entries(v)) {
			entries := entriesOf(v)
			p.tables = append(p.tables, tableSnapshot{v, lua.Metatable(v), entries})
			p.ahead = append(append(p.ahead, lua.Metatable(v)), entries...)
		}
	case *lua.LFunction:
		if lua.IsGo(v) || !p.isNew(v) || !p.fits(1+lua.Captures(v)) {
			break
		}
		if lua.Env(v) != nil {
			p.ahead = append(p.ahead, lua.Env(v))
		}
		for i := range lua.Captures(v) {
			if local := lua.Captured(v, i); p.isNew(local) {
				p.locals = append(p.locals, localSnapshot{local, local.Value()})
				p.ahead = append(p.ahead, local.Value())
			}
		}
	}
}

// isNew reports whether an object is reached for the first time.
func (p *holdings) isNew(object any) bool {
	known := p.seen[object]
	p.seen[object] = true
	return !known
}

// entriesOf lists the keys and values of a table, in the order of next.
func entriesOf(t *lua.LTable) []lua.LValue {
	var entries []lua.LValue
	for k, v := range lua.All(t) {
		entries = append(entries, k, v)
	}
	return entries
}

// changed reports whether something is not as it was.
func (p *holdings) changed() bool {
	return slices.ContainsFunc(p.tables, func(t tableSnapshot) bool { return t.changed(p.exact) }) ||
		slices.ContainsFunc(p.locals, func(l localSnapshot) bool { return !same(l.local.Value(), l.value, p.exact) })
}

// onlyChanged drops what is as it was.
func (p *holdings) onlyChanged() {
	p.tables = slices.DeleteFunc(p.tables, func(t tableSnapshot) bool { return !t.changed(p.exact) })
	p.locals = slices.DeleteFunc(p.locals, func(l localSnapshot) bool { return same(l.local.Value(), l.value, p.exact) })
	p.seen = nil
}

// bytes is about how much memory the notes take, without what the values in them hold.
func (p *holdings) bytes() int64 {
	n := 0
	for _, t := range p.tables {
		n += tableBytes + valueBytes*cap(t.entries)
	}
	return int64(n + tableBytes*len(p.locals))
}

// tableBytes and valueBytes are about what the note of a table or a local takes, and that of a value.
const tableBytes, valueBytes = 64, 24

// changed reports whether the table has another content, another order or another
// metatable.
func (t *tableSnapshot) changed(exact bool) bool {
	return lua.Metatable(t.table) != t.meta ||
		!slices.EqualFunc(entriesOf(t.table), t.entries, func(a, b lua.LValue) bool { return same(a, b, exact) })
}

// same reports whether two values are one: NaN (0/0) is itself, which Lua's == denies. If it is to be
// exact, 0 and -0 are two values, as they are for 1/x.
func same(a, b lua.LValue, exact bool) bool {
	x, number := a.(lua.LNumber)
	if a != b {
		y, both := b.(lua.LNumber)
		return number && both && x != x && y != y
	}
	return !exact || !number || x != 0 || math.Signbit(float64(x)) == math.Signbit(float64(b.(lua.LNumber)))
}

// restore puts everything back. Nil holdings hold nothing.
func (p *holdings) restore() {
	if p == nil {
		return
	}
	for _, t := range p.tables {
		if !t.changed(p.exact) {
			continue
		}
		lua.Clear(t.table, t.meta)
		for i := 0; i < len(t.entries); i += 2 {
			t.table.RawSet(t.entries[i], t.entries[i+1])
		}
	}
	for _, l := range p.locals {
		l.local.SetValue(l.value)
	}
}
