package main

import (
	"errors"
	"io/fs"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
)

// game is a world with the stock kit, and the scripts that play in it.
type game struct {
	world  *ecs.World
	host   *scripting.Host
	view   *kit.Screen
	paced  *loop.Loop
	follow *hotreload.Watcher
	news   string // the last verdict of a reload, or the last fault

	list  *kit.DrawList // what is to be drawn
	cells []cell
}

// newGame opens a game with the scripts of a folder on disk, which reload when they are saved, or without one with
// those of a file system.
func newGame(dir string, scripts fs.FS) (*game, error) {
	g := &game{world: ecs.NewWorld()}
	if err := g.open(dir, scripts); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// open makes what the game consists of.
func (g *game) open(dir string, scripts fs.FS) error {
	stock, err := kit.Install(g.world, kit.Options{})
	if err != nil {
		return err
	}
	if g.view, err = kit.InstallView(g.world); err != nil {
		return err
	}
	if g.list, err = kit.NewDrawList(g.world); err != nil {
		return err
	}
	g.host, err = scripting.New(g.world, scripting.Options{
		OnReload: func(r scripting.Reload) { g.news = r.String() },
		OnError:  func(e *scripting.Error) { g.news = e.Error() },
	})
	if err != nil {
		return err
	}
	if err := stock.Expose(g.host.Expose); err != nil {
		return err
	}
	if g.paced, err = loop.New(loop.Options{Hz: 60}); err != nil {
		return err
	}
	if dir == "" {
		return g.host.Load(scripts)
	}
	g.follow, err = hotreload.Follow(dir, g.host, hotreload.Options{})
	return err
}

// close ends all, the watcher first.
func (g *game) close() error {
	var errs []error
	if g.follow != nil {
		errs = append(errs, g.follow.Close())
	}
	if g.host != nil {
		errs = append(errs, g.host.Close())
	}
	return errors.Join(append(errs, g.world.Close())...)
}
