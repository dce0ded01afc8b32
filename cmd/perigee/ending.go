package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// grace is how long a command may take to end by itself after a signal: so long
// as a tick in which a script or a Go system does not come back.
const grace = 800 * time.Millisecond

// untilSignal returns a context that ends with Ctrl-C, with SIGTERM, and when the
// terminal is closed. A second signal ends the program at once.
func untilSignal() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup, which means it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx
}

// ending sees to it that a command ends soon after a signal, whatever it is at: a
// call that does not come back, a disk that does not answer, a pipe that is not
// read.
type ending struct {
	stderr io.Writer
	mu     sync.Mutex
	last   func() // says what there is to say; nil: nothing
}

// guard ends the program when the context has ended and the command has not,
// grace after that. The function that it returns ends the guard.
func (e *ending) guard(ctx context.Context) (done func()) {
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-over:
		case <-time.After(grace):
			e.give()
		}
	})
	return sync.OnceFunc(func() { stop(); close(over) })
}

// say sets what is said when the command is given up.
func (e *ending) say(last func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = last
}

// give ends the program. Even the last words may not be read.
func (e *ending) give() {
	said := make(chan struct{})
	go func() {
		defer close(said)
		e.mu.Lock()
		last := e.last
		e.mu.Unlock()
		if last != nil {
			last()
		} else {
			fmt.Fprintln(e.stderr, "perigee: ended by a signal")
		}
	}()
	select {
	case <-said:
	case <-time.After(grace / 8):
	}
	os.Exit(exitFailed)
}
