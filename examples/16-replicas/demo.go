package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// run is a server with two viewers in one process. All that they share is the network.
func run(out io.Writer) (err error) {
	w, err := open()
	if err != nil {
		return err
	}
	defer w.Close()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	server, err := serve(w, listener)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	s := &demo{out: out, server: server, address: listener.Addr().String()}
	defer s.close()
	err = s.tell()
	if err = errors.Join(err, server.close()); err != nil {
		return err
	}
	return s.goOn(s.viewers[0])
}

// demo is what happens, on a goroutine of its own: it steps the server, and waits for viewers.
type demo struct {
	out     io.Writer
	server  *server
	address string
	viewers []*watching
}

// watching is a viewer with the goroutine on which it watches.
type watching struct {
	*standby
	ticks chan uint64 // of the messages that it has applied
	at    uint64      // the last one of them that the demo has seen
	ended chan error
}

// tell has viewers come, and one of them lose a message.
func (s *demo) tell() error {
	early, err := s.join(0)
	if err == nil {
		err = s.step(20, early)
	}
	if err != nil {
		return err
	}
	late, err := s.join(45)
	if err == nil {
		err = s.step(20, early, late)
	}
	if err != nil {
		return err
	}
	s.compare("tick 40: the server and a viewer that came in the middle are", s.server.world, late.world)
	for early.at <= 45 || late.at < early.at {
		if err := s.step(1, early); err != nil {
			return err
		}
		late.wait(10 * time.Millisecond)
	}
	s.compare("a message was lost, and a full one was sent: they are", s.server.world, late.world)
	return nil
}

// goOn has a viewer take over.
func (s *demo) goOn(v *watching) error {
	if err := <-v.ended; err != nil {
		return err
	}
	for range 100 {
		if err := errors.Join(s.server.world.Step(tick), v.world.Step(tick)); err != nil {
			return err
		}
	}
	s.compare("the server has ended, and both have gone on for a hundred ticks: they are", s.server.world, v.world)
	return nil
}

// join has a viewer come, which loses the message of a tick.
func (s *demo) join(lose uint64) (*watching, error) {
	v, err := newStandby()
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, errors.Join(err, v.world.Close())
	}
	v.lose = lose
	w := &watching{standby: v, ticks: make(chan uint64), ended: make(chan error, 1)}
	s.viewers = append(s.viewers, w)
	go func() {
		w.ended <- errors.Join(v.watch(conn, func() { w.ticks <- v.copy.Tick() }), conn.Close())
		close(w.ticks)
	}()
	for s.server.watching() < len(s.viewers) {
		time.Sleep(time.Millisecond)
	}
	return w, nil
}

// step makes ticks, and waits until some viewers have seen the last one.
func (s *demo) step(ticks int, viewers ...*watching) error {
	for range ticks {
		if err := s.server.step(); err != nil {
			return err
		}
		for _, v := range viewers {
			if !v.wait(time.Minute) {
				return fmt.Errorf("a viewer has seen nothing after tick %d", v.at)
			}
		}
	}
	return nil
}

// wait waits for a message that a viewer applies, and reports whether one came.
func (v *watching) wait(longest time.Duration) bool {
	select {
	case at, ok := <-v.ticks:
		if ok {
			v.at = at
		}
		return ok
	case <-time.After(longest):
		return false
	}
}

// compare says whether two worlds are the same to the last bit.
func (s *demo) compare(text string, a, b *ecs.World) {
	alike := "not alike"
	if a.Checksum() == b.Checksum() && a.Len() == b.Len() {
		alike = "alike"
	}
	fmt.Fprintln(s.out, text, alike)
}

// close ends the viewers, when the server has ended.
func (s *demo) close() {
	for _, v := range s.viewers {
		for range v.ticks { // what it has seen in the meantime
		}
		v.world.Close()
	}
}
