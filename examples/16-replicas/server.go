package main

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// server steps a pond, and sends to each viewer what a step has changed.
//
// The game's goroutine only captures; a second one makes the message and gives it out, so that the game
// never waits for the network. Each viewer has a queue. One that is too slow for it misses messages and
// gets a full one later.
type server struct {
	world    *ecs.World
	primary  *replica.Primary
	listener net.Listener
	captured chan struct{} // a state waits for its message
	made     chan error    // its message was made
	stats    replica.Stats // of the message of the step before
	ended    sync.WaitGroup

	mu      sync.Mutex
	viewers map[*connection]bool
	closed  bool
}

// connection is that of a viewer.
type connection struct {
	conn  net.Conn
	queue chan []byte
	full  bool // it needs a full message; of server.mu
}

const (
	queued  = 8               // messages that wait for a viewer
	patient = 5 * time.Second // for a viewer that takes no bytes
)

// serve starts a server. Who has the listener's address may watch: a server for the public would ask who they are.
func serve(w *ecs.World, listener net.Listener) (*server, error) {
	primary, err := replica.NewPrimary(w, replica.PrimaryOptions{Compress: true})
	if err != nil {
		return nil, err
	}
	s := &server{
		world: w, primary: primary, listener: listener,
		captured: make(chan struct{}), made: make(chan error, 1), viewers: map[*connection]bool{},
	}
	s.made <- nil
	s.ended.Go(s.accept)
	s.ended.Go(s.send)
	return s, nil
}

// step makes a tick.
func (s *server) step() error {
	if err := s.world.Step(tick); err != nil {
		return err
	}
	if err := <-s.made; err != nil { // the message of the step before
		s.made <- nil
		return err
	}
	s.stats = s.primary.Stats()
	if err := s.primary.Capture(); err != nil {
		s.made <- nil
		return err
	}
	s.captured <- struct{}{}
	return nil
}

// send makes messages of what was captured, and gives them out.
func (s *server) send() {
	for range s.captured {
		message, err := s.primary.Encode()
		if err == nil {
			err = s.give(message)
		}
		s.made <- err
	}
}

// give puts a message into all queues. The full one is made once, if anybody needs it.
func (s *server) give(message []byte) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var full []byte
	for l := range s.viewers {
		next := message
		if l.full {
			if full == nil {
				if full, err = s.primary.Full(); err != nil {
					return err
				}
			}
			next = full
		}
		select {
		case l.queue <- next:
			l.full = false
		default:
			l.full = true // it is too slow
		}
	}
	return nil
}

// watching returns how many viewers there are.
func (s *server) watching() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.viewers)
}

// accept takes viewers.
func (s *server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // it was closed
		}
		l := &connection{conn: conn, queue: make(chan []byte, queued), full: true}
		s.mu.Lock()
		if s.closed {
			conn.Close()
		} else {
			s.viewers[l] = true
			s.ended.Go(func() { s.write(l) })
			s.ended.Go(func() { s.listen(l) })
		}
		s.mu.Unlock()
	}
}

// write sends what is in a viewer's queue.
func (s *server) write(l *connection) {
	for message := range l.queue {
		l.conn.SetWriteDeadline(time.Now().Add(patient))
		if err := writeFrame(l.conn, message); err != nil {
			break
		}
	}
	s.drop(l)
}

// listen waits for a viewer that has missed something: it sends a byte then.
func (s *server) listen(l *connection) {
	var asked [1]byte
	for {
		if _, err := l.conn.Read(asked[:]); err != nil {
			break
		}
		s.mu.Lock()
		l.full = true
		s.mu.Unlock()
	}
	s.drop(l)
}

// drop ends a connection.
func (s *server) drop(l *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.viewers[l] {
		delete(s.viewers, l)
		close(l.queue)
	}
	l.conn.Close()
}

// close ends the server when all that is queued was sent. The world is the caller's.
func (s *server) close() error {
	err := errors.Join(<-s.made, s.listener.Close())
	close(s.captured)
	s.mu.Lock()
	s.closed = true
	for l := range s.viewers {
		delete(s.viewers, l)
		close(l.queue) // write sends the rest, then closes the connection
	}
	s.mu.Unlock()
	s.ended.Wait()
	return err
}
