// Package saves keeps games: a world together with what its scripts keep, in files of package save.
//
// One call writes what was captured, and one brings it back:
//
//	s, err := host.Capture()                                // between two steps
//	err = saves.ToFile("one.save", s, save.Options{})       // on any goroutine
//	loaded, err := saves.Load(file, host, save.LoadOptions{})
//
// There are three nouns. A [Folder] is a folder of saves, by the names of slots, for a game that runs: it captures
// between two steps, writes beside the game, saves on its own from time to time, and does what
// scripts ask for with ecs.save and ecs.load. A [Slot] is what it has of one name. An [Excerpt] is
// entities of a save as a scene, which other games load.
//
// A game that was loaded goes on as one that was never stopped, if the program has loaded the same
// scripts and opened its world with the tag of the save; see packages snapshot and save for what that
// means, and [scripting.Host.Restore] for scripts.
// Where scripts are newer than the save, their components are converted as in a reload: by name,
// with the migrate, drop and was of their declarations. Components whose last script was gone before the save, and whose values
// have stayed, unseen, are in the world again as they were. Those that a script declared when it was saved, and none
// declares now, are lost: a load refuses that.
package saves

import (
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
)

// Section is the name of the section of a save that has what scripts keep.
const Section = "scripts.json"

// Write writes a game that was captured. It may run on any goroutine while the game goes on, as long
// as the snapshot is neither updated nor restored. The errors are those of [save.Write], and
// [ecs.ErrConflict] for a section of the program with the name of [Section].
func Write(w io.Writer, s *scripting.Snapshot, o save.Options) error {
	o, err := withScripts(s, o)
	if err != nil {
		return err
	}
	return save.Write(w, s.World(), o)
}

// ToFile writes a game to a file, so that there is the old save or the new one whatever fails: see
// [save.ToFile], whose errors it has, and that of [Write].
func ToFile(path string, s *scripting.Snapshot, o save.Options) error {
	o, err := withScripts(s, o)
	if err != nil {
		return err
	}
	return save.ToFile(path, s.World(), o)
}

// withScripts adds what scripts keep.
func withScripts(s *scripting.Snapshot, o save.Options) (save.Options, error) {
	if _, taken := o.Sections[Section]; taken {
		return o, fmt.Errorf("saves: %w: the section %q is for what scripts keep: give yours another name", ecs.ErrConflict, Section)
	}
	sections := map[string][]byte{}
	maps.Copy(sections, o.Sections)
	sections[Section] = s.Scripts().Encode()
	o.Sections = sections
	return o, nil
}

// Loaded says what a load has changed, and what it has found of the scripts.
type Loaded struct {
	*save.Report
	scripting.Restored
}

// Load brings a game back into a host that has loaded its scripts: the world and what the scripts
// keep, or nothing of both. A save without scripts, of a host without them, restores the world alone. The errors are those of
// [save.File.Load], [scripting.ReadScripts] and [scripting.Host.RestoreScripts].
func Load(f *save.File, h *scripting.Host, o save.LoadOptions) (loaded Loaded, err error) {
	if h.World() == nil {
		return loaded, fmt.Errorf("saves: %w: there is no host", ecs.ErrConflict)
	}
	text, err := f.Section(Section)
	if err != nil {
		return loaded, err
	}
	if text == nil {
		loaded.Report, err = f.Load(h.World(), evolving(h, nil, o))
		return loaded, err
	}
	scripts, err := scripting.ReadScripts(text, h.Limits())
	if err != nil {
		return loaded, err
	}
	if err := together(f, scripts); err != nil {
		return loaded, err
	}
	loaded.Restored, err = h.RestoreScripts(scripts, func() (err error) {
		loaded.Report, err = f.Load(h.World(), evolving(h, scripts, o))
		return err
	})
	return loaded, err
}

// Check says what Load would change, and changes nothing. The scripts' part is read, too.
func Check(f *save.File, h *scripting.Host, o save.LoadOptions) (*save.Report, error) {
	if h.World() == nil {
		return nil, fmt.Errorf("saves: %w: there is no host", ecs.ErrConflict)
	}
	var scripts *scripting.Scripts
	text, err := f.Section(Section)
	if err == nil && text != nil {
		if scripts, err = scripting.ReadScripts(text, h.Limits()); err == nil {
			err = together(f, scripts)
		}
	}
	var report *save.Report
	checked := h.TryOut(func() (err error) {
		report, err = f.Check(h.World(), evolving(h, scripts, o))
		return err
	})
	return report, errors.Join(err, checked)
}

// together says when the two parts of a save are not of the same moment.
func together(f *save.File, scripts *scripting.Scripts) error {
	n, seconds := f.Tick()
	if tick, time := scripts.Tick(); n != tick || seconds != time {
		return fmt.Errorf("saves: %w: the world is of tick %d at %v seconds, and what scripts keep of tick %d at %v", save.ErrDamaged, n, seconds, tick, time)
	}
	return nil
}

// evolving adds what the declarations of scripts say about values of older ones, and what a save says of values that
// nothing declared.
func evolving(h *scripting.Host, saved *scripting.Scripts, o save.LoadOptions) save.LoadOptions {
	migrate, drops, renamed, adopts, reads := o.Migrate, o.Drops, o.Renamed, o.Adopts, o.Reads
	o.Reads = func(reader string) bool { return h.Reads(saved, reader) && (reads == nil || reads(reader)) }
	o.Adopts = func(name string, event bool) bool {
		return adopts != nil && adopts(name, event) || saved.Unseen(name, event)
	}
	o.Migrate = func(old, now *ecs.Schema) ecs.Convert {
		if migrate != nil {
			if convert := migrate(old, now); convert != nil {
				return convert
			}
		}
		convert, _ := h.Evolution(old, now)
		return convert
	}
	o.Drops = func(old, now *ecs.Schema) []string {
		_, fields := h.Evolution(old, now)
		if drops != nil {
			fields = append(fields, drops(old, now)...)
		}
		return fields
	}
	o.Renamed = func(name string) string {
		if renamed != nil {
			if now := renamed(name); now != "" {
				return now
			}
		}
		return h.Renamed(name)
	}
	return o
}
