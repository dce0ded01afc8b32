package scripting

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
)

// Reload is the verdict over one set of changed files.
type Reload struct {
	Changed []string // files whose text is new
	Removed []string
	Files   int           // scripts that ran again, dependents included
	Systems int           // systems that were added, changed or removed
	Notes   []string      // what happened to components and events whose fields have changed, to what nobody declares any more, and to coroutines
	doubts  []string      // those that a first load tells, too
	Took    time.Duration // from the beginning of the rehearsal, without waiting for the step
	Held    time.Duration // how much of it was in the step
	Err     error         // nil when the set was taken; else a *LoadError, and nothing has changed
}

// String returns the verdict in one line, or one for each reason to refuse.
func (r Reload) String() string {
	if r.Err != nil {
		return "reload refused: " + strings.ReplaceAll(r.Err.Error(), "\n", "\n  ")
	}
	files := bindings.Plural(r.Files, "file")
	if n := len(r.Removed); n > 0 {
		files += fmt.Sprintf(", %d removed", n)
	}
	verdict := fmt.Sprintf("reload ok: %s, %s changed, %s ms", files, bindings.Plural(r.Systems, "system"), milliseconds(r.Took))
	for _, note := range r.Notes {
		verdict += "\n  " + diag.OneLine(note)
	}
	return verdict
}

// milliseconds has a digit after the point where there would be only zeros before it.
func milliseconds(d time.Duration) string {
	digits := 0
	if d < time.Millisecond {
		digits = 1
	}
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', digits, 64)
}

// applyStaged swaps in what was staged since the last tick.
func (h *Host) applyStaged() {
	p := h.take()
	if p == nil || len(p.texts)+len(p.seen.refused) == 0 {
		return
	}
	var r Reload
	if len(p.texts) > 0 {
		r = h.decide(p)
	} else { // what was refused was never in force, and is gone
		r = newReload(nil)
		r.Removed = slices.Sorted(maps.Keys(p.seen.refused))
	}
	if r.Err != nil {
		h.publish(p.texts)
	} else {
		h.publish(nil)
	}
	p.release()
	if h.opts.OnReload != nil {
		h.opts.OnReload(r)
	} else if r.Err != nil {
		h.opts.Logger.Warn(r.String())
	} else {
		h.opts.Logger.Info(r.String())
	}
}

// decide swaps a set in, unless its rehearsal says that it is to be refused.
func (h *Host) decide(p *pending) Reload {
	began := time.Now()
	r := newReload(p.texts)
	if p.over != nil {
		r.Err = &LoadError{[]*Error{p.over}}
	} else if p.dryRun.refuses() {
		h.refuse(&r, p.dryRun)
	} else {
		h.swap(&r, p.texts, p.dryRun)
	}
	r.Held = time.Since(began)
	r.Took = r.Held + p.dryRun.duration()
	return r
}

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

// refuse says why a set is refused that was rehearsed in vain: the reasons that
// were found there, and what is wrong with its scripts together with those that
// stay, which needs the world.
func (h *Host) refuse(r *Reload, tried *dryRun) {
	r.Files = len(tried.scripts)
	stay, gone := h.divide(tried.loader.changes)
	together := h.module.Review(tried.vm.module, stay, gone, tried.scripts)
	tried.loader.complete(together)
	r.Err = &LoadError{sortProblems(append(together, tried.problems...))}
}

// swap runs a set of texts and makes them live, or changes nothing. Without a
// dryRun that says what the top levels touch, all that stays is kept in mind.
func (h *Host) swap(r *Reload, texts map[string]*source, tried *dryRun) {
	h.limiter.migrated = 0
	random := h.world.Random().State()
	var kept *snapshot
	if tried.touches() {
		kept = h.snapshotOthers(texts)
	}
	l := h.load(texts, kept)
	r.Files = len(l.order)
	stay, gone, fresh := l.split()
	h.trial = l
	defer func() { h.trial = nil }()
	if problems := l.problems(stay, gone, fresh); len(problems) > 0 {
		h.module.Abandon()
		kept.restore()
		h.world.Random().Seed(random)
		r.Err = &LoadError{sortProblems(problems)}
		return
	}
	r.Systems = countSystems(gone, fresh)
	if err := h.module.Commit(gone, fresh); err != nil {
		kept.restore()
		h.world.Random().Seed(random)
		r.Err = &LoadError{[]*Error{{Script: "folder", Message: err.Error(), Err: err}}}
		return
	}
	r.doubts = h.module.Doubts()
	r.Notes = append(h.module.Notes(), r.doubts...)
	origins := h.origins(l)
	r.Notes = append(r.Notes, h.moved(l, origins)...)
	h.forget(l)
	handed, left := h.runUnloadHooks(gone)
	r.Notes = append(r.Notes, h.cancel(gone)...)
	replaced := h.adopt(l, origins)
	r.Notes = append(r.Notes, leftBehind(l, handed, left, replaced)...)
	h.runReloadHooks(l, handed, replaced)
	h.module.Settle()
	h.reportKernels()
}

// split sorts scripts into those that stay, those that go and the new ones.
func (l *loader) split() (stay, gone, fresh []*bindings.Script) {
	stay, gone = l.vm.divide(l.changes)
	for _, m := range l.order {
		fresh = append(fresh, m.script)
	}
	return stay, gone, fresh
}

// divide sorts the live scripts into those that stay and those that change or go.
func (vm *interpreter) divide(changes func(name string) bool) (stay, gone []*bindings.Script) {
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
func (l *loader) problems(stay, gone, fresh []*bindings.Script) []*Error {
	var all []*Error
	for _, s := range fresh {
		all = append(all, s.Problems...)
	}
	all = append(withoutEchoes(all), l.vm.module.Check(stay, gone, fresh)...)
	l.complete(all)
	return all
}

// complete adds to problems what the loader knows about them.
func (l *loader) complete(problems []*Error) {
	for _, p := range problems {
		reword(p, l.vm.limits)
		if s := l.texts[p.Script]; s != nil {
			quote(p, s.text)
		}
	}
}

// withoutEchoes drops the complaints of scripts whose only fault is that they
// require one that has faults of its own.
func withoutEchoes(all []*Error) []*Error {
	own := slices.DeleteFunc(slices.Clone(all), func(e *Error) bool {
		return strings.Contains(e.Message, "has errors of its own")
	})
	if len(own) > 0 {
		return own
	}
	return all
}

func countSystems(gone, fresh []*bindings.Script) int {
	names := map[string]bool{}
	for _, s := range slices.Concat(gone, fresh) {
		for _, sys := range s.Systems {
			names[sys.Name] = true
		}
	}
	return len(names)
}

// adopt makes the modules of an accepted load live, and returns whose places they take.
func (h *Host) adopt(l *loader, origins map[string]origin) (replaced map[string]*module) {
	replaced = map[string]*module{}
	for _, m := range l.order {
		replaced[m.name] = h.before(m.name, origins)
	}
	for name := range l.gone {
		if _, known := h.started[name]; known {
			h.depart(name)
		}
		delete(h.live, name)
	}
	for _, m := range l.order {
		delete(h.departed, m.name)
		if old := replaced[m.name]; old != nil {
			m.forwarding = old.forwarding
			h.module.Forward(&m.forwarding, old.exports, m.exports)
		}
		h.live[m.name] = m
		if h.started[m.name] != everything && !slices.Contains(h.starting, m.name) {
			h.starting = append(h.starting, m.name)
		}
	}
	return replaced
}
