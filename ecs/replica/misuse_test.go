package replica_test

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/replica"
	"github.com/perigee-ecs/perigee/internal/misuse"
)

// TestWrongUsesHaveDocumentedOutcomes: a named error or success; and then the worlds are whole.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	api := &misuse.API{
		Situations: []string{"outside", "elsewhere", "loop", "system", "goroutine", "closed", "zero"},
		Prefix:     "ecs",
		Named: misuse.Among(replica.ErrDamaged, replica.ErrGap, replica.ErrOld, replica.ErrTooLarge, replica.ErrVersion, codec.ErrNone,
			ecs.ErrIterating, ecs.ErrClosed, ecs.ErrArenaFull, ecs.ErrEntityLimit, ecs.ErrUnknown, ecs.ErrConflict, ecs.ErrRange),
	}
	api.Exported(t, ".")
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			for round := range uint64(3) {
				for _, where := range api.Situations {
					c := newWrongUses(t, api, seed*100+round)
					for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
						c.in(where, name)
					}
				}
			}
		})
	}
	api.Print(t)
}

// wrongUses are calls in two worlds.
type wrongUses struct {
	*misuse.Calls
	of, copy *game
}

func newWrongUses(t *testing.T, api *misuse.API, seed uint64) *wrongUses {
	c := &wrongUses{Calls: misuse.NewCalls(t, api, seed)}
	p := newPair(t, replica.PrimaryOptions{}, seed)
	c.of, c.copy = p.of, p.copy
	c.of.Spawn(c.of.label.With(label{"one"}))
	m := p.next(t)
	c.Receivers = map[string][]any{"Primary": {p.primary}, "Replica": {p.replica}}
	misuse.Offer(c.Calls, m, m[:50], nil, []byte("no message"))
	misuse.Offer(c.Calls, p.of.World, p.copy.World, nil)
	misuse.Offer(c.Calls, replica.PrimaryOptions{}, replica.PrimaryOptions{Compress: true, Codecs: []codec.Codec{{}}},
		replica.PrimaryOptions{Interest: &replica.Interest{}}, replica.PrimaryOptions{Interest: &replica.Interest{Components: []ecs.ComponentRef{nil, p.of.label}}},
		replica.PrimaryOptions{Interest: &replica.Interest{Components: []ecs.ComponentRef{p.of.label, p.of.targets}, Entities: p.copy.Entities()}})
	misuse.Offer(c.Calls, replica.Options{}, replica.Options{Bytes: -1}, replica.Options{Bytes: 100})
	for name, f := range map[string]any{"NewPrimary": replica.NewPrimary, "New": replica.New, "Tag": replica.Tag} {
		c.Functions[name] = f
	}
	return c
}

// in makes a call where a world may be.
func (c *wrongUses) in(where, name string) {
	call := func() { c.Call(name, where, where == "elsewhere") }
	switch where {
	case "outside", "elsewhere":
		call()
	case "loop":
		for range c.of.Query().Chunks() {
			call()
			break
		}
	case "system", "goroutine":
		s := c.of.Schedule()
		c.Expect("Change", s.Change(s.Names(), []ecs.System{{Name: "misuse", Run: func(*ecs.Tick) error {
			done := make(chan bool)
			if where == "system" {
				call()
				return nil
			}
			go func() { defer close(done); call() }()
			<-done
			return nil
		}}}))
		c.Expect("Step", c.of.Step(0.1))
	case "closed":
		c.Expect("Close", c.of.Close())
		c.Expect("Close", c.copy.Close())
		call()
		return
	case "zero":
		c.Receivers = map[string][]any{"Primary": {&replica.Primary{}, (*replica.Primary)(nil)}, "Replica": {&replica.Replica{}, (*replica.Replica)(nil)}}
		call()
	}
	for _, g := range []*game{c.of, c.copy} {
		if err := g.Check(); err != nil {
			c.Fault("the world is broken: %v", err)
		}
	}
}
