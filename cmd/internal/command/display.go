package command

import (
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
)

// What a run shows while it runs. It belongs to the goroutine that ticks the game, like
// the game itself; only the screen is safe for others.

// display shows a running game: on a terminal as a block of lines twice a second, which is
// as fast as figures can be read; elsewhere as one line a second.
type display struct {
	game   *game.Game
	screen *status.Screen
	view   status.Report // the last view that was shown
	began  time.Time
	shown  time.Time     // when the view was shown
	spent  time.Duration // how long all ticks up to then have taken
	every  time.Duration // time between two views
}

// newDisplay begins to show a game. The first figures come after a full period, so that
// they are means.
func newDisplay(g *game.Game, dir string, hz float64, screen *status.Screen) *display {
	d := &display{
		game: g, screen: screen, began: time.Now(), shown: time.Now(), every: time.Second,
		view: status.Report{Title: dir, Hz: hz, Hint: "edit the scripts in " + dir + " and save; Ctrl-C ends the run"},
	}
	if screen.Live() {
		d.every = time.Second / 2
	}
	return d
}

// tick shows the game if it is time to. It is called after each tick, and mostly only
// reads the clock.
func (d *display) tick() {
	now := time.Now()
	if now.Sub(d.shown) < d.every {
		return
	}
	d.look(now)
	if d.screen.Live() {
		d.screen.Show(&d.view)
	} else {
		d.screen.Print(d.view.Line())
	}
}

// look brings the view up to date: rates and times are those since the last view.
func (d *display) look(now time.Time) {
	v, m := &d.view, d.game.Meter()
	ticks, spent, counts := m.Ticks.Len(), m.Ticks.Sum(), d.game.Counts()
	v.Window = ticks - v.Ticks
	v.Rate = float64(v.Window) / now.Sub(d.shown).Seconds()
	v.Tick = (spent - d.spent) / time.Duration(max(v.Window, 1))
	v.Ticks, v.Elapsed, v.Entities, v.Systems = ticks, now.Sub(d.began), d.game.World().Len(), m.Shares()
	v.Reloads, v.Refused, v.Errors = counts.Reloads, counts.Refused, counts.Errors
	v.Each, v.Compiled, v.Kernel, v.VM = 0, 0, status.Work{}, status.Work{}
	for _, k := range d.game.Kernels() {
		if v.Each++; k.Compiled {
			v.Compiled++
		}
	}
	v.Places = map[string]string{}
	for _, r := range d.game.Ran() {
		own := r.Own()
		v.Kernel.Add(own.Kernel.Rows, own.Kernel.Time)
		v.VM.Add(own.VM.Rows, own.VM.Time)
		if !r.Called {
			v.Places[r.System] = game.Place(&r)
		}
	}
	d.shown, d.spent = now, spent
}
