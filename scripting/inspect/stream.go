package inspect

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

const (
	mostStreams = 32
	beat        = 250 * time.Millisecond // between two events
)

// streams are the connections that get events.
//
// Invariant: a publisher runs if running is set, and only then; it ends when all is empty.
type streams struct {
	mu      sync.Mutex
	all     map[*eventClient]bool
	running bool
}

// eventClient is a connection. next holds the event that was not sent yet: a client that is slow misses
// older ones, and holds up nobody.
type eventClient struct{ next chan []byte }

// offer gives an event in the place of the one that waits.
func (s *eventClient) offer(event []byte) {
	select {
	case <-s.next:
	default:
	}
	s.next <- event // there is room: the publisher is the only one who fills it
}

// join adds a stream; start says that the caller has to start the publisher. nil: there are too
// many streams.
func (s *streams) join() (one *eventClient, start bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) >= mostStreams {
		return nil, false
	}
	if s.all == nil {
		s.all = map[*eventClient]bool{}
	}
	one = &eventClient{make(chan []byte, 1)}
	s.all[one] = true
	start, s.running = !s.running, true
	return one, start
}

// leave takes a stream away.
func (s *streams) leave(one *eventClient) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, one)
}

// publish offers an event to all; false when there is nobody.
func (s *streams) publish(event []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for one := range s.all {
		one.offer(event)
	}
	s.running = len(s.all) > 0
	return s.running
}

// pulse is an event: how the game is, and how its ticks were since the last one.
type pulse struct {
	statusJSON
	Answering bool          `json:"answering"` // false: the game makes no steps and does not answer; its status is as it was when it last did
	Ticks     int           `json:"ticks"`     // since the last event
	MeanUS    float64       `json:"mean_us"`   // of a tick
	MaxUS     float64       `json:"max_us"`
	Times     []systemPulse `json:"times"`
}

// systemPulse is how long a system took, in microseconds.
type systemPulse struct {
	Name   string  `json:"name"`
	MeanUS float64 `json:"mean_us"` // of a tick
	MaxUS  float64 `json:"max_us"`
	Runs   int     `json:"runs"`
	Rows   int     `json:"rows"`
	Fails  int     `json:"fails,omitempty"`
}

// newPulse makes an event of a window.
func newPulse(w window) pulse {
	p := pulse{Ticks: w.ticks, MaxUS: microseconds(w.max), Times: make([]systemPulse, 0, len(w.systems))}
	ticks := float64(max(w.ticks, 1))
	p.MeanUS = microseconds(w.took) / ticks
	for _, s := range w.systems {
		p.Times = append(p.Times, systemPulse{s.name, microseconds(s.took) / ticks, microseconds(s.max), s.runs, s.rows, s.fails})
	}
	return p
}

// getEvents sends events until the client goes. It is text/event-stream, one "pulse" for each
// quarter of a second.
func (i *Inspector) getEvents(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // its answer ends
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	leave, err := i.attend(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	defer leave()
	one, start := i.streams.join()
	if one == nil {
		fail(w, failf(http.StatusServiceUnavailable, "%d streams are open already", mostStreams))
		return
	}
	defer i.streams.leave(one)
	if start {
		go i.publish()
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a stream is longer than a request
	for {
		select {
		case event := <-one.next:
			_ = control.SetWriteDeadline(time.Now().Add(patience))
			if _, err := w.Write(event); err != nil {
				return
			}
			if control.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-i.done:
			return
		}
	}
}

// publish makes an event for all streams again and again, until there is none.
func (i *Inspector) publish() {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	var last statusJSON // that a game gave which has answered
	for {
		p := newPulse(i.watch.take())
		var now statusJSON
		if p.Answering = i.ask(context.Background(), func() error { i.watchGrowth(); now = i.status(); return nil }) == nil; p.Answering {
			last = now
		}
		p.statusJSON = last
		text, err := json.Marshal(p)
		if err != nil {
			text = []byte("{}") // not known to happen: numbers are finite, and names any text
		}
		if !i.streams.publish(append(append([]byte("event: pulse\ndata: "), text...), "\n\n"...)) {
			return
		}
		select {
		case <-ticker.C:
		case <-i.done:
			return
		}
	}
}
