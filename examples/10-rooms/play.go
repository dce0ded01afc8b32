package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// game is a server on this machine, and the means to be a client of it.
type game struct {
	*server
	base   string
	cancel context.CancelFunc
	served chan error
}

// start serves at a free port.
func start(scripts fs.FS, log *slog.Logger) (*game, error) {
	s, err := newServer(scripts, log)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	g := &game{server: s, base: listener.Addr().String(), cancel: cancel, served: make(chan error, 1)}
	go func() { g.served <- s.serve(ctx, listener); close(g.served) }()
	return g, nil
}

// stop shuts the server down and waits for its end.
func (g *game) stop() error {
	g.cancel()
	return <-g.served
}

// open opens a room.
func (g *game) open() (id string, err error) {
	var opened struct{ Room string }
	resp, err := http.Post("http://"+g.base+"/rooms", "application/json", bytes.NewReader([]byte(`{"seed":7}`)))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("open a room: %s", resp.Status)
	}
	err = json.NewDecoder(resp.Body).Decode(&opened)
	return opened.Room, err
}

// close closes a room.
func (g *game) close(id string) error {
	req, err := http.NewRequest(http.MethodDelete, "http://"+g.base+"/rooms/"+id, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("close a room: %s", resp.Status)
	}
	return nil
}

// player is a client of the server, with its copy of the room.
type player struct {
	conn *websocket.Conn
	mirror
	bytes int // read so far
}

// play enters a room, and takes its first update.
func (g *game) play(id string) (*player, error) {
	conn, _, err := websocket.Dial(context.Background(), "ws://"+g.base+"/rooms/"+id+"/play", nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(4 << 20)
	p := &player{conn: conn}
	return p, p.read()
}

func (p *player) steer(s Steering) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return p.conn.Write(context.Background(), websocket.MessageText, text)
}

// read takes one update.
func (p *player) read() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // the server is dead
	defer cancel()
	_, message, err := p.conn.Read(ctx)
	if err != nil {
		return err
	}
	p.bytes += len(message)
	return p.apply(message)
}

// until takes updates until the copy is as asked for.
func (p *player) until(good func(*mirror) bool) error {
	for p.rows == nil || !good(&p.mirror) {
		if err := p.read(); err != nil {
			return err
		}
	}
	return nil
}

// reason takes updates until the server ends the connection, and returns why it did.
func (p *player) reason() string {
	for {
		err := p.read()
		var closed websocket.CloseError
		if errors.As(err, &closed) {
			return closed.Reason
		}
		if err != nil {
			return err.Error()
		}
	}
}
