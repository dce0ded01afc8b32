package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
)

// stepsPerSecond is how often the game moves. Pictures come as often as the screen wants them.
const stepsPerSecond = 60

// game is a world with the stock kit, and the scripts that play in it.
type game struct {
	world  *ecs.World
	host   *scripting.Host
	view   *kit.Screen
	paced  *loop.Loop
	follow *hotreload.Watcher
	news   string // the last verdict of a reload, or the last fault

	list   *kit.DrawList // what is to be drawn, as the last step has left it
	root   *os.Root      // of the folder, nil without one
	before places
	trails trails
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
	if err := g.openImages(dir, scripts); err != nil {
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
	if g.paced, err = loop.New(loop.Options{Hz: stepsPerSecond}); err != nil {
		return err
	}
	if dir == "" {
		return g.host.Load(scripts)
	}
	g.follow, err = hotreload.Follow(dir, g.host, hotreload.Options{})
	return err
}

// openImages makes the pictures of the folder assets, which scripts ask for with ecs.asset. A root lets no link lead out of the folder.
func (g *game) openImages(dir string, files fs.FS) (err error) {
	if dir != "" {
		if g.root, err = os.OpenRoot(dir); err != nil {
			return err
		}
		files = g.root.FS()
	}
	store, err := asset.Open(g.world, files)
	if err != nil {
		return err
	}
	return g.view.ShowImages(store, func(problem string) { g.news = problem })
}

// frame makes the steps that are due, and returns how far the time is between the last one and the next.
func (g *game) frame() (alpha float64, err error) {
	return g.paced.Frame(func(dt float64) error {
		g.remember()
		err := g.host.Step(dt)
		g.list.Update()
		g.trails.leave(g.list)
		return err
	})
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
	errs = append(errs, g.world.Close())
	if g.root != nil {
		errs = append(errs, g.root.Close())
	}
	return errors.Join(errs...)
}

// places are where entities were before the last step, by the numbers of their slots.
type places []place

// place is where an entity was.
type place struct {
	e    ecs.Entity
	x, y float64
}

// remember notes where everything is that is drawn.
func (g *game) remember() {
	for k := range g.list.Len() {
		one := g.list.At(k)
		g.before.note(one.Entity, one.X, one.Y)
	}
	for k := range g.list.Trails { // some have neither shape nor sprite
		one := &g.list.Trails[k]
		g.before.note(one.Entity, one.X, one.Y)
	}
}

// note keeps where an entity is.
func (p *places) note(e ecs.Entity, x, y float64) {
	i := int(e.Index())
	for i >= len(*p) {
		*p = append(*p, make(places, 1024)...)
	}
	(*p)[i] = place{e, x, y}
}

// jump is how far something moves in one step at most, in world units: what moves farther has come out elsewhere.
const jump = 100

// between returns where an entity is seen at a part of the time between its last two places.
func (g *game) between(e ecs.Entity, x, y, alpha float64) (float64, float64) {
	i := int(e.Index())
	if i >= len(g.before) || g.before[i].e != e {
		return x, y // it is new
	}
	was := g.before[i]
	dx, dy := x-was.x, y-was.y
	if !(dx*dx+dy*dy < jump*jump) {
		return x, y
	}
	return was.x + dx*alpha, was.y + dy*alpha
}

// folderOf checks a folder that somebody has named.
func folderOf(dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: errors.New("it is no folder")}
	}
	return err
}
