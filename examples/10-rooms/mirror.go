package main

import (
	"encoding/json"
	"fmt"

	"github.com/perigee-ecs/perigee/ecs"
)

// mirror is a client's copy of a room, put together from updates. A client in a browser does
// the same in a few lines of JavaScript.
type mirror struct {
	tick uint64
	you  ecs.Entity
	rows map[ecs.Entity]row
}

// apply brings the copy up to date with one message of the server.
func (m *mirror) apply(message []byte) error {
	var u update
	if err := json.Unmarshal(message, &u); err != nil {
		return err
	}
	if u.Full {
		m.you, m.rows = u.You, map[ecs.Entity]row{}
	}
	if m.rows == nil {
		return fmt.Errorf("tick %d: an update came before the full one", u.Tick)
	}
	m.tick = u.Tick
	for _, e := range u.Gone {
		delete(m.rows, e)
	}
	for _, r := range u.Rows {
		m.rows[ecs.Entity(r[0])] = r
	}
	return nil
}

// players counts the players in the copy.
func (m *mirror) players() (n int) {
	for _, r := range m.rows {
		if r[1] == kindPlayer {
			n++
		}
	}
	return n
}
