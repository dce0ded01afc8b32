package replica_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// FuzzApply: bytes that anybody has sent are refused, or make a world that is in order.
//
//	go test ./ecs/replica -run X -fuzz FuzzApply -fuzzminimizetime=0x
func FuzzApply(f *testing.F) {
	g := newGame(f, ecs.Options{Tag: 7})
	filter := &replica.Interest{Components: []ecs.ComponentRef{g.label, g.targets, g.burning, g.state}}
	for _, options := range []replica.PrimaryOptions{{}, {Compress: true}, {Interest: filter}} {
		s, err := replica.NewPrimary(g.World, options)
		must(f, err)
		for range 3 {
			g.step(1)
			m, err := s.Next()
			must(f, err)
			f.Add(replica.Payload(m), replica.Full(m))
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte, full bool) {
		p := newPair(t, replica.PrimaryOptions{}, 1)
		first := p.next(t)
		must(t, p.replica.Apply(first))
		err := p.replica.Apply(replica.Sign(payload, full, p.replica))
		if err != nil && len(kindOf(err)) > 20 {
			t.Fatal(err)
		}
		must(t, p.copy.Check())
		p.copy.step(1)
		must(t, p.copy.Check())
	})
}
