package command

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"

	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// The page of perigee run --view: where it is served, and who may see it.

// anyPort is the address of --view without one.
const anyPort = "127.0.0.1:0"

// noPage is the page of a run without --view.
type noPage struct{}

func (noPage) Close() error { return nil }

// serve serves the page, if it is wanted, until the result is closed. What goes wrong later is shown.
func (f *runFlags) serve(g *game.Game, dir string, screen *status.Screen) (io.Closer, error) {
	if f.view == "" {
		if f.edit {
			return nil, fmt.Errorf("--edit is for the page of --view: give both, or neither")
		}
		return noPage{}, nil
	}
	if f.edit && f.record != "" {
		return nil, fmt.Errorf("--edit changes what no recording has: leave out --edit or --record")
	}
	pace, err := g.Loop(f.pace)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", f.view)
	if err != nil {
		return nil, fmt.Errorf("--view: %w", err)
	}
	at, ok := l.Addr().(*net.TCPAddr)
	page, err := inspect.New(g.Host(), inspect.Options{
		Loop: pace, View: g.View(), Play: g.Play, Control: true, Edit: f.edit, Remote: !ok || !at.IP.IsLoopback(),
		Name: filepath.Base(dir), Logger: slog.New(slog.DiscardHandler), // what clients get wrong is no news for the one who plays
	})
	if err != nil {
		l.Close()
		return nil, err
	}
	go func() {
		if err := page.Serve(l); err != nil {
			screen.Alert("the page of --view has ended: " + err.Error())
		}
	}()
	screen.Print("see and play it: " + page.URL(l.Addr().String()))
	return page, nil
}
