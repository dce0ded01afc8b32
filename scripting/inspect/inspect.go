package inspect

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/fields"
	"github.com/perigee-ecs/perigee/ecs/journal"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// Pacer paces the host: *loop.Loop is one. All methods may be called from any goroutine.
type Pacer interface {
	// Do has a function called between two steps, on the goroutine of the host, also while
	// time stands. It reports whether the function will be called.
	Do(func()) bool
	Pause()
	Halt() // is Pause that takes back steps that are not made yet, those of Once as well
	Resume()
	Paused() bool
	Once() // asks for one step
	Scale() float64
	SetScale(float64) error
}

// Options of an inspector. The zero value shows everything and changes nothing.
type Options struct {
	// Loop has questions answered between two steps, and is paused and resumed. Nil: the
	// program calls Inspector.Answer, and time cannot be controlled.
	Loop Pacer
	// Control lets clients play, pause, step and change the speed.
	Control bool
	// Edit lets clients change the world: fields, components, entities, which systems run, the texts of
	// scripts in the game, and by Lua that is typed whatever scripts may. No file is written.
	Edit bool
	// Remote lets clients on other machines ask. They need the token as all do, which goes
	// over the network in the clear unless the handler is behind TLS.
	Remote bool
	// Hosts are names by which clients may reach the inspector, besides localhost and
	// addresses: "game.example.org", without a port.
	Hosts []string
	// Token is what requests must have; letters, digits, - and _. Empty: 128 random bits.
	Token string
	// View lets clients see and play the game: what kit.InstallView has returned for the world.
	// Players need Control. Nil: nothing is drawn.
	View *kit.Screen
	// Play gets what players do, from any goroutine, and reports whether it was taken: a program
	// that records its inputs posts them, and the command gives them to View. Nil: View.Feed.
	Play func(kit.Signal) bool
	// Session makes the steps of the host, and lets clients go back in time: Loop calls its Step, and
	// not that of the host. Nil: time goes forward only.
	Session *record.Session
	// Rewind bounds what is kept of the last ticks; zero: 1,800 ticks in 256 MiB.
	Rewind snapshot.RingOptions
	// Keep has ticks kept from New on, which costs each of them a capture. Without it they are kept
	// when a client asks for it, who needs Control.
	Keep bool
	// Journal has it noted from New on who changes what, which costs each change some ten nanoseconds. Without it, that begins
	// when a client asks for it, who needs Control.
	Journal bool
	// Name is the title of the page, such as that of the folder.
	Name string
	// Logger gets what the server has to say; nil: slog.Default().
	Logger *slog.Logger
}

// Inspector is an http.Handler beside a host. Use New. ServeHTTP, Serve, URL and Close may be
// called from any goroutine, Answer by that of the host.
type Inspector struct {
	host    *scripting.Host
	world   *ecs.World
	fields  fields.Fields
	options Options
	token   string
	routes  *http.ServeMux

	questions chan *question
	posted    atomic.Bool // Options.Loop will call Answer
	done      chan struct{}
	once      sync.Once

	watch     watch
	streams   streams
	views     views
	hands     hands
	comparing comparing
	staging   staging
	typing    typing
	metrics   metrics
	rewind    rewind           // belongs to the goroutine of the host
	growth    growth           // belongs to the goroutine of the host
	journal   *journal.Journal // belongs to the goroutine of the host; nil while none is kept

	mu      sync.Mutex
	servers map[*http.Server]bool // of Serve
	cache   cached                // belongs to the goroutine of the host
}

// ErrClosed is what the methods of an Inspector return after Close.
var ErrClosed = errors.New("inspect: closed")

// ErrOptions is what New wraps for options that cannot be.
var ErrOptions = errors.New("inspect: these options cannot be")

// ErrToken is what New wraps besides for a token that cannot stand in a URL, or is too short to be a secret.
var ErrToken = errors.New("a token has 16 to 128 letters, digits, - and _")

// New makes an inspector of a host; with Options.View, Keep or Journal, on the goroutine of the host. The error wraps ErrOptions for a nil host or one that is closed,
// and for a token that cannot stand in a URL.
func New(host *scripting.Host, options Options) (*Inspector, error) {
	w := host.World()
	switch {
	case w == nil:
		return nil, fmt.Errorf("%w: a nil host, or one that scripting.New has not made", ErrOptions)
	case errors.Is(w.Raw().Ready(), ecs.ErrClosed):
		return nil, fmt.Errorf("%w: the world is closed", ErrOptions)
	case options.Token != "" && !isToken(options.Token):
		return nil, fmt.Errorf("%w: %w", ErrOptions, ErrToken)
	}
	if options.Token == "" {
		options.Token = newToken()
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	i := &Inspector{
		host: host, world: w, fields: fields.Of(w), options: options, token: options.Token,
		questions: make(chan *question, mostQuestions), done: make(chan struct{}), servers: map[*http.Server]bool{},
	}
	i.views.begin()
	if options.Play == nil {
		options.Play = options.View.Feed
	}
	if i.options.Play = options.Play; !options.Control {
		i.options.Play = func(kit.Signal) bool { return false }
	}
	i.hands.play = i.options.Play
	if options.View != nil {
		list, err := kit.NewDrawList(w)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOptions, err)
		}
		i.views.free <- list
	}
	if err := i.prepareRewind(); err != nil {
		return nil, err
	}
	if err := i.keepJournal(options.Journal); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	i.routes = i.api()
	return i, nil
}

// prepareRewind fills in the bounds of what is kept, and begins to keep it if that is wanted.
func (i *Inspector) prepareRewind() error {
	o := &i.options
	switch {
	case o.Session != nil && o.Session.Host() != i.host:
		return fmt.Errorf("%w: the session is of another host", ErrOptions)
	case o.Keep && o.Session == nil:
		return fmt.Errorf("%w: Keep needs a Session", ErrOptions)
	}
	if o.Rewind.Ticks == 0 {
		o.Rewind.Ticks = rewindTicks
	}
	if o.Rewind.Bytes == 0 {
		o.Rewind.Bytes = rewindBytes
	}
	if o.Keep {
		if err := i.keepTicks(true); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return nil
}

// newToken returns 128 random bits as text.
func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// isToken reports whether a text may be a token: it stands in URLs and in headers.
func isToken(s string) bool {
	for _, r := range s {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_') {
			return false
		}
	}
	return 16 <= len(s) && len(s) <= 128
}

// Token returns what requests must have.
func (i *Inspector) Token() string {
	if i == nil {
		return ""
	}
	return i.token
}

// URL returns the address of the page, with the token, for a host and port on which the
// inspector is served: "127.0.0.1:8080". An address that stands for all of them becomes that of
// this machine.
func (i *Inspector) URL(address string) string {
	if host, port, err := net.SplitHostPort(address); err == nil {
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			address = net.JoinHostPort("127.0.0.1", port)
		}
	}
	return "http://" + address + "/#" + i.Token()
}

// mostConnections bounds the connections of one Serve. Where that many are open, a new one takes the place of the oldest without
// a request that had the token: programs that do not know it keep nobody out.
const mostConnections = 256

// Serve serves the inspector on a listener, with times and sizes that bound what clients may take,
// until Close, or until the listener fails. It closes the listener. After Close it returns nil.
// Why not any server? One without limits waits for headers as long as a client likes.
func (i *Inspector) Serve(l net.Listener) error {
	if i.isClosed() {
		return errors.Join(ErrClosed, l.Close())
	}
	server := &http.Server{
		Handler: i, ReadTimeout: patience, WriteTimeout: patience + traceTime, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(i.options.Logger.Handler(), slog.LevelDebug),
	}
	if !i.keep(server) {
		return errors.Join(ErrClosed, l.Close())
	}
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c)
	}
	err := server.Serve(&narrow{Listener: l, slots: make(chan struct{}, mostConnections), done: i.done})
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return errors.Join(err, l.Close())
}

// keep notes a server that Close ends; false when that was called.
func (i *Inspector) keep(s *http.Server) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.isClosed() {
		return false
	}
	i.servers[s] = true
	return true
}

// isClosed reports whether Close was called, or New has not made the inspector.
func (i *Inspector) isClosed() bool {
	if i == nil || i.done == nil {
		return true
	}
	select {
	case <-i.done:
		return true
	default:
		return false
	}
}

// Close ends all streams and servers. Requests get 503 from then on. The host is left as it is; the
// function at its ticks goes with the next one, and so do what is kept of earlier ticks and the journal, if there is a Loop. A second call does nothing.
func (i *Inspector) Close() error {
	if i.isClosed() {
		return nil
	}
	var errs []error
	i.once.Do(func() {
		i.mu.Lock()
		close(i.done)
		servers := i.servers
		i.servers = nil
		i.mu.Unlock()
		if i.options.Loop != nil {
			i.options.Loop.Do(func() { _, _ = i.keepTicks(false), i.keepJournal(false) })
		}
		for s := range servers {
			errs = append(errs, s.Close())
		}
	})
	return errors.Join(errs...)
}
