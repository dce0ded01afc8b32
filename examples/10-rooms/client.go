package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/perigee-ecs/perigee/ecs"
)

// What a client may do. It is a stranger: each of these has an end with a name.
const (
	maxMessage      = 256             // bytes of one message
	maxPerSecond    = 120             // messages of one client
	maxWaiting      = 64              // updates that a client has not read yet
	writeTimeout    = 3 * time.Second // for one update
	closeTimeout    = time.Second     // for the end of a connection
	reasonTooSlow   = "too slow: 64 updates wait"
	reasonTooMany   = "too many messages: at most 120 in a second"
	reasonMalformed = "malformed message"
	reasonTooLarge  = "message too large: at most 256 bytes"
)

// Steering is what a player asks for, each from -1 to 1.
type Steering struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// ending is why a connection ends.
type ending struct {
	code   websocket.StatusCode
	reason string
}

// client is one connection. Three goroutines know it: that of its room, which sends updates,
// one that reads what it asks for, and one that writes and ends the connection.
type client struct {
	number uint64
	conn   *websocket.Conn
	raw    net.Conn // below conn: its deadline bounds the end of the connection
	out    chan []byte
	wish   atomic.Pointer[Steering] // asked for, and not taken by the room yet

	once  sync.Once
	ended chan struct{} // closed by end
	why   ending        // set before that

	// Of the goroutine of the room alone.
	entity  ecs.Entity
	greeted bool // it got its full update
}

func newClient(number uint64, conn *websocket.Conn, raw net.Conn) *client {
	return &client{number: number, conn: conn, raw: raw, out: make(chan []byte, maxWaiting), ended: make(chan struct{})}
}

// end ends the connection soon, for the first reason that is given. It never waits.
func (c *client) end(code websocket.StatusCode, reason string) {
	c.once.Do(func() { c.why = ending{code, reason}; close(c.ended) })
}

// gone reports whether the connection has ended or is about to.
func (c *client) gone() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// send leaves an update for the client. It never waits: a client that does not read is ended.
func (c *client) send(message []byte) {
	select {
	case c.out <- message:
	default:
		c.end(websocket.StatusPolicyViolation, reasonTooSlow)
	}
}

// write sends updates until the connection or the room ends, and then says why.
func (c *client) write(r *room) {
	for !c.gone() {
		select {
		case <-c.ended:
		case <-r.ended:
			c.end(websocket.StatusGoingAway, r.farewell())
		case message := <-c.out:
			ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
			err := c.conn.Write(ctx, websocket.MessageText, message)
			cancel()
			if err != nil {
				c.end(websocket.StatusPolicyViolation, "cannot be written to")
			}
		}
	}
	// Close waits for the client's own farewell, and for the rest of a message that was begun.
	_ = c.raw.SetDeadline(time.Now().Add(closeTimeout))
	_ = c.conn.Close(c.why.code, c.why.reason) // a client that is gone cannot be told
	_ = c.raw.Close()
}

// read hands what the client asks for to steer, until the connection ends.
func (c *client) read(steer func(Steering) error) {
	c.conn.SetReadLimit(-1) // the library's own limit ends the connection in its own words
	count, since := 0, time.Now()
	for {
		kind, message, err := c.next()
		if now := time.Now(); now.Sub(since) >= time.Second {
			count, since = 0, now
		}
		count++
		switch {
		case err != nil:
			c.end(endOf(err))
			return
		case kind != websocket.MessageText:
			c.end(websocket.StatusUnsupportedData, reasonMalformed+": not a text")
			return
		case count > maxPerSecond:
			c.end(websocket.StatusPolicyViolation, reasonTooMany)
			return
		}
		wish, err := parse(message)
		if err != nil {
			c.end(websocket.StatusInvalidFramePayloadData, reasonMalformed+": "+err.Error())
			return
		}
		if err := steer(wish); err != nil {
			c.end(websocket.StatusTryAgainLater, errBusy.Error())
			return
		}
	}
}

var errTooLarge = errors.New(reasonTooLarge)

// next reads one message, of which at most maxMessage bytes are kept.
func (c *client) next() (websocket.MessageType, []byte, error) {
	kind, r, err := c.conn.Reader(context.Background())
	if err != nil {
		return 0, nil, err
	}
	message, err := io.ReadAll(io.LimitReader(r, maxMessage+1))
	if err == nil && len(message) > maxMessage {
		err = errTooLarge
	}
	return kind, message, err
}

// endOf says why a connection ends that could not be read.
func endOf(err error) (websocket.StatusCode, string) {
	if errors.Is(err, errTooLarge) {
		return websocket.StatusMessageTooBig, reasonTooLarge
	}
	return websocket.StatusNormalClosure, "the client has left"
}

// parse reads {"x":1,"y":0}. What it returns is finite and from -1 to 1.
func parse(message []byte) (Steering, error) {
	var s Steering
	d := json.NewDecoder(bytes.NewReader(message))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Steering{}, errors.New("no JSON of a steering")
	}
	if _, err := d.Token(); err != io.EOF {
		return Steering{}, errors.New("more than one value")
	}
	if math.Abs(s.X) > 1 || math.Abs(s.Y) > 1 {
		return Steering{}, fmt.Errorf("x and y are from -1 to 1")
	}
	return s, nil
}
