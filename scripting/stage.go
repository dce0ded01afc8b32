package scripting

import (
	"context"
	"errors"
	"fmt"
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
	live         map[string]*source
	data         map[string]*source // data files that these have asked for
	scenes       map[string]*source // scenes that were read
	folder       dataFolder
	program      *Program             // from which the host has loaded, or that was taken over last; nil for none
	translations *kernel.Translations // of kernels, nil for none
	refused      map[string]*source   // texts that wait for a set that is accepted
	rejected     map[string]*source   // what the last set had otherwise, if it was a Program's and refused: to be looked at, nothing of it waits
	catalog      *bindings.Catalog
	exposed      map[string]lua.LValue
	assets       *asset.Store // nil: the world has none
	memory       kernelMemory
}

// announcement is what stagings have announced since the last time that a step took a set over.
type announcement struct {
	program *Program           // that takes the place of what is in force, before the files; nil for none
	files   map[string]*source // by path, and folders that are removed
}

// pending is a set of files that waits for the next step.
//
// Invariants: texts follow from seen and from what was announced, see gather, and dryRun from these. A set that
// does not know what is in force when a step takes it is gathered anew.
type pending struct {
	announcement
	texts  map[string]*source
	over   *Error // the limit that the folder is beyond; nil for none
	seen   *published
	dryRun *dryRun // of texts; nil when there was none
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
// Load there is nothing to stage. Kernels are compiled here as well. Those for which the running game has other
// values than the text are compiled beside the steps after that, but for two small ones, see KernelStatus.Comes.
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
	if err := begun(ctx, "StageContext"); err != nil {
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
	files := map[string]*source{}
	for _, name := range changed {
		switch {
		case isSource(name) && !nameable(name):
			h.reader().warnName(name)
		case isSource(name):
			files[name] = &source{name: name, from: folder}
		}
	}
	for _, name := range removed {
		files[name] = &source{name: name, removed: true}
	}
	return h.announce(ctx, "StageContext", announcement{files: files})
}

// announce stages a set for a method, together with what waits.
func (h *Host) announce(ctx context.Context, method string, a announcement) error {
	if !h.staging.Lock() {
		return insideOfStage(staging)
	}
	defer h.staging.Unlock()
	ended := false
	defer func() {
		if !ended {
			h.noteUnfinished(a.names())
		}
	}()
	for {
		done, err := h.dryRunWith(ctx, a)
		if err != nil {
			err = fmt.Errorf("scripting: %s: %w", method, err)
		}
		if done || err != nil {
			ended = true
			return err
		}
	}
}

// names lists what was announced, for messages.
func (a *announcement) names() []string {
	names := slices.Collect(maps.Keys(a.files))
	if a.program != nil {
		names = slices.AppendSeq(names, maps.Keys(a.program.sources))
	}
	slices.Sort(names)
	return names
}

// after returns what is announced when something else was before. A program takes the place of all that, a folder
// that is removed takes along what lies in it.
func (a announcement) after(before *pending) announcement {
	files := map[string]*source{}
	if before != nil && a.program == nil {
		maps.Copy(files, before.files)
		if before.program != nil {
			a.program = before.program
		}
	}
	for name, s := range a.files {
		if !s.removed || isSource(name) {
			continue
		}
		for other := range files {
			if strings.HasPrefix(other, name+"/") {
				files[other] = &source{name: other, removed: true}
			}
		}
	}
	maps.Copy(files, a.files)
	a.files = files
	return a
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
// meantime, or has ended a swap: then the set has to be put together anew. A step does that
// once for each set, so this ends.
func (h *Host) dryRunWith(ctx context.Context, a announcement) (done bool, err error) {
	h.mu.Lock()
	seen, waiting, taking := h.published, h.pending, h.taking
	h.mu.Unlock()
	if seen == nil {
		return true, nil // closed
	}
	p := &pending{announcement: a.after(waiting), seen: seen}
	h.gather(ctx, p)
	if a.program != nil && seen.program == a.program && len(p.texts)+len(seen.refused)+len(seen.rejected) == 0 && waiting == nil && !taking {
		return true, nil // it is in force, and no verdict says otherwise
	}
	for name := range a.files {
		if s := p.files[name]; s != nil {
			a.files[name] = s // read once, even if this is tried again
		}
	}
	if p.over == nil && len(p.texts) > 0 {
		p.dryRun = h.dryRun(ctx, p.ground(h.reader()), p.texts)
	}
	if ctx != nil && ctx.Err() != nil {
		p.release()
		return false, ecs.ContextError(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.published != seen || h.pending != waiting || h.taking != taking {
		p.release()
		return false, nil
	}
	waiting.release()
	h.pending = p
	return true, nil
}

// gather puts the texts of a set together, from what was announced and what is in force. Files that it
// reads are read once.
func (h *Host) gather(ctx context.Context, p *pending) {
	r := h.reader()
	r.ctx = ctx
	texts := maps.Clone(p.seen.refused)
	if p.program != nil {
		p.over = r.within(p.program.texts())
		texts = p.program.differing(p.seen, r) // what was refused makes way
	}
	p.texts = p.seen.joined(texts, p.files)
	if p.over == nil {
		p.over = r.fill(p.texts, p.ground(r).inForce())
	}
	for name := range p.files {
		if s := p.texts[name]; s != nil {
			p.files[name] = s
		}
	}
}

// ground is what a set is tried against: what is in force, with the data files of its program.
func (p *pending) ground(r folderReader) *published {
	if p.program == nil {
		return p.seen
	}
	other := *p.seen
	other.folder, other.translations, other.program = p.program.files(r), &p.program.translations, p.program
	return &other
}

// take returns the set that waits, nil for none. One that does not know what is in force now, because
// it was put together while a load or a swap went on, or something else was published since, is put together anew,
// and has no dry run. Until the next publish, stagings know that a set is being taken.
func (h *Host) take() *pending {
	h.mu.Lock()
	p, now := h.pending, h.published
	h.pending, h.taking = nil, p != nil
	h.mu.Unlock()
	if p == nil || p.seen == now {
		return p
	}
	p.release()
	again := &pending{announcement: p.announcement, seen: now}
	again.files = maps.Clone(p.files) // a Stage that has begun reads the others
	h.gather(noContext, again)
	return again
}

// taken says that no set is being taken any more, where nothing was published.
func (h *Host) taken() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taking = false
}

// publish says what is in force after a load or a swap, and which texts were refused and
// wait for the next set.
func (h *Host) publish(refused map[string]*source) {
	now := &published{
		live: h.sources(), data: maps.Clone(h.dataFiles), scenes: maps.Clone(h.scenes.files), folder: h.dataFolder,
		program: h.entered, translations: h.translations, refused: refused, rejected: h.rejected, catalog: h.binding.Catalog(), exposed: maps.Clone(h.exposed), assets: asset.Of(h.world), memory: kernelMemoryOf(h.world),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.published, h.taking = now, false
}

// publishScenes says which scenes were read. A set that waits goes on waiting: its dry run asks for none of them. But
// what a program has otherwise depends on them.
func (h *Host) publishScenes() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.published == nil {
		return
	}
	now := *h.published
	now.scenes = maps.Clone(h.scenes.files)
	if h.pending != nil && h.pending.seen == h.published && h.pending.program == nil {
		h.pending.seen = &now
	}
	h.published = &now
}

// unpublish ends staging: what is staged later is forgotten.
func (h *Host) unpublish() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending.release()
	h.folder, h.published, h.pending = nil, nil, nil
}

// joined joins files with texts that wait. A file that is removed and was never in force is nothing
// to reload.
func (o *published) joined(texts, files map[string]*source) map[string]*source {
	if texts == nil {
		texts = map[string]*source{}
	}
	maps.DeleteFunc(texts, func(_ string, s *source) bool { return s.folder })
	for name, s := range files {
		if s.removed && !isSource(name) {
			o.removeUnder(name+"/", texts)
		}
	}
	for name, s := range files {
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
