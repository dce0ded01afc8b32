package game

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// Games that are saved and loaded: perigee run with --load, --save and --slots.

// Restore brings back a game from a save. The game must have loaded its scripts, and have the tag of
// the save.
func (g *Game) Restore(f *save.File) (saves.Loaded, error) {
	loaded, err := saves.Load(f, g.host, save.LoadOptions{})
	if err == nil {
		g.fetchAssets()
	}
	return loaded, err
}

// Against says what Restore would change.
func (g *Game) Against(f *save.File) (*save.Report, error) {
	return saves.Check(f, g.host, save.LoadOptions{})
}

// SaveTo writes the game to a file, and waits for that. The world must be between two ticks.
func (g *Game) SaveTo(path string) error {
	if g.cut {
		return errors.New("the game is not saved: its last tick was cut short")
	}
	s, err := g.host.Capture()
	if err != nil {
		return fmt.Errorf("the game is not saved: %w", err)
	}
	return saves.ToFile(path, s, save.Options{})
}

// Keep saves the game into a folder while it runs, every so many seconds of the simulation; 0: only
// when scripts ask for it. With wait, a tick waits for the save before, so that the disk's time makes no
// difference. What goes wrong is logged.
func (g *Game) Keep(dir string, every float64, wait bool) (err error) {
	g.slots, err = saves.OpenFolder(g.host, dir, saves.Options{
		Every: every,
		Wait:  wait,
		OnSaved: func(slot string, err error) {
			if err != nil {
				g.options.Log.Warn(fmt.Sprintf("slot %s is not saved: %v", slot, err))
			}
		},
		OnLoaded: func(slot string, _ saves.Loaded, err error) {
			if err != nil {
				g.options.Log.Warn(fmt.Sprintf("slot %s is not loaded: %v", slot, err))
				return
			}
			g.fetchAssets()
		},
	})
	return err
}

// kept does what is due in the folder of saves, after a tick.
func (g *Game) kept() {
	if g.slots == nil || g.cut {
		return
	}
	if err := g.slots.After(); err != nil {
		g.options.Log.Warn(fmt.Sprintf("the game is not saved: %v", err))
	}
}
