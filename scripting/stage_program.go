package scripting

import (
	"bytes"
	"context"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// Another Program takes the place of what a room runs: it is read and compiled once, and each room swaps it in.

// StageProgram stages what a [Program] has otherwise than the game: scripts, scenes and the data files that scripts
// have asked for, new ones, changed ones and those that are gone. The next Step takes scripts and data files over or
// refuses them as a whole, as after [Host.StageContext]; scenes follow as a set of their own. What was refused or waits
// makes way for it, and of a Program that is refused nothing waits: stage another one, or go back to the one that runs, over which
// the verdict is that nothing has changed. From the step that has taken
// it over on, Stage reads from the folder behind the Program.
//
// The rooms of a server stage the same Program, each on its own goroutine or on any other. From then on they share its texts,
// prototypes and kernels as rooms that load it do, and keep nothing of the Program before but functions that
// run on. O(files of the game), and a dry run of what differs. The error wraps that of the context;
// [ErrClosed]; [ecs.ErrConflict] for a Program that Compile has not made; [ecs.ErrUnknown] before Load; or
// [ecs.ErrIterating] inside of a Stage. Nothing is staged then.
func (h *Host) StageProgram(ctx context.Context, p *Program) error {
	if h.gone() {
		return fmt.Errorf("scripting: StageProgram: %w", ErrClosed)
	}
	if err := begun(ctx, "StageProgram"); err != nil {
		return err
	}
	h.mu.Lock()
	folder := h.folder
	h.mu.Unlock()
	switch {
	case h.gone(): // in the meantime
		return fmt.Errorf("scripting: StageProgram: %w", ErrClosed)
	case !p.compiled():
		return fmt.Errorf("scripting: StageProgram: %w: Compile has not made this Program", ecs.ErrConflict)
	case folder == nil:
		return fmt.Errorf("scripting: StageProgram: %w: no folder is loaded yet, Load takes a Program, too", ecs.ErrUnknown)
	}
	return h.announce(ctx, "StageProgram", announcement{program: p})
}

// differing lists what a program has otherwise than what is in force.
func (p *Program) differing(seen *published, r folderReader) map[string]*source {
	other := map[string]*source{}
	add := func(name string, now, wanted *source) {
		switch {
		case wanted == nil && now != nil:
			other[name] = &source{name: name, removed: true}
		case wanted != nil && (now == nil || !bytes.Equal(now.text, wanted.text) || len(now.problems) > 0 != (len(wanted.problems) > 0)):
			other[name] = wanted
		}
	}
	for name, s := range p.sources {
		add(name, seen.live[name], s)
	}
	for name, s := range seen.live {
		add(name, s, p.sources[name])
	}
	files := p.files(r)
	data := func(name string, now *source) { add(name, now, there(files.read(name))) }
	for name := range seen.asked() {
		data(name, there(seen.data[name]))
	}
	for name, s := range seen.scenes {
		data(name, s)
	}
	for _, name := range files.scenes() {
		if seen.scenes[name] == nil {
			data(name, nil)
		}
	}
	return other
}

// there returns a data file that exists, nil for one that was looked for in vain.
func there(s *source) *source {
	if s == nil || s.text == nil && len(s.problems) == 0 {
		return nil
	}
	return s
}

// files is where a host finds the data files of a program.
func (p *Program) files(r folderReader) dataFolder {
	return dataFolder{reader: r, fs: p.folder, program: p}
}

// enterProgram has the data files and the translations of a program in place of those of before, where a set comes
// from one. What it returns is called when the set has been taken over or not.
func (h *Host) enterProgram(p *Program) (leave func(taken bool)) {
	if p == nil {
		return func(bool) {}
	}
	files, translations, program := h.dataFolder, h.translations, h.kernels.program
	h.dataFolder, h.translations = p.files(h.reader()), &p.translations
	h.kernels.program = p
	return func(taken bool) {
		if !taken {
			h.dataFolder, h.translations, h.kernels.program = files, translations, program
			return
		}
		h.entered, h.dataFolder.program = p, nil // a data file that changes is read anew
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.folder != nil {
			h.folder = p.folder
		}
	}
}
