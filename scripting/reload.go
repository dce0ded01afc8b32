package scripting

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	lua "github.com/yuin/gopher-lua"
)

// Reload is the verdict over one set of changed files.
type Reload struct {
	Changed []string // files whose text is new
	Removed []string
	Files   int      // scripts that ran again, dependents included
	Systems int      // systems that were added, changed or removed
	Notes   []string // what happened to components and events whose fields have changed, and to coroutines
	Took    time.Duration
	Err     error // nil when the set was taken; else a *LoadError, and nothing has changed
}

// String returns the verdict in one line, or one for each reason to refuse.
func (r Reload) String() string {
	if r.Err != nil {
		return "reload refused: " + strings.ReplaceAll(r.Err.Error(), "\n", "\n  ")
	}
	files := plural(r.Files, "file")
	if n := len(r.Removed); n > 0 {
		files += fmt.Sprintf(", %d removed", n)
	}
	verdict := fmt.Sprintf("reload ok: %s, %s changed, %s ms", files, plural(r.Systems, "system"), milliseconds(r.Took))
	return strings.Join(append([]string{verdict}, r.Notes...), "\n  ")
}

// milliseconds has a digit behind the point where there would be nothing before it.
func milliseconds(d time.Duration) string {
	digits := 0
	if d < time.Millisecond {
		digits = 1
	}
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', digits, 64)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Stage announces files that were changed or removed, as slash-separated paths
// in the folder. It reads and compiles them at once, on the caller's goroutine,
// which may be any; the next Step takes them over or refuses them. A set that
// was refused is tried again together with the next. A folder that was removed
// stands for the scripts in it; what is no script is passed over. Before Load
// there is nothing to stage.
func (h *Host) Stage(changed, removed []string) {
	h.mu.Lock()
	folder := h.folder
	h.mu.Unlock()
	if folder == nil {
		return
	}
	staged := make([]*source, 0, len(changed)+len(removed))
	for _, name := range changed {
		if isScript(name) {
			staged = append(staged, h.read(folder, name))
		}
	}
	for _, name := range removed {
		staged = append(staged, &source{name: name, removed: true})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range staged {
		h.pending[s.name] = s
	}
}

// takeOver swaps in what was staged since the last tick.
func (h *Host) takeOver() {
	h.mu.Lock()
	if len(h.pending) == 0 {
		h.mu.Unlock()
		return
	}
	pending := h.pending
	h.pending = map[string]*source{}
	h.mu.Unlock()
	texts := h.gather(pending)
	if len(texts) == 0 {
		return
	}
	r := h.swap(texts)
	if r.Err != nil {
		h.refused = texts
	}
	if h.opts.OnReload != nil {
		h.opts.OnReload(r)
	} else {
		h.opts.Logger.Info(r.String())
	}
}

// gather joins what was staged with what waits since it was refused.
func (h *Host) gather(pending map[string]*source) map[string]*source {
	texts := h.refused
	h.refused = map[string]*source{}
	maps.DeleteFunc(texts, func(_ string, s *source) bool { return s.folder })
	for name, s := range pending {
		if s.removed && !isScript(name) {
			h.removeUnder(name+"/", texts)
		}
	}
	for name, s := range pending {
		if isScript(name) {
			texts[name] = s
		}
	}
	maps.DeleteFunc(texts, func(name string, s *source) bool { return s.removed && h.live[name] == nil })
	return texts
}

// removeUnder marks the scripts of a folder as removed.
func (h *Host) removeUnder(prefix string, texts map[string]*source) {
	for _, name := range slices.Concat(slices.Collect(maps.Keys(h.live)), slices.Collect(maps.Keys(texts))) {
		if strings.HasPrefix(name, prefix) {
			texts[name] = &source{name: name, removed: true}
		}
	}
}

// swap runs a set of texts and makes them live, or changes nothing.
func (h *Host) swap(texts map[string]*source) Reload {
	began := time.Now()
	l := h.load(texts)
	r := Reload{Files: len(l.order)}
	for name, s := range texts {
		if s.removed {
			r.Removed = append(r.Removed, name)
		} else {
			r.Changed = append(r.Changed, name)
		}
	}
	slices.Sort(r.Changed)
	slices.Sort(r.Removed)
	stay, gone, fresh := l.split()
	h.kernels.from = l
	defer func() { h.kernels.from = nil }()
	if problems := l.problems(stay, gone, fresh); len(problems) > 0 {
		h.module.Abandon()
		r.Err = &LoadError{sortProblems(problems)}
		r.Took = time.Since(began)
		return r
	}
	r.Systems = countSystems(gone, fresh)
	if err := h.module.Commit(gone, fresh); err != nil {
		r.Err = &LoadError{[]*Error{{Script: "folder", Message: err.Error(), Err: err}}}
		return r
	}
	r.Notes = h.module.Notes()
	h.forget(l)
	handed := h.unload(gone)
	r.Notes = append(r.Notes, h.cancel(gone)...)
	h.adopt(l)
	h.welcome(l, handed)
	h.module.Settle()
	h.tellKernels()
	r.Took = time.Since(began)
	return r
}

// split sorts scripts into those that stay, those that go and the new ones.
func (l *loader) split() (stay, gone, fresh []*bindings.Script) {
	for _, name := range l.host.Modules() {
		if s := l.host.live[name].script; l.changes(name) {
			gone = append(gone, s)
		} else {
			stay = append(stay, s)
		}
	}
	for _, m := range l.order {
		fresh = append(fresh, m.script)
	}
	return stay, gone, fresh
}

// problems collects what is wrong with the scripts one by one, and with all of
// them together.
func (l *loader) problems(stay, gone, fresh []*bindings.Script) []*Error {
	var all []*Error
	for _, s := range fresh {
		all = append(all, s.Problems...)
	}
	all = append(l.withoutEchoes(all), l.host.module.Check(stay, gone, fresh)...)
	for _, p := range all {
		reword(p, &l.host.opts.Limits)
		if s := l.texts[p.Script]; s != nil {
			quote(p, s.text)
		}
	}
	return all
}

// withoutEchoes drops the complaints of scripts whose only fault is that they
// require one that has faults of its own.
func (l *loader) withoutEchoes(all []*Error) []*Error {
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

// unload runs the on_unload functions of scripts that have ended. None of them
// can stop the swap, which has taken place; what fails is reported like a fault of
// a system. It returns what each hands over, by script.
func (h *Host) unload(gone []*bindings.Script) map[string]lua.LValue {
	handed := map[string]lua.LValue{}
	for _, s := range gone {
		v, err := h.module.Unload(s)
		handed[s.Name] = v
		h.aside(err)
	}
	return handed
}

// welcome runs the on_reload functions of scripts that replace an older version.
func (h *Host) welcome(l *loader, handed map[string]lua.LValue) {
	for _, m := range l.order {
		if v, replaced := handed[m.name]; replaced {
			h.module.Reloaded(m.script, v, h.aside)
		}
	}
}

// aside keeps what has failed during a swap for the report of the step.
func (h *Host) aside(err error) { h.asides = append(h.asides, collect(err)...) }

// forget settles the accounts of scripts that end: of what they did wrong, sums
// that were not told yet are told now.
func (h *Host) forget(l *loader) {
	now, _ := h.world.Time()
	for _, name := range h.Modules() {
		if !l.changes(name) {
			continue
		}
		for _, e := range h.ledger.due(now, name, true) {
			h.tell(e)
		}
		h.ledger.forget(name)
	}
}

// adopt makes the modules of an accepted load live.
func (h *Host) adopt(l *loader) {
	for name := range l.gone {
		delete(h.live, name)
	}
	for _, m := range l.order {
		if old := h.live[m.name]; old != nil {
			m.former = old.former
			h.module.Refresh(&m.former, old.exports, m.exports)
		}
		h.live[m.name] = m
		if h.started[m.name] != everything && !slices.Contains(h.starting, m.name) {
			h.starting = append(h.starting, m.name)
		}
	}
}
