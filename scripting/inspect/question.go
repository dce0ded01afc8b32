package inspect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	mostQuestions = 64               // that wait at a time
	answerTime    = time.Millisecond // after which the rest of them waits for the next step
	questionTime  = 2 * time.Second  // that a request waits for its answer
)

// question is a piece of a request that is done on the goroutine of the host.
//
// Invariant: it is asked at most once, and never after its request has given up: state goes from
// waiting to taken or to forgotten, and no further.
type question struct {
	do    func() error
	err   error // read after done is closed
	state atomic.Uint32
	done  chan struct{}
}

// The states of a question.
const (
	waiting uint32 = iota
	taken
	forgotten
)

// httpError is an error with the status of its answer.
type httpError struct {
	status int
	text   string
}

func (f *httpError) Error() string { return f.text }

// failf makes a refusal.
func failf(status int, format string, args ...any) error {
	return &httpError{status, fmt.Sprintf(format, args...)}
}

// ask has a function called between two steps, and returns its error. The function may write
// what it has found to variables of the request: they are read only when ask returns without
// giving up. Errors of the wait are refusals.
func (i *Inspector) ask(ctx context.Context, do func() error) error {
	q := &question{do: do, done: make(chan struct{})}
	select {
	case i.questions <- q:
	default:
		return failf(http.StatusServiceUnavailable, "%d questions wait already: ask again later", mostQuestions)
	}
	i.wake()
	patience := time.NewTimer(questionTime)
	defer patience.Stop()
	var why error
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		why = ctx.Err()
	case <-i.done:
		why = failf(http.StatusServiceUnavailable, "the inspector is closed")
	case <-patience.C:
		why = failf(http.StatusGatewayTimeout, "the game has made no step for %v, so nobody has answered", questionTime)
	}
	if q.state.CompareAndSwap(waiting, forgotten) {
		return why
	}
	<-q.done // it is being answered at this moment
	return q.err
}

// wake has the loop call Answer.
func (i *Inspector) wake() {
	if i.options.Loop != nil && !i.posted.Swap(true) {
		if !i.options.Loop.Do(func() { i.posted.Store(false); i.Answer() }) {
			i.posted.Store(false)
		}
	}
}

// Answer answers the questions of clients, for about a millisecond at most, but at least one.
// Call it between two steps, on the goroutine of the host; with Options.Loop that is done for
// you. Without questions it only looks at the length of a queue.
func (i *Inspector) Answer() {
	if i == nil || len(i.questions) == 0 {
		return
	}
	for began := time.Now(); time.Since(began) < answerTime; {
		select {
		case q := <-i.questions:
			q.answer()
		default:
			return
		}
	}
	if len(i.questions) > 0 {
		i.wake()
	}
}

// answer does what the question is, unless the request has gone. A panic is the answer to this
// question alone: a game does not end because somebody looks at it.
func (q *question) answer() {
	if !q.state.CompareAndSwap(waiting, taken) {
		return
	}
	defer close(q.done)
	defer func() {
		if cause := recover(); cause != nil {
			q.err = errors.Join(q.err, failf(http.StatusInternalServerError, "this cannot be answered: %v", cause))
		}
	}()
	q.err = q.do()
}
