package scripting

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
)

// published is what goroutines that stage may know of the host: what was in force after
// the last swap. The host's goroutine publishes it as a whole, and it is never changed.
type published struct {
	live    map[string]*source
	data    map[string]*source // data files that these have asked for
	scenes  map[string]*source // scenes that were read
	folder  dataFolder
	refused map[string]*source // texts that wait for a set that is accepted
	catalog *bindings.Catalog
	exposed map[string]lua.LValue
	assets  *asset.Store   // nil: the world has none
	engine  *kernel.Engine // nil while there is none
	memory  kernel.Memory
}

// pending is a set of files that waits for the next step.
//
// Invariant: texts are what was staged since seen was published, joined with what
// was refused then.
type pending struct {
	texts map[string]*source
	stagedFrom
	over   *Error // the limit that the folder is beyond; nil for none
	seen   *published
	dryRun *dryRun // of texts; nil when there was none
}

// stagedFrom is where a set comes from.
type stagedFrom struct {
	folder  fs.FS
	program *Program // that takes the place of what is in force; nil for none
}

// release ends the dry run of a set that was taken over or replaced.
func (p *pending) release() {
	if p != nil {
		p.dryRun.release()
	}
}

// Stage announces files that were changed or removed, as slash-separated paths
// in the folder. On the caller's goroutine, which may be any, it reads, compiles
// and tries them; the next Step takes them over or refuses them as a whole. A
// set that was refused is tried again together with the next. A folder that was
// removed stands for the scripts and the data files in it; what is neither is passed over, and so is
// a data file that no script asks for. Before
// Load there is nothing to stage. Kernels are compiled here as well, but for those of a game that has
// had none so far: its first ones are compiled in the step. Large ones for which the running game has other
// values than the text are compiled beside the steps after that, see KernelStatus.Comes.
//
// A Stage takes as long as the files' top levels do, up to Limits.Time. Call it
// beside the goroutine that steps, and no step waits for it; call it on that
// goroutine, and the step after it has the new files. Of several at the same time
// each waits for those before it, so the newest text of a file is the one that
// counts, and what was staged and not taken over yet is tried again together
// with the new. A folder that ends the goroutine, or panics, leaves what it was asked for
// unstaged; the next Step returns an error that says so. So does one that stages while it is read,
// or a Logger that does: a Stage inside of a Stage would wait for itself.
func (h *Host) Stage(changed, removed []string) {
	if err := h.stage(noContext, changed, removed); errors.Is(err, ecs.ErrIterating) {
		h.noteInVain(err)
	}
}

// StageContext is Stage that a context ends early: between two files, or while the top level of
// one runs. Nothing is staged then, what waited before waits on, and the error wraps that of the
// context and its cause; [ErrClosed]; or [ecs.ErrIterating] inside of a Stage.
func (h *Host) StageContext(ctx context.Context, changed, removed []string) error {
	if err := begun(ctx, staging); err != nil {
		return err
	}
	if h.gone() {
		return fmt.Errorf("scripting: StageContext: %w", ErrClosed)
	}
	return h.stage(ctx, changed, removed)
}

// stage is Stage under a context, nil for none.
func (h *Host) stage(ctx context.Context, changed, removed []string) error {
	if h.gone() {
		return nil
	}
	h.mu.Lock()
	folder := h.folder
	h.mu.Unlock()
	if folder == nil {
		return nil
	}
	return h.stageFrom(ctx, folder, changed, removed)
}

// stageFrom stages files that are read from a folder: that of the game, or one with other texts.
func (h *Host) stageFrom(ctx context.Context, folder fs.FS, changed, removed []string) error {
	staged := map[string]*source{}
	for _, name := range changed {
		switch {
		case isSource(name) && !nameable(name):
			h.reader().warnName(name)
		case isSource(name):
			staged[name] = &source{name: name, unread: true}
		}
	}
	for _, name := range removed {
		staged[name] = &source{name: name, removed: true}
	}
	return h.stageSet(ctx, stagedFrom{folder: folder}, slices.Sorted(maps.Keys(staged)), func(*published, *pending) map[string]*source { return staged })
}

// stageSet stages a set of files, which may depend on what is in force and waits. Named are files that a message names.
func (h *Host) stageSet(ctx context.Context, from stagedFrom, named []string, set func(*published, *pending) map[string]*source) error {
	if !h.staging.Lock() {
		return insideOfStage(staging)
	}
	defer h.staging.Unlock()
	ended := false
	defer func() {
		if !ended {
			h.noteUnfinished(named)
		}
	}()
	for {
		if done, err := h.dryRunWith(ctx, from, set); done || err != nil {
			ended = true
			return err
		}
	}
}

// insideOfStage is the error of what would wait for the Stage that has called it.
func insideOfStage(what activity) error {
	return &busyError{fmt.Sprintf("scripting: %v inside of Stage: the folder or the Logger that a Stage calls cannot wait for its end", what)}
}

// mostUnfinished is how many stagings that came to no end are kept until a step says so.
const mostUnfinished = 16

// noteUnfinished notes that a staging came to no end.
func (h *Host) noteUnfinished(files []string) {
	h.noteInVain(fmt.Errorf("scripting: %w: its goroutine has ended, or the folder has panicked, before %s could be tried: stage again", ErrUnfinished, quoted(files)))
}

// noteInVain keeps why a staging did nothing, until a step says so.
func (h *Host) noteInVain(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.stagedInVain) < mostUnfinished {
		h.stagedInVain = append(h.stagedInVain, err)
	}
}

// quoted lists the first of some names.
func quoted(names []string) string {
	const most = 5
	text := fmt.Sprintf("%.80q", names[:min(len(names), most)])
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// unfinished returns the errors of stagings that came to no end since it was asked last.
func (h *Host) unfinished() []error {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.stagedInVain
	h.stagedInVain = nil
	return list
}

// dryRunWith tries what was staged together with what waits, and leaves it
// for the next step. False means that a step has taken what waited in the
// meantime: then the set has to be put together anew. A step does that once for each
// set, so this ends.
func (h *Host) dryRunWith(ctx context.Context, from stagedFrom, set func(*published, *pending) map[string]*source) (done bool, err error) {
	h.mu.Lock()
	seen, waiting := h.published, h.pending
	h.mu.Unlock()
	if seen == nil {
		return true, nil // closed
	}
	staged := set(seen, waiting)
	if from.program == nil && waiting != nil && waiting.seen == seen {
		from.program = waiting.program
	}
	if from.program != nil && len(staged) == 0 {
		return true, nil // it is in force
	}
	p := &pending{texts: seen.gather(waiting, staged), stagedFrom: from, seen: seen}
	r := h.reader()
	r.ctx = ctx
	if from.program != nil {
		p.over = r.within(from.program.texts())
		seen = seen.with(from.program.files(r))
	}
	if p.over == nil {
		p.over = r.fill(from.folder, p.texts, seen.inForce())
	}
	if p.over == nil {
		for name := range staged {
			if s := p.texts[name]; s != nil {
				staged[name] = s // read once, even if this is tried again
			}
		}
		p.dryRun = h.dryRun(ctx, seen, p.texts)
	}
	if ctx != nil && ctx.Err() != nil {
		p.release()
		return false, fmt.Errorf("scripting: StageContext: %w", ecs.ContextError(ctx))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.published != p.seen || h.pending != waiting:
		p.release()
		return false, nil
	default:
		waiting.release()
		h.pending = p
	}
	return true, nil
}

// take returns the set that waits, nil for none. A set that was put together while
// a load or a swap went on does not know what is in force now: it is put together anew,
// and has no dry run.
func (h *Host) take() *pending {
	h.mu.Lock()
	p, now := h.pending, h.published
	h.pending = nil
	h.mu.Unlock()
	if p == nil || p.seen == now {
		return p
	}
	p.release()
	again := &pending{texts: now.gather(nil, p.texts), stagedFrom: p.stagedFrom, seen: now}
	again.over = h.reader().fill(p.folder, again.texts, now.inForce())
	return again
}

// publish says what is in force after a load or a swap, and which texts were refused and
// wait for the next set.
func (h *Host) publish(refused map[string]*source) {
	now := &published{
		live: h.sources(), data: maps.Clone(h.dataFiles), scenes: maps.Clone(h.scenes.files), folder: h.dataFolder, refused: refused, catalog: h.binding.Catalog(),
		exposed: maps.Clone(h.exposed), assets: asset.Of(h.world), engine: h.kernels.engine, memory: h.memory(),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.published = now
}

// unpublish ends staging: what is staged later is forgotten.
func (h *Host) unpublish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending.release()
	h.folder, h.published, h.pending = nil, nil, nil
}

// gather joins what was staged with the set that waits for the next step, or else with
// the texts that were refused. A file that is removed and was never in force is nothing
// to reload.
func (o *published) gather(waiting *pending, staged map[string]*source) map[string]*source {
	texts := o.joined(waiting)
	maps.DeleteFunc(texts, func(_ string, s *source) bool { return s.folder })
	for name, s := range staged {
		if s.removed && !isSource(name) {
			o.removeUnder(name+"/", texts)
		}
	}
	for name, s := range staged {
		if isSource(name) {
			texts[name] = s
		}
	}
	asked, scripts := o.asked(), false
	for name := range texts {
		scripts = scripts || isScript(name)
	}
	maps.DeleteFunc(texts, func(name string, s *source) bool {
		if isDataFile(name) { // a script of the set may ask for it
			return !asked[name] && !scripts && o.scenes[name] == nil && !isScene(name)
		}
		return s.removed && o.live[name] == nil
	})
	return texts
}

// joined returns the set that waits for the next step, or else the texts that were refused.
func (o *published) joined(waiting *pending) map[string]*source {
	texts := maps.Clone(o.refused)
	if waiting != nil && waiting.seen == o {
		texts = maps.Clone(waiting.texts)
	}
	if texts == nil {
		texts = map[string]*source{}
	}
	return texts
}

// with is what is in force, but for the folder of the data files.
func (o *published) with(files dataFolder) *published {
	other := *o
	other.folder = files
	return &other
}

// asked returns the data files that live scripts have asked for, also in vain.
func (o *published) asked() map[string]bool {
	asked := map[string]bool{}
	for _, s := range o.live {
		for _, name := range s.asks {
			asked[name] = true
		}
	}
	return asked
}

// inForce returns the scripts, the data files and the scenes that are in force.
func (o *published) inForce() map[string]*source {
	all := maps.Clone(o.live)
	maps.Copy(all, o.data)
	maps.Copy(all, o.scenes)
	return all
}

// removeUnder marks the scripts and data files of a folder as removed.
func (o *published) removeUnder(prefix string, texts map[string]*source) {
	for _, name := range slices.Concat(slices.Collect(maps.Keys(o.live)), slices.Collect(maps.Keys(o.data)), slices.Collect(maps.Keys(o.scenes)), slices.Collect(maps.Keys(texts))) {
		if strings.HasPrefix(name, prefix) {
			texts[name] = &source{name: name, removed: true}
		}
	}
}
