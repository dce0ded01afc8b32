package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
)

// What a room may take: of memory, and of clients.
const (
	ticksPerSecond = 30
	maxEntities    = 5_000
	maxArena       = 32 << 20 // bytes
	maxClients     = 16
)

var (
	errFull = errors.New("the room is full")
	errBusy = errors.New("the room is busy")
	errIdle = errors.New("nobody was here for a while")
)

// room is a game of its own: a world, its scripts, and the clients that see it. All of it but
// join, leave and steer belongs to the goroutine of run.
type room struct {
	id        string
	log       *slog.Logger
	world     *ecs.World
	host      *scripting.Host
	inbox     *ecs.Inbox
	paced     *loop.Loop
	deltas    *deltas
	steering  ecs.Component[Steering]
	spawn     func(*ecs.Commands) ecs.Entity
	clients   []*client // in the order in which they came
	idleAfter time.Duration
	lastSeen  time.Time         // when there was a client
	published func(tick uint64) // for tests: after each tick, before clients get it

	present atomic.Int64  // clients, those on their way included
	ended   chan struct{} // closed when the room makes no more steps
	why     error         // set before that
	figures figures
}

// limits of the scripts of a room: those for players, and less memory than a single game has.
func limits() scripting.Limits {
	l := scripting.ReleaseLimits(ticksPerSecond)
	l.Held, l.HeldTotal = 4<<20, 8<<20
	return l
}

// newRoom makes a room with its world and loads the scripts, which are compiled already.
func newRoom(id string, seed uint64, program *scripting.Program, log *slog.Logger) (*room, error) {
	r := &room{
		id: id, log: log.With("room", id), ended: make(chan struct{}),
		idleAfter: idleAfter, lastSeen: time.Now(), published: func(uint64) {},
	}
	var err error
	r.world, err = ecs.Open(ecs.Options{Seed: seed, MaxEntities: maxEntities, MaxBytes: maxArena})
	if err != nil {
		return nil, err
	}
	if err := r.load(program); err != nil {
		return nil, errors.Join(err, r.end())
	}
	return r, nil
}

// load furnishes the world and loads the scripts into it.
func (r *room) load(program *scripting.Program) error {
	stock, err := kit.Install(r.world, kit.Options{})
	if err != nil {
		return err
	}
	if err := r.register(); err != nil {
		return err
	}
	r.host, err = scripting.New(r.world, scripting.Options{Logger: r.log, Limits: limits()})
	if err != nil {
		return err
	}
	if err := stock.Expose(r.host.Expose); err != nil {
		return err
	}
	return r.host.Load(program)
}

// register makes what Go and the scripts share, and what a player begins with.
func (r *room) register() (err error) {
	r.deltas = newDeltas(r.world)
	r.steering = ecs.Register[Steering](r.world)
	velocity, collider := ecs.Register[kit.Velocity](r.world), ecs.Register[kit.Collider](r.world)
	edge := ecs.Register[kit.Edge](r.world)
	const player, coin = 1, 2 // layers
	r.spawn = func(c *ecs.Commands) ecs.Entity {
		return c.Spawn(
			r.deltas.position.With(kit.Position{X: 500, Y: 500}), velocity.With(kit.Velocity{}),
			collider.With(kit.Collider{Radius: 12, Layer: player, Mask: coin}), edge.With(kit.Edge{Rule: kit.Stop}),
			r.steering.With(Steering{}), r.deltas.look.With(Look{Kind: kindPlayer}))
	}
	// A client has at most one wish in the inbox, and one message for its coming.
	if r.inbox, err = ecs.NewInbox(r.world, 4*maxClients); err != nil {
		return err
	}
	r.paced, err = loop.New(loop.Options{Hz: ticksPerSecond})
	return err
}

// run plays until the context ends, or nobody is here for a while. Then it ends the host and
// the world; clients learn why from the room.
func (r *room) run(ctx context.Context) error {
	r.why = r.paced.Run(ctx, func(dt float64) error { return r.step(ctx, dt) })
	if ctx.Err() != nil {
		r.why = context.Cause(ctx)
	}
	close(r.ended)
	return r.end()
}

// farewell is what clients learn of the room's end. Other errors are for the log.
func (r *room) farewell() string {
	for _, known := range []error{errShutdown, errDeleted, errIdle} {
		if errors.Is(r.why, known) {
			return known.Error()
		}
	}
	return "the room has failed"
}

// step is one tick. A mistake of a script is no error of it. What goes wrong in Go, such as a
// player for whom there is no memory, is logged, and the room goes on.
func (r *room) step(ctx context.Context, dt float64) error {
	began := time.Now()
	r.leave()
	var failed *ecs.SystemError
	switch err := r.host.StepContext(ctx, dt); {
	case errors.As(err, &failed):
		r.log.Error("a step", "error", err)
	case err != nil:
		return err
	}
	if err := r.publish(); err != nil {
		return err
	}
	r.figures.tick(time.Since(began))
	if len(r.clients) > 0 {
		r.lastSeen = began
	}
	if began.Sub(r.lastSeen) > r.idleAfter {
		return errIdle
	}
	return nil
}

// publish sends each client what has changed. The update is made once for all of them.
func (r *room) publish() error {
	_, tick := r.world.Time()
	u, err := r.deltas.next(tick)
	if err != nil {
		return err
	}
	r.published(tick)
	text, err := json.Marshal(u)
	if err != nil {
		return err
	}
	quiet := u.empty() && tick%ticksPerSecond != 0 // a client gets a sign of life once a second
	for _, c := range r.clients {
		switch {
		case !c.greeted:
			if err := r.greet(c, tick); err != nil {
				return err
			}
		case !quiet:
			r.deliver(c, text)
		}
	}
	return nil
}

// greet sends a new client all that there is.
func (r *room) greet(c *client, tick uint64) error {
	if !r.world.Alive(c.entity) {
		c.end(websocket.StatusTryAgainLater, errFull.Error()) // scripts have used up the entities
		return nil
	}
	full := r.deltas.full(tick)
	full.You, c.greeted = c.entity, true
	text, err := json.Marshal(full)
	r.deliver(c, text)
	return err
}

func (r *room) deliver(c *client, message []byte) {
	r.figures.sent(len(message))
	c.send(message)
}

// join asks for a client to be let in; it happens at the beginning of the next tick. Any
// goroutine may call it.
func (r *room) join(c *client) error {
	if r.present.Add(1) > maxClients {
		r.present.Add(-1)
		return errFull
	}
	err := r.inbox.Post(c.number, func(t *ecs.Tick) error {
		r.clients = append(r.clients, c)
		c.entity = r.spawn(t.Commands)
		return nil
	})
	if err != nil {
		r.present.Add(-1)
		return errBusy
	}
	return nil
}

// steer hands over what a client asks for. Of many wishes within a tick the last counts, so a
// client has one message in the inbox at most. Any goroutine may call it.
func (r *room) steer(c *client, wish Steering) error {
	if c.wish.Swap(&wish) != nil {
		return nil // the message that waits takes this one
	}
	return r.inbox.Post(c.number, func(t *ecs.Tick) error {
		if wish := c.wish.Swap(nil); wish != nil && !c.gone() {
			t.Commands.Add(c.entity, r.steering.With(*wish))
		}
		return nil
	})
}

// leave takes clients out that have ended.
func (r *room) leave() {
	r.clients = slices.DeleteFunc(r.clients, func(c *client) bool {
		if !c.gone() {
			return false
		}
		r.present.Add(-1)
		_ = r.world.Despawn(c.entity) // a script may have despawned it
		return true
	})
}

// end closes what the room has made so far.
func (r *room) end() error {
	var err error
	if r.host != nil {
		err = r.host.Close()
	}
	return errors.Join(err, r.world.Close())
}
