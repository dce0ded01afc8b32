package scripting

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/perigee-ecs/perigee/ecs"
)

// Another Program takes the place of what a room runs: it is read and compiled once, and each room swaps it in.

// StageProgram stages what a [Program] has otherwise than the game: scripts, scenes and the data files that scripts
// have asked for, new ones, changed ones and those that are gone. The next Step takes all of it over or refuses it as
// a whole, as after [Host.StageContext], and what was refused or waits makes way for it. From a set that is taken
// over on, Stage reads from the folder behind the Program.
//
// The rooms of a server stage the same Program, each on its own goroutine or on any other. They share its texts and
// prototypes as rooms that load it do, and the kernels that the compiler makes of it with all rooms whose first
// Program was the same. O(files of the folder), and a dry run of what differs. The error wraps that of the context;
// [ErrClosed]; [ecs.ErrConflict] for a Program that Compile has not made; [ecs.ErrUnknown] before Load; or
// [ecs.ErrIterating] inside of a Stage. Nothing is staged then.
func (h *Host) StageProgram(ctx context.Context, p *Program) error {
	if err := begun(ctx, staging); err != nil {
		return err
	}
	h.mu.Lock()
	folder := h.folder
	h.mu.Unlock()
	switch {
	case h.gone():
		return fmt.Errorf("scripting: StageProgram: %w", ErrClosed)
	case !p.compiled():
		return fmt.Errorf("scripting: StageProgram: %w: Compile has not made this Program", ecs.ErrConflict)
	case folder == nil:
		return fmt.Errorf("scripting: StageProgram: %w: no folder is loaded yet, Load takes a Program, too", ecs.ErrUnknown)
	}
	named := slices.Sorted(maps.Keys(p.sources))
	return h.stageSet(ctx, stagedFrom{folder: p.folder, program: p}, named, func(seen *published, waiting *pending) map[string]*source {
		return h.differing(p, seen, waiting)
	})
}

// differing lists what a program has otherwise than what is in force, or waits.
func (h *Host) differing(p *Program, seen *published, waiting *pending) map[string]*source {
	staged := map[string]*source{}
	add := func(name string, now, wanted *source) {
		switch {
		case wanted == nil && now != nil:
			staged[name] = &source{name: name, removed: true}
		case wanted != nil && (now == nil || !bytes.Equal(now.text, wanted.text) || len(wanted.problems) > 0):
			staged[name] = wanted
		}
	}
	for name, s := range p.sources {
		add(name, seen.live[name], s)
	}
	for name, s := range seen.live {
		add(name, s, p.sources[name])
	}
	files := p.files(h.reader())
	data := func(name string, now *source) {
		s := files.read(name)
		if s.text == nil && len(s.problems) == 0 {
			s = nil // there is no such file
		}
		add(name, now, s)
	}
	for name, s := range seen.data {
		data(name, s)
	}
	for name, s := range seen.scenes {
		data(name, s)
	}
	for _, name := range files.names() {
		if isScene(name) && seen.scenes[name] == nil {
			data(name, nil)
		}
	}
	inForce := seen.inForce()
	for name := range seen.joined(waiting) { // what waits for a set that is accepted makes way
		if staged[name] == nil {
			staged[name] = cmp.Or(inForce[name], &source{name: name, removed: true})
		}
	}
	return staged
}

// files is where a host finds the data files of a program.
func (p *Program) files(r folderReader) dataFolder {
	return dataFolder{reader: r, fs: p.folder, program: p}
}

// enterProgram has the data files of a program in place of those of the folder, where a set comes from one. What it
// returns is called when the set has been taken over or not.
func (h *Host) enterProgram(p *Program) (leave func(taken bool)) {
	if p == nil {
		return func(bool) {}
	}
	before := h.dataFolder
	h.dataFolder = p.files(h.reader())
	return func(taken bool) {
		if !taken {
			h.dataFolder = before
			return
		}
		h.dataFolder.program = nil // a data file that changes is read anew
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.folder != nil {
			h.folder = p.folder
		}
	}
}
