package command

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

// How the program ends by a signal. A command that listens to its context ends by
// itself; an ending is for those that cannot, and has the last word to the user.

// grace is how long a command may take to end by itself after a signal. A tick has patience to
// come to its end, and is cut short then; the rest is for the summary, on a busy machine.
const grace = 2 * time.Second

// patience is how long the tick goes on that is under way when the signal comes.
const patience = grace / 20

// untilSignal returns a context that ends with Ctrl-C, with SIGTERM, and when the terminal
// is closed. A second signal ends the program at once, because the first one restores the
// signals' own effect.
func untilSignal() context.Context {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it: the program goes on without a terminal
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx
}

// ending makes a command end soon after a signal, even if it waits for something that never
// comes: a call that does not return, a disk that does not answer, a pipe that is not read.
type ending struct {
	stderr io.Writer
	mu     sync.Mutex
	last   func() // prints the last message, instead of a general one; may be nil
}

// guard ends the program if the context has ended and the command has not, grace after
// that. The function that it returns ends the guard.
// A command that ends in time calls it, so nothing is given up while the exit code is
// on its way.
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

// say sets the last message, for the case that the command is given up.
// It runs on another goroutine than the command, which may be at work then: it must
// use only what is safe for both.
func (e *ending) say(last func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = last
}

// give ends the program. The last message gets an eighth of grace: standard error may be
// the very pipe that nobody reads.
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
