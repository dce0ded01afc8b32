package replica_test

import (
	"errors"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// A server sends after each tick what has changed; one message is lost on its way, and the client asks for a
// full one.
func Example() {
	type Position struct{ X, Y float32 }
	server, err := ecs.Open(ecs.Options{Tag: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	position := ecs.Register[Position](server)
	var es []ecs.Entity
	for i := range 1000 {
		es = append(es, server.Spawn(position.With(Position{X: float32(i)})))
	}
	primary, err := replica.NewPrimary(server, replica.PrimaryOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}

	client, err := ecs.Open(ecs.Options{Tag: 1}) // the tag of the server's handles
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	ecs.Register[Position](client)
	copy, err := replica.New(client, replica.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for tick := 1; tick <= 4; tick++ {
		position.Edit(es[tick]).Y = 1
		if err := server.Step(1); err != nil {
			fmt.Println(err)
		}
		message, err := primary.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		if tick == 3 {
			continue // it is lost
		}
		err = copy.Apply(message)
		if errors.Is(err, replica.ErrGap) {
			fmt.Println(err)
			if message, err = primary.Full(); err == nil {
				err = copy.Apply(message)
			}
		}
		fmt.Printf("tick %d: under 200 bytes: %v, alike: %v, %v\n", tick, len(message) < 200, client.Checksum() == server.Checksum(), err)
	}
	// Output:
	// tick 1: under 200 bytes: false, alike: true, <nil>
	// tick 2: under 200 bytes: true, alike: true, <nil>
	// replica: a message is missing: it has the number 4, and 2 was the last
	// tick 4: under 200 bytes: false, alike: true, <nil>
}

// Each client gets what is near its player, under the handles of the server.
func Example_area() {
	type Position struct{ X, Y float32 }
	type Secret struct{ Plan int64 }
	server, _ := ecs.Open(ecs.Options{Tag: 1})
	defer server.Close()
	position, secret := ecs.Register[Position](server), ecs.Register[Secret](server)
	for i := range 100 {
		server.Spawn(position.With(Position{X: float32(i)}), secret.With(Secret{int64(i)}))
	}
	player, all := float32(40), server.Query(ecs.Read(position))
	primary, err := replica.NewPrimary(server, replica.PrimaryOptions{Interest: &replica.Interest{
		Components: []ecs.ComponentRef{position},
		Entities: func(yield func(ecs.Entity) bool) {
			for e, p := range ecs.Rows(all, position) {
				if p.X > player-5 && p.X < player+5 && !yield(e) {
					return
				}
			}
		},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, _ := ecs.Open(ecs.Options{Tag: 1})
	defer client.Close()
	here := ecs.Register[Position](client)
	copy, err := replica.New(client, replica.Options{})
	for tick := 1; tick <= 2 && err == nil; tick++ {
		var message []byte
		if message, err = primary.Next(); err == nil {
			err = copy.Apply(message)
		}
		least := float32(100)
		for _, p := range ecs.Rows(client.Query(ecs.Read(here)), here) {
			least = min(least, p.X)
		}
		fmt.Println(client.Len(), "entities from", least)
		player += 3
	}
	fmt.Println(err)
	// Output:
	// 9 entities from 36
	// 9 entities from 39
	// <nil>
}
