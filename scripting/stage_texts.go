package scripting

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// Texts that are in no folder: an editor or an assistant asks what would become of a script, or
// has the game run it, before it writes the file.

// CheckTexts returns what is wrong with new texts of scripts, data files and scenes, by path in the folder, as
// far as it can be known beside the game: what is no Lua, what fails at the top level, calls that are certain to
// fail, what the scripts that require them make of the new ones. Notes are what may not be meant. Texts that were
// refused and wait are tried together with them, and so is what was staged and no step has taken over yet. Nothing is staged, and nothing of the game changes; what only the
// step can find, as a conflict with a script that stays, is left to it.
//
// It takes as long as a [Host.StageContext] of the files, has the same limits, and may be called from any
// goroutine. The error wraps that of the context; [ErrClosed]; [ecs.ErrUnknown] before Load; [ecs.ErrRange] for a path that a
// file of a game cannot have; or [ecs.ErrIterating] inside of a Stage.
func (h *Host) CheckTexts(ctx context.Context, texts map[string][]byte) (problems, notes []*Error, err error) {
	files, err := h.textFiles(ctx, "CheckTexts", texts)
	if err != nil {
		return nil, nil, err
	}
	if !h.staging.Lock() {
		return nil, nil, insideOfStage(staging)
	}
	defer h.staging.Unlock()
	h.mu.Lock()
	seen, waiting := h.published, h.pending
	h.mu.Unlock()
	if seen == nil {
		return nil, nil, fmt.Errorf("scripting: CheckTexts: %w", ErrClosed)
	}
	p := &pending{announcement: announcement{files: files}.after(waiting), seen: seen}
	if h.gather(ctx, p); p.over != nil {
		return []*Error{p.over}, nil, nil
	}
	set := p.texts
	tried := h.dryRun(ctx, p.ground(h.reader()), set)
	defer tried.release()
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("scripting: CheckTexts: %w", ecs.ContextError(ctx))
	}
	return tried.found(set), tried.notes, nil
}

// found returns all that a dry run has found in a set. One that is unsure may be wrong: only the step decides.
func (r *dryRun) found(set map[string]*source) []*Error {
	if r.unsure {
		return nil
	}
	problems := slices.Clone(r.problems)
	modules := slices.DeleteFunc(slices.Clone(r.loader.order), func(m *module) bool { return set[m.name] == nil })
	for _, e := range r.vm.certain(r.loader, modules) {
		problems = add(problems, e)
	}
	for _, s := range set {
		if isDataFile(s.name) && !s.removed {
			for _, e := range s.problems {
				problems = add(problems, e)
			}
		}
	}
	r.vm.complete(problems)
	return sortProblems(problems)
}

// StageTexts is [Host.StageContext] of texts that stand in no file: the next Step takes them over or refuses them as
// a whole. The folder stays what it is, so a later change of one of these files there takes its place again. Errors are
// as of [Host.CheckTexts].
func (h *Host) StageTexts(ctx context.Context, texts map[string][]byte) error {
	files, err := h.textFiles(ctx, "StageTexts", texts)
	if err != nil {
		return err
	}
	return h.announce(ctx, "StageTexts", announcement{files: files})
}

// textFiles returns files that are to be read from texts. It keeps copies of them.
func (h *Host) textFiles(ctx context.Context, method string, texts map[string][]byte) (map[string]*source, error) {
	if h.gone() {
		return nil, fmt.Errorf("scripting: %s: %w", method, ErrClosed)
	}
	if err := begun(ctx, method); err != nil {
		return nil, err
	}
	over := texted{texts: map[string][]byte{}}
	files := map[string]*source{}
	for name, text := range texts {
		if !fs.ValidPath(name) || name == "." || !isSource(name) || !nameable(name) {
			return nil, fmt.Errorf("scripting: %s: %w: %.200q is no path of a script: expected one in the folder of the game with / between its parts, such as ai/wolf.lua", method, ecs.ErrRange, name)
		}
		over.texts[name] = slices.Clone(text)
	}
	h.mu.Lock()
	over.FS = h.folder
	h.mu.Unlock()
	switch {
	case h.gone(): // in the meantime
		return nil, fmt.Errorf("scripting: %s: %w", method, ErrClosed)
	case over.FS == nil:
		return nil, fmt.Errorf("scripting: %s: %w: no folder is loaded yet", method, ecs.ErrUnknown)
	}
	for name := range texts {
		files[name] = &source{name: name, from: over}
	}
	return files, nil
}

// texted is a folder with texts in place of some of its files.
type texted struct {
	fs.FS
	texts map[string][]byte
}

// ReadFile implements fs.ReadFileFS.
func (f texted) ReadFile(name string) ([]byte, error) {
	if text, ok := f.texts[name]; ok {
		return slices.Clone(text), nil
	}
	return fs.ReadFile(f.FS, name)
}

// Stat implements fs.StatFS. A folder without Stat checks its files when they are read: to open one
// to look at it may wait without end, as for a pipe.
func (f texted) Stat(name string) (fs.FileInfo, error) {
	text, ok := f.texts[name]
	if stats, can := f.FS.(fs.StatFS); can && !ok {
		return stats.Stat(name)
	}
	return textInfo{path.Base(name), int64(len(text))}, nil
}

// textInfo describes a text as a regular file.
type textInfo struct {
	name string
	size int64
}

func (i textInfo) Name() string       { return i.name }
func (i textInfo) Size() int64        { return i.size }
func (i textInfo) Mode() fs.FileMode  { return 0o444 }
func (i textInfo) ModTime() time.Time { return time.Time{} }
func (i textInfo) IsDir() bool        { return false }
func (i textInfo) Sys() any           { return nil }
