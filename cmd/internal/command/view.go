package command

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// The page of perigee run --view: where it is served, and who may see it.

// anyPort is the address of --view without one.
const anyPort = "127.0.0.1:0"

// noPage is the page of a run without --view.
type noPage struct{}

func (noPage) Close() error { return nil }

// usualRewind is what the page keeps when it asks for it.
const usualRewind = 30 * time.Second

// mostRewind bounds --rewind in ticks, and mostRewindMiB --rewind-mib.
const mostRewind, mostRewindMiB = 1_000_000, 1 << 20

// kept returns the bounds of what is kept of the last ticks.
func (f *runFlags) kept() (o snapshot.RingOptions, err error) {
	long := f.rewind
	if long == 0 {
		long = usualRewind
	}
	ticks := math.Ceil(long.Seconds() * f.pace.Hz)
	switch {
	case long < 0:
		return o, usageError{errors.New("--rewind takes a time such as 30s")}
	case ticks > mostRewind && f.rewind != 0:
		return o, usageError{fmt.Errorf("--rewind %v is more than a million ticks, at %g a second", f.rewind, f.pace.Hz)}
	case f.rewindMiB == 0 || f.rewindMiB > mostRewindMiB:
		return o, usageError{fmt.Errorf("--rewind-mib takes a whole number from 1 to %d", mostRewindMiB)}
	}
	return snapshot.RingOptions{Ticks: int(min(max(ticks, 1), mostRewind)), Bytes: int64(f.rewindMiB) << 20}, nil
}

// serve serves the page, if it is wanted, until the result is closed. What goes wrong later is shown.
func (f *runFlags) serve(g *game.Game, dir string, screen *status.Screen) (io.Closer, error) {
	if f.view == "" {
		if f.edit {
			return nil, fmt.Errorf("--edit is for the page of --view: give both, or neither")
		}
		if f.rewind != 0 {
			return nil, fmt.Errorf("--rewind is for the page of --view: give both, or neither")
		}
		return noPage{}, nil
	}
	kept, err := f.kept()
	if err != nil {
		return nil, err
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
		Loop: pace, Session: g.Session(), Rewind: kept, Keep: f.rewind > 0, View: g.View(), Play: g.Play, Control: true, Edit: f.edit, Remote: !ok || !at.IP.IsLoopback(),
		Token: os.Getenv(tokenVariable), Name: filepath.Base(dir), Logger: slog.New(slog.DiscardHandler), // what clients get wrong is no news for the one who plays
	})
	if err != nil {
		return nil, errors.Join(ofToken(err), l.Close())
	}
	go func() {
		if err := page.Serve(l); err != nil {
			screen.Alert("the page of --view has ended: " + err.Error())
		}
	}()
	screen.Print("see and play it: " + page.URL(l.Addr().String()))
	return page, nil
}

// tokenVariable names the variable of the environment that may have the token of the page: command lines are no secret.
const tokenVariable = "PERIGEE_TOKEN"

// ofToken says where the token is from, if one was given that cannot be.
func ofToken(err error) error {
	if errors.Is(err, inspect.ErrToken) {
		return fmt.Errorf("%s: %w", tokenVariable, inspect.ErrToken)
	}
	return err
}
