package scripting

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
)

// Reload is the verdict over one set of changed files: it was taken as a whole, or
// refused as a whole.
type Reload struct {
	Changed []string // files whose text is new, by path, sorted
	Removed []string // files that are gone, by path, sorted
	Files   int      // scripts that ran again, dependents included
	Systems int      // systems that were added, changed or removed
	Scenes  int      // scenes that were brought to what their files say; then Files and Systems are 0
	// Texts are the files that are in force since with another text than before: the Changed ones, and
	// data files that a script has asked for first; and with nil those that are no longer in force. They
	// are shared: do not change them. Nil when the set was refused.
	Texts map[string][]byte
	// Notes are sentences about what the author may not expect: what has become of
	// components and events whose fields have changed, of coroutines, of renamed files, and
	// of what is kept by a name that no script declares any more.
	Notes    []string
	ofScenes bool     // the files are scenes
	doubts   []string // the notes that a first load logs, too
	// Took is the time from the beginning of the dry run, without waiting for the step;
	// Held is how much of it was in the step.
	Took time.Duration
	Held time.Duration
	// Err is nil when the set was taken. Otherwise it is a *LoadError with all reasons,
	// and nothing has changed.
	Err error
}

// String returns the verdict in one line, or one for each reason to refuse.
func (r Reload) String() string {
	if r.Err != nil {
		return "reload refused: " + strings.ReplaceAll(r.Err.Error(), "\n", "\n  ")
	}
	files := diag.Plural(r.Files, "file")
	if n := len(r.Removed); n > 0 {
		files += fmt.Sprintf(", %d removed", n)
	}
	files += fmt.Sprintf(", %s changed", diag.Plural(r.Systems, "system"))
	if r.ofScenes {
		files = diag.Plural(r.Scenes, "scene")
	}
	var verdict strings.Builder
	fmt.Fprintf(&verdict, "reload ok: %s, %s ms", files, milliseconds(r.Took))
	for _, note := range r.Notes {
		verdict.WriteString("\n  " + diag.OneLine(note))
	}
	return verdict.String()
}

// milliseconds writes a time in milliseconds, with a digit after the point if it is less
// than one.
func milliseconds(d time.Duration) string {
	digits := 0
	if d < time.Millisecond {
		digits = 1
	}
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', digits, 64)
}

// applyStaged swaps in the set that was staged since the last tick, or refuses it, and
// reports the verdict. A refused set is published, so that it is tried again with the next
// one. A set that only removes a file which was never in force needs no swap.
//
// Scenes are a set of their own, after the scripts: what they need may come with these. If the scripts
// are refused, the scenes wait with them.
func (h *Host) applyStaged() {
	h.scenes.tell()
	p, scenes := h.take(), h.scenes.catchUp()
	defer h.taken()
	if p != nil && len(p.texts)+len(p.seen.refused) == 0 && p.program != nil {
		back := h.rejected != nil
		h.enterProgram(p.program)(true) // it says the same, in another folder
		h.rejected = nil
		h.publish(nil)
		if back { // the last verdict was over a Program that was refused
			h.tellReload(Reload{})
		}
	} else if p != nil && len(p.texts)+len(p.seen.refused) > 0 {
		staged := h.scenes.takeStaged(p)
		maps.Copy(staged, scenes)
		if scenes = staged; len(p.texts) > 0 || len(scenes) == 0 {
			before := h.textsFor()
			r := h.verdict(p, scenes)
			h.tellTexts(&r, before)
			h.tellReload(r)
			if r.Err != nil {
				return
			}
		} else {
			h.enterProgram(p.program)(true)
			p.release()
		}
	}
	if len(scenes) == 0 {
		return
	}
	refused, published := scenes, false // also when a function of the host ends the goroutine
	publish := func() {
		if !published {
			published = true
			h.publish(refused)
		}
	}
	defer publish()
	before := h.textsFor()
	h.rejected = nil // the verdict is over these
	r := h.scenes.reload(scenes)
	if r.Err == nil {
		refused = nil
	}
	publish()
	h.tellTexts(&r, before)
	h.tellReload(r)
}

// textsFor returns what is in force, if anybody wants to know what changes; else nil.
func (h *Host) textsFor() map[string][]byte {
	if h.opts.OnReload == nil && len(h.onReload) == 0 {
		return nil
	}
	return h.Texts()
}

// tellTexts puts into the verdict which texts are new.
func (h *Host) tellTexts(r *Reload, before map[string][]byte) {
	if before != nil && r.Err == nil {
		r.Texts = changedTexts(before, h.Texts())
	}
}

// LastReload returns the verdict over the last set of changed files, and how many there were since
// the host was made: 0, and an empty verdict, before the first. Its lists are shared; do not
// change them. Call it between two steps.
func (h *Host) LastReload() (last Reload, count uint64) {
	if !h.made() {
		return Reload{}, 0
	}
	return h.lastReload, h.reloads
}

// tellReload reports a verdict.
func (h *Host) tellReload(r Reload) {
	h.lastReload, h.reloads = r, h.reloads+1
	for _, o := range h.onReload {
		h.callHost("OnReload", func() { o.report(r) })
	}
	switch {
	case h.opts.OnReload != nil:
		h.callHost("OnReload", func() { h.opts.OnReload(r) })
	case r.Err != nil:
		h.opts.Logger.Warn(r.String())
	default:
		h.opts.Logger.Info(r.String())
	}
}

// reloadHook is a function of [Host.OnReload].
type reloadHook struct{ report func(Reload) }

// OnReload has a function called with the verdict over each reload, before that of Options gets
// it: for tools that follow what is loaded, such as a recording. remove takes it away. The error wraps
// [ErrClosed], or [ecs.ErrConflict] for a nil function.
func (h *Host) OnReload(report func(Reload)) (remove func(), err error) {
	switch {
	case h.gone():
		return nil, fmt.Errorf("scripting: OnReload: %w", ErrClosed)
	case report == nil:
		return nil, fmt.Errorf("scripting: OnReload: %w: the function is nil", ecs.ErrConflict)
	}
	o := &reloadHook{report}
	h.onReload = append(slices.Clone(h.onReload), o)
	return func() {
		h.onReload = slices.DeleteFunc(slices.Clone(h.onReload), func(x *reloadHook) bool { return x == o })
	}, nil
}

// Texts returns the texts of the scripts and data files that are in force, by path. They are shared: do
// not change them. A host with the same texts that gets the same inputs does the same.
func (h *Host) Texts() map[string][]byte {
	if !h.made() {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.published.texts()
}

// texts returns the texts that are in force.
func (o *published) texts() map[string][]byte {
	if o == nil {
		return nil
	}
	all := make(map[string][]byte, len(o.live)+len(o.data))
	for name, s := range o.inForce() {
		if s != nil && !s.removed && s.text != nil {
			all[name] = s.text
		}
	}
	return all
}

// changedTexts returns what is in force with another text than before, with nil what is gone.
func changedTexts(before, now map[string][]byte) map[string][]byte {
	changed := map[string][]byte{}
	for name, text := range now {
		if was, known := before[name]; !known || !bytes.Equal(was, text) {
			changed[name] = text
		}
	}
	for name := range before {
		if _, stays := now[name]; !stays {
			changed[name] = nil
		}
	}
	return changed
}

// verdict decides over a set that was staged, and publishes what is in force then. Scenes wait for a
// verdict of their own.
func (h *Host) verdict(p *pending, scenes map[string]*source) (r Reload) {
	refused := p.waits(scenes) // also when a function of the host ends the goroutine
	defer func() {
		h.publish(refused)
		p.release()
	}()
	h.rejected = nil
	taken, leave := false, h.enterProgram(p.program)
	defer func() { leave(taken) }()
	if len(p.texts) == 0 {
		r = newReload(nil)
		for name := range p.seen.refused {
			if p.seen.live[name] == nil {
				r.Removed = append(r.Removed, name)
			}
		}
		slices.Sort(r.Removed)
	} else if r = h.decide(p); r.Err != nil {
		if p.program != nil {
			h.rejected = p.texts
		}
		return r
	}
	refused, h.loaded, taken = scenes, true, true
	return r
}

// waits returns what waits for a next set when this one is refused, with the scenes that come after it. Of a
// Program nothing does: half of it would be neither that nor what is in force.
func (p *pending) waits(scenes map[string]*source) map[string]*source {
	if p.program != nil {
		return p.seen.refused
	}
	refused := maps.Clone(p.texts)
	maps.Copy(refused, scenes)
	return refused
}

// decide swaps a set in, unless the folder is beyond a limit or the dry run has found a
// reason to refuse it.
func (h *Host) decide(p *pending) Reload {
	began := time.Now()
	r := newReload(p.texts)
	switch {
	case p.over != nil:
		r.Err = &LoadError{[]*Error{p.over}}
	case p.dryRun.refuses():
		h.refuse(&r, p.dryRun)
	default:
		h.swap(&r, p.texts, p.dryRun)
	}
	if r.Err == nil && p.dryRun != nil {
		for _, e := range p.dryRun.notes {
			r.Notes = append(r.Notes, e.Error())
		}
	}
	r.Held = time.Since(began)
	r.Took = r.Held + p.dryRun.duration()
	return r
}

// newReload begins a verdict with the names of the files.
func newReload(texts map[string]*source) Reload {
	var r Reload
	for name, s := range texts {
		if s.removed {
			r.Removed = append(r.Removed, name)
		} else {
			r.Changed = append(r.Changed, name)
		}
	}
	slices.Sort(r.Changed)
	slices.Sort(r.Removed)
	return r
}

// refuse returns why a set is refused whose dry run has failed. The reasons are those of
// the dry run, and conflicts between its scripts and the scripts that stay: only the world
// knows those, so they are found here.
func (h *Host) refuse(r *Reload, tried *dryRun) {
	r.Files = len(tried.scripts)
	stay, gone := h.divide(tried.loader.changes)
	together := h.binding.Review(tried.vm.binding, stay, gone, tried.scripts)
	tried.vm.complete(together)
	r.Err = &LoadError{sortProblems(append(together, tried.problems...))}
}

// swap runs a set of texts and makes them live, or changes nothing. Functions of the set, top
// levels, migrate functions and the on_unload functions of the old versions, may have changed
// what scripts hold, or drawn random numbers, before the set is refused: then both are put back.
func (h *Host) swap(r *Reload, texts map[string]*source, tried *dryRun) {
	h.limiter.migrated = 0
	random := h.world.Random().State()
	kept := h.holdingsInReach(texts, tried)
	settled := false
	defer func() {
		if !settled { // a function of the host has ended the goroutine
			h.binding.Abandon()
			kept.restore()
		}
	}()
	if tried != nil {
		h.tried = tried.vm.tried
		defer func() { h.tried = nil }()
	}
	h.offered = tried.dataFiles()
	if tried != nil && tried.unsure {
		defer h.limiter.tryInStep()()
	}
	l := h.load(texts, kept)
	h.offered = nil
	r.Files = len(l.order)
	stay, gone, fresh := l.split()
	h.trial = l
	defer func() { h.trial = nil }()
	problems := l.problems(stay, gone, fresh)
	h.limiter.sayUntried(problems)
	var origins origins
	var handovers map[string]handover
	if len(problems) == 0 {
		origins = h.origins(l)
		handovers, problems = h.runUnload(l, gone, origins)
	}
	if len(problems) > 0 {
		for _, e := range h.certain(l, l.order) { // so that they need no second save
			problems = add(problems, e)
		}
		h.binding.Abandon()
	} else if err := h.binding.Commit(gone, fresh); err != nil {
		problems = []*Error{{Script: "folder", Message: err.Error(), Err: err}}
	}
	settled = true
	if len(problems) > 0 {
		kept.restore()
		h.world.Random().Seed(random)
		r.Err = &LoadError{sortProblems(problems)}
		return
	}
	r.Systems = countSystems(gone, fresh)
	h.exchange(r, l, gone, origins, handovers)
}

// lastUse is what the top levels of the live scripts have used that a set changes.
func (vm *interpreter) lastUse(set *loader) (all used) {
	for name, m := range vm.live {
		if set.changes(name) {
			all = all.plus(m.used)
		}
	}
	return all
}

// exchange puts the modules of a load in the place of the old ones, when the world has
// taken over what they declare. The set cannot be refused any more: what fails from here
// on is a fault, and what is lost is a note.
func (h *Host) exchange(r *Reload, l *loader, gone []*bindings.Declarations, origins origins, handovers map[string]handover) {
	r.doubts = h.binding.Doubts()
	r.Notes = append(h.binding.Notes(), r.doubts...)
	r.Notes = append(r.Notes, h.moved(l, origins)...)
	h.forget(l)
	for name := range handovers {
		delete(h.untaken, name)
	}
	r.Notes = append(r.Notes, h.cancel(gone)...)
	held := map[string][]heldTable{}
	for _, m := range l.order {
		if old := h.before(m.name, origins); old != nil {
			held[m.name] = h.grown(old)
		}
	}
	replaced := h.adopt(l, origins)
	r.Notes = append(r.Notes, lostValues(l, handovers, replaced)...)
	h.runReload(l, handovers, replaced)
	r.Notes = append(r.Notes, h.begunAnew(l, held)...)
	for _, m := range l.order {
		m.sizes = sizes(h.ownTables(m))
	}
	h.loadWaiting(l, replaced)
	h.binding.Settle()
	h.reportKernels()
}

// split divides scripts into those that stay, those that go, and the new ones. A script
// that runs again both goes and is new.
func (l *loader) split() (stay, gone, fresh []*bindings.Declarations) {
	stay, gone = l.vm.divide(l.changes)
	for _, m := range l.order {
		fresh = append(fresh, m.script)
	}
	return stay, gone, fresh
}

// divide sorts the live scripts into those that stay and those that change or go.
func (vm *interpreter) divide(changes func(name string) bool) (stay, gone []*bindings.Declarations) {
	for _, name := range slices.Sorted(maps.Keys(vm.live)) {
		if s := vm.live[name].script; changes(name) {
			gone = append(gone, s)
		} else {
			stay = append(stay, s)
		}
	}
	return stay, gone
}

// problems collects what is wrong with the scripts one by one, and with all of
// them together.
func (l *loader) problems(stay, gone, fresh []*bindings.Declarations) []*Error {
	var all []*Error
	for _, s := range fresh {
		all = append(all, s.Problems...)
	}
	all = append(withoutEchoes(all), l.vm.binding.Check(stay, gone, fresh, l.brief)...)
	l.vm.complete(all)
	return all
}

// complete adds to problems the limit that they name, and the line of the text.
func (vm *interpreter) complete(problems []*Error) {
	for _, p := range problems {
		reword(p, vm.limits)
		p.Quote()
	}
}

// withoutEchoes drops the problems of scripts whose only fault is that they require a
// script with problems of its own.
func withoutEchoes(all []*Error) []*Error {
	own := slices.DeleteFunc(slices.Clone(all), func(e *Error) bool {
		return e.Echo
	})
	if len(own) > 0 {
		return own
	}
	return all
}

// countSystems counts the systems that a reload adds, changes or removes.
func countSystems(gone, fresh []*bindings.Declarations) int {
	names := map[string]bool{}
	for _, s := range slices.Concat(gone, fresh) {
		for _, sys := range s.Systems {
			names[sys.Name] = true
		}
	}
	return len(names)
}

// adopt makes the modules of a load live, and returns for each file the module whose place
// it takes, or nil for a new file. Other modules may hold tables that old versions have
// returned; these forward to the new versions. Scripts whose on_start functions have not
// all run are started with the next tick.
func (h *Host) adopt(l *loader, origins origins) (replaced map[string]*module) {
	replaced = map[string]*module{}
	for _, m := range l.order {
		replaced[m.name] = h.before(m.name, origins)
	}
	for name, m := range h.live {
		if fresh := l.fresh[name]; l.changes(name) && (fresh == nil || fresh.program != m.program) {
			h.old.retire(m.program)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.gone)) {
		if _, known := h.started[name]; known {
			h.depart(name)
			h.left = append(h.left, name)
		}
		delete(h.live, name)
		h.limiter.forget(name)
	}
	for _, m := range l.order {
		delete(h.departed, m.name)
		if old := replaced[m.name]; old != nil {
			m.forwarding = old.forwarding
			m.forwarding.Forward(h.interpreter.state, old.exports, m.exports)
		}
		h.live[m.name] = m
		if h.started[m.name] != everything && !slices.Contains(h.starting, m.name) {
			h.starting = append(h.starting, m.name)
		}
	}
	h.forgetFirst()
	h.adoptData(l)
	return replaced
}
