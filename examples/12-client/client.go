package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/loop"
)

// What Go and the scripts share.
type (
	// Box is where an entity is: its middle, and its size, in points of the screen.
	Box struct{ X, Y, W, H float64 }
	// Was is where its middle was a step before.
	Was struct{ X, Y float64 }
	// Key is the event of a key that was pressed.
	Key struct{ Code uint8 }
	// Field is the resource that says how large the world is, and how the player does.
	Field struct {
		Width, Height float64
		Points, Lost  int64
	}
)

// The codes of keys.
const (
	keyStop  = 0
	keyLeft  = 1
	keyRight = 2
)

// client is a game that is drawn: a world and its scripts, steps of a fixed length, and pictures
// as often as anybody wants one.
type client struct {
	world  *ecs.World
	host   *scripting.Host
	paced  *loop.Loop
	follow *hotreload.Watcher
	screen *screen
	field  *Field

	box   ecs.Component[Box]
	was   ecs.Component[Was]
	key   ecs.Event[Key]
	all   *ecs.Query
	moved *ecs.Query
	down  uint8 // the key that steer has pressed
}

// stepsPerSecond is low, so that one sees what drawing between two steps is worth.
const stepsPerSecond = 20

// newClient makes the game from a folder of scripts, which it follows.
func newClient(dir string, options scripting.Options, clock loop.Clock, staged func()) (*client, error) {
	c := &client{world: ecs.NewWorld(), screen: newScreen(64, 40)}
	if err := c.open(dir, options, clock, staged); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// open makes what the game consists of.
func (c *client) open(dir string, options scripting.Options, clock loop.Clock, staged func()) (err error) {
	c.field = ecs.Provide(c.world, &Field{Width: 64, Height: 40})
	c.box, c.was = ecs.Register[Box](c.world), ecs.Register[Was](c.world)
	c.key = ecs.RegisterEvent[Key](c.world)
	c.all = c.world.Query(ecs.Read(c.box)).Optional(ecs.Read(c.was))
	c.moved = c.world.Query(ecs.Read(c.box), ecs.Write(c.was))
	if err := c.remember(); err != nil {
		return err
	}
	if c.host, err = scripting.New(c.world, options); err != nil {
		return err
	}
	if c.follow, err = hotreload.Follow(dir, following{c.host, staged}, hotreload.Options{}); err != nil {
		return err
	}
	c.paced, err = loop.New(loop.Options{Hz: stepsPerSecond, Clock: clock})
	return err
}

// remember adds what keeps the places of a step before. An entity that is new was where it is.
func (c *client) remember() error {
	err := c.was.Observe("was.begin", ecs.OnAdd, func(_ *ecs.Tick, e ecs.Entity, was *Was) error {
		if b, ok := c.box.Get(e); ok {
			*was = Was{b.X, b.Y}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.world.Schedule().Add(ecs.System{
		Name: "was", Phase: ecs.Input, Queries: []*ecs.Query{c.moved},
		Run: func(*ecs.Tick) error {
			for chunk := range c.moved.Chunks() {
				was, boxes := c.was.Mut(chunk), c.box.Of(chunk)
				for i := range was {
					was[i] = Was{boxes[i].X, boxes[i].Y}
				}
			}
			return nil
		},
	})
}

// frame makes the steps that are due, and returns a picture of the time between the last two.
func (c *client) frame() (string, error) {
	alpha, err := c.paced.Frame(c.host.Step)
	return c.draw(alpha), err
}

// draw returns a picture. With alpha 0 everything is where it was before the last step; with 1
// it would be where it is.
func (c *client) draw(alpha float64) string {
	c.screen.clear()
	for chunk := range c.all.Chunks() {
		was := c.was.Of(chunk) // nil where entities do not move
		for i, b := range c.box.Of(chunk) {
			if was != nil {
				b.X, b.Y = between(was[i].X, b.X, alpha), between(was[i].Y, b.Y, alpha)
			}
			c.screen.fill(b)
		}
	}
	state := ""
	if c.paced.Paused() {
		state = " · paused"
	} else if scale := c.paced.Scale(); scale != 1 {
		state = fmt.Sprintf(" · %g times as fast", scale)
	}
	return c.screen.text(fmt.Sprintf("%d points · %d lost%s", c.field.Points, c.field.Lost, state))
}

func between(from, to, alpha float64) float64 { return from + (to-from)*alpha }

// press tells the scripts of a key, in the next step.
func (c *client) press(code uint8) error { return c.key.Emit(Key{Code: code}) }

// steer presses a key unless it is down already.
func (c *client) steer(code uint8) error {
	if code == c.down {
		return nil
	}
	c.down = code
	return c.press(code)
}

// aim returns the key by which the paddle follows the ball: a player who never tires. The ball
// is what is 2 high and moves, the paddle what is 1 high.
func (c *client) aim() uint8 {
	var ball, paddle Box
	for chunk := range c.moved.Chunks() {
		for _, b := range c.box.Of(chunk) {
			if b.H == 1 {
				paddle = b
			} else {
				ball = b
			}
		}
	}
	switch off := ball.X - paddle.X - 2; {
	case math.Abs(off) < 2:
		return keyStop
	case off < 0:
		return keyLeft
	}
	return keyRight
}

// close ends what there is.
func (c *client) close() error {
	if c.follow != nil {
		c.follow.Close()
	}
	if c.host != nil {
		if err := c.host.Close(); err != nil {
			return err
		}
	}
	return c.world.Close()
}

// following is the host, which also says when a save is staged.
type following struct {
	*scripting.Host
	staged func()
}

// Stage implements hotreload.Stager.
func (f following) Stage(changed, removed []string) {
	f.Host.Stage(changed, removed)
	f.staged()
}
