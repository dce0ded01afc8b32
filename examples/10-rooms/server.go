package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/perigee-ecs/perigee/scripting"
)

const (
	maxRooms  = 200
	maxBody   = 1 << 10 // bytes of a request
	idleAfter = 10 * time.Minute
)

var (
	errShutdown = errors.New("the server is going down")
	errDeleted  = errors.New("the room was closed")
)

// server keeps the rooms and speaks HTTP:
//
//	POST   /rooms            opens a room; {"seed": 7} is optional
//	GET    /rooms            lists them
//	DELETE /rooms/{id}       closes one
//	GET    /rooms/{id}/play  a WebSocket: steering in, updates out
//
// Whoever knows the id of a room may close it: ids cannot be guessed. A game with accounts asks
// who it is here.
type server struct {
	program  *scripting.Program
	log      *slog.Logger
	maxRooms int
	opening  func(*room)     // for tests: sees a room before it runs
	ctx      context.Context // of all rooms
	stop     context.CancelCauseFunc
	numbers  atomic.Uint64  // of clients
	running  sync.WaitGroup // rooms, and connections

	mu    sync.Mutex
	rooms map[string]opened
}

// opened is a room in the server's table.
type opened struct {
	*room
	close context.CancelCauseFunc
	gone  chan struct{} // closed when it is out of the table
}

// newServer compiles the scripts once, for all rooms.
func newServer(scripts fs.FS, log *slog.Logger) (*server, error) {
	program, err := scripting.Compile(scripts, limits())
	if err != nil {
		return nil, err
	}
	s := &server{program: program, log: log, maxRooms: maxRooms, opening: func(*room) {}, rooms: map[string]opened{}}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	return s, nil
}

// reload compiles the scripts anew and has each room swap them in at its next tick; one in which they fail runs on
// with what it has, and says so in its log. Rooms that are opened from now on begin with them.
func (s *server) reload(ctx context.Context, scripts fs.FS) error {
	next, err := scripting.Compile(scripts, limits())
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.program = next
	rooms := slices.Collect(maps.Values(s.rooms))
	s.mu.Unlock()
	for _, r := range rooms {
		staged := r.host.StageProgram(ctx, next)
		select {
		case <-r.ended: // meanwhile, so nothing is amiss
		default:
			err = errors.Join(err, staged)
		}
	}
	return err
}

// follow reloads the scripts whenever it is asked to, until the server ends.
func (s *server) follow(asked <-chan os.Signal, scripts fs.FS) {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-asked:
			if err := s.reload(s.ctx, scripts); err != nil && s.ctx.Err() == nil {
				s.log.Error("reload", "error", err)
			}
		}
	}
}

// serve answers until the context ends, or the listener fails. Then the rooms end, clients learn why, and it waits for
// all of them.
func (s *server) serve(ctx context.Context, listener net.Listener) error {
	web := &http.Server{
		Handler: s.handler(), ConnContext: withConn,
		ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, // of requests: not of WebSockets
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.stop(errShutdown)
	done, cancel := context.WithTimeout(context.Background(), 2*writeTimeout)
	defer cancel()
	err = errors.Join(err, web.Shutdown(done)) // knows nothing of WebSockets
	s.running.Wait()
	return err
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rooms", s.post)
	mux.HandleFunc("GET /rooms", s.list)
	mux.HandleFunc("DELETE /rooms/{id}", s.remove)
	mux.HandleFunc("GET /rooms/{id}/play", s.play)
	return http.NewCrossOriginProtection().Handler(mux) // pages of other sites open and close nothing
}

// post opens a room.
func (s *server) post(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Seed uint64 }
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&ask); err != nil && err != io.EOF { // nothing is a request, too
		http.Error(w, "malformed request", http.StatusBadRequest)
		return
	}
	id, err := s.open(ask.Seed)
	switch {
	case errors.Is(err, errTooManyRooms), errors.Is(err, errShutdown):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		s.log.Error("open a room", "error", err)
		http.Error(w, "the room cannot be opened", http.StatusInternalServerError)
	default:
		respond(w, http.StatusCreated, map[string]string{"room": id})
	}
}

var errTooManyRooms = errors.New("too many rooms")

// open makes a room and starts its goroutine.
func (s *server) open(seed uint64) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return "", errShutdown
	}
	if len(s.rooms) >= s.maxRooms {
		return "", errTooManyRooms
	}
	r, err := newRoom(rand.Text(), seed, s.program, s.log)
	if err != nil {
		return "", err
	}
	s.opening(r)
	ctx, cancel := context.WithCancelCause(s.ctx)
	o := opened{r, cancel, make(chan struct{})}
	s.rooms[r.id] = o
	s.running.Go(func() {
		defer cancel(nil)
		if err := r.run(ctx); err != nil {
			r.log.Error("end of the room", "error", err)
		}
		s.mu.Lock()
		delete(s.rooms, r.id)
		s.mu.Unlock()
		close(o.gone)
		r.log.Info("the room has ended", "why", r.why)
	})
	return r.id, nil
}

// find returns a room that is open.
func (s *server) find(w http.ResponseWriter, r *http.Request) (opened, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.rooms[r.PathValue("id")]
	if !ok {
		http.Error(w, "no such room", http.StatusNotFound)
	}
	return o, ok
}

// remove closes a room, and replies when it is gone.
func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	if o, ok := s.find(w, r); ok {
		o.close(errDeleted)
		<-o.gone
		w.WriteHeader(http.StatusNoContent)
	}
}

// listed is a room as GET /rooms shows it.
type listed struct {
	Ticks   int64   `json:"ticks"`
	Clients int64   `json:"clients"`
	MeanMS  float64 `json:"mean_ms"`
	MaxMS   float64 `json:"max_ms"`
	Dropped uint64  `json:"dropped"` // steps that were due, for which there was no time
}

// list says how many rooms there are, and how they do. It names none: an id is a key.
func (s *server) list(w http.ResponseWriter, _ *http.Request) {
	all := []listed{}
	s.mu.Lock()
	for _, o := range s.rooms {
		ticks := o.figures.ticks.Load()
		all = append(all, listed{
			Ticks: ticks, Clients: o.present.Load(), Dropped: o.paced.Counts().Dropped,
			MeanMS: float64(o.figures.spent.Load()) / 1e6 / float64(max(ticks, 1)),
			MaxMS:  float64(o.figures.longest.Load()) / 1e6,
		})
	}
	s.mu.Unlock()
	respond(w, http.StatusOK, all)
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone cannot be told
}

// play is a client's whole stay in a room.
func (s *server) play(w http.ResponseWriter, r *http.Request) {
	o, ok := s.find(w, r)
	if !ok {
		return
	}
	s.running.Add(1) // before the hijack: Shutdown still waits for this request
	defer s.running.Done()
	conn, err := websocket.Accept(w, r, nil) // pages of other sites are refused
	if err != nil {
		return // Accept has replied
	}
	c := newClient(s.numbers.Add(1), conn, connOf(r.Context()))
	if err := o.join(c); err != nil {
		c.end(websocket.StatusTryAgainLater, err.Error())
	}
	s.running.Go(func() { c.read(func(wish Steering) error { return o.steer(c, wish) }) })
	c.write(o.room)
	o.log.Info("a client has left", "client", c.number, "why", c.why.reason)
}

type connKey struct{}

// withConn lets handlers find their connection.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

func connOf(ctx context.Context) net.Conn { return ctx.Value(connKey{}).(net.Conn) }
