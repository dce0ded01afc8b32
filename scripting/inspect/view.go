package inspect

import (
	"context"
	"encoding/binary"
	"math"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

const (
	mostViewers  = 32
	credit       = 2               // pictures that a viewer may have without having said so
	sendTime     = 5 * time.Second // that sending one may take
	pingTime     = 20 * time.Second
	mostMessage  = 64  // bytes from a viewer
	mostSignals  = 400 // of a viewer in a second; more are dropped
	viewProtocol = "perigee.view.v1"
)

// views are the connections that get pictures.
//
// A tick copies what is to be drawn only if a viewer may get a picture and the encoder is at rest. It never waits: it
// leaves the list, and a goroutine makes a picture of it, once for all viewers.
//
// Invariant: hungry is the number of viewers with less than credit pictures under way. One goroutine
// runs encode if encoding is set, and only then.
type views struct {
	hungry atomic.Int32
	late   atomic.Bool        // a list is to be left as soon as somebody may get it: see show
	free   chan *kit.DrawList // of the encoder: there is one; none without Options.View
	full   chan *kit.DrawList

	mu       sync.Mutex
	all      map[*viewer]bool
	encoding bool
}

// viewer is a connection.
type viewer struct {
	conn  *websocket.Conn
	wake  chan struct{} // there is something to do
	mu    sync.Mutex
	next  []byte // a picture that was not sent yet: older ones are dropped
	under int    // pictures that were sent and not acknowledged
	left  bool   // it has gone: what it acknowledges now changes nothing
}

// begin makes views that nobody looks at.
func (v *views) begin() {
	v.free, v.full, v.all = make(chan *kit.DrawList, 1), make(chan *kit.DrawList, 1), map[*viewer]bool{}
}

// paint leaves what is to be drawn to the encoder, if somebody waits for one; for the goroutine of the host. It
// reports whether it did.
func (i *Inspector) paint() bool {
	v := &i.views
	if v.hungry.Load() <= 0 {
		return false
	}
	select {
	case s := <-v.free:
		s.Update()
		v.full <- s
		return true
	default: // the last one is being encoded
		return false
	}
}

// show is paint for a change that no tick follows, since the game is paused: if nobody may get a
// picture now, it is made as soon as somebody may.
func (i *Inspector) show() {
	i.views.late.Store(true) // before: the one who could take it may look at this moment
	if i.paint() {
		i.views.late.Store(false)
	}
}

// showLate leaves the list that show could not leave. Any goroutine may call it.
func (i *Inspector) showLate() {
	if i.options.Loop != nil && i.views.late.Swap(false) {
		i.options.Loop.Do(i.show)
	}
}

// encode makes pictures until there is no viewer.
func (i *Inspector) encode() {
	v := &i.views
	c := pictureMaker{version: func(image uint32) uint64 {
		_, version := i.options.View.Image(image)
		if version == 0 {
			i.options.View.ReportMissing(image)
		}
		return version
	}}
	idle := time.NewTicker(time.Second)
	defer idle.Stop()
	for {
		select {
		case s := <-v.full:
			picture := c.encode(s)
			v.free <- s
			v.offer(picture)
			i.showLate()
		case <-idle.C:
			if v.rest() {
				return
			}
		case <-i.done:
			return
		}
	}
}

// rest ends the encoder when there is no viewer.
func (v *views) rest() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.encoding = len(v.all) > 0
	return !v.encoding
}

// offer gives a picture to all viewers.
func (v *views) offer(picture []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for one := range v.all {
		one.mu.Lock()
		one.next = picture
		one.mu.Unlock()
		one.rouse()
	}
}

// rouse wakes the goroutine that sends.
func (o *viewer) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// join adds a viewer; start says that the caller has to start the encoder. false: there are too many.
func (v *views) join(one *viewer) (start, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.all) >= mostViewers {
		return false, false
	}
	v.all[one] = true
	v.hungry.Add(1)
	start, v.encoding = !v.encoding, true
	return start, true
}

// leave takes a viewer away.
func (v *views) leave(one *viewer) {
	v.mu.Lock()
	delete(v.all, one)
	v.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.under < credit && !one.left {
		v.hungry.Add(-1)
	}
	one.left = true
}

// take returns the picture to be sent, if the viewer may get one.
func (v *views) take(one *viewer) []byte {
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.next == nil || one.under >= credit || one.left {
		return nil
	}
	picture := one.next
	one.next = nil
	if one.under++; one.under == credit {
		v.hungry.Add(-1)
	}
	return picture
}

// acknowledged notes that a viewer has drawn a picture.
func (v *views) acknowledged(one *viewer) {
	one.mu.Lock()
	if !one.left {
		if one.under == credit {
			v.hungry.Add(1)
		}
		one.under = max(one.under-1, 0)
	}
	one.mu.Unlock()
	one.rouse()
}

// getView makes a connection a viewer, until it ends.
func (i *Inspector) getView(w http.ResponseWriter, r *http.Request) {
	if i.options.View == nil {
		fail(w, failf(http.StatusNotFound, "the program has given the inspector no view: it draws nothing"))
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		fail(w, failf(http.StatusUpgradeRequired, "this route is a WebSocket: ask for an upgrade, with the subprotocol %s", viewProtocol))
		return
	}
	leave, err := i.attend(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	defer leave()
	one := &viewer{wake: make(chan struct{}, 1)}
	start, ok := i.views.join(one)
	if !ok {
		fail(w, failf(http.StatusServiceUnavailable, "%d viewers look already", mostViewers))
		return
	}
	defer i.views.leave(one)
	if start {
		go i.encode()
	}
	one.conn, err = websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{viewProtocol}, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has answered
	}
	defer one.conn.CloseNow()
	one.conn.SetReadLimit(mostMessage)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer context.AfterFunc(ctx, func() { one.conn.CloseNow() })()
	go func() {
		select {
		case <-i.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	go func() {
		defer cancel()
		i.listen(ctx, one)
	}()
	_ = i.ask(ctx, func() error { i.show(); return nil }) // a game that is paused makes no tick
	i.send(ctx, one)
}

// send sends pictures until the connection ends.
func (i *Inspector) send(ctx context.Context, one *viewer) {
	ping := time.NewTicker(pingTime)
	defer ping.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ping.C:
			if within(ctx, sendTime, one.conn.Ping) != nil {
				return
			}
		case <-one.wake:
			picture := i.views.take(one)
			if picture == nil {
				continue
			}
			if within(ctx, sendTime, func(ctx context.Context) error { return one.conn.Write(ctx, websocket.MessageBinary, picture) }) != nil {
				return
			}
		}
	}
}

// within calls a function with a time limit.
func within(ctx context.Context, most time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return do(ctx)
}

// The messages of a viewer: a byte, and what belongs to it.
const (
	messageDrawn   = 1 // a picture was drawn
	messageKey     = 2 // 1 is down, 0 up; the name of the key
	messagePointer = 3 // buttons, 2 bytes of nothing, x f32, y f32
	messageWheel   = 4 // 3 bytes of nothing, notches f32
	messageStick   = 5 // 3 bytes of nothing, x f32, y f32
	messageRelease = 6 // all keys and buttons are up
)

// released is what a player does who has gone.
var released = kit.Signal{Kind: kit.Released}

// listen takes what a viewer says until the connection ends.
func (i *Inspector) listen(ctx context.Context, one *viewer) {
	var of hand
	feed := func(s kit.Signal) { i.hands.signal(&of, s) }
	defer feed(released)
	second, n := time.Now(), 0
	for {
		_, m, err := one.conn.Read(ctx)
		if err != nil {
			return
		}
		if len(m) > 0 && m[0] == messageDrawn {
			i.views.acknowledged(one)
			i.showLate()
			continue
		}
		if now := time.Now(); now.Sub(second) > time.Second {
			second, n = now, 0
		}
		if n++; n > mostSignals {
			continue
		}
		if s, ok := signalOf(m); ok {
			feed(s)
		}
	}
}

// signalOf reads a message; ok is false for one that says nothing.
func signalOf(m []byte) (s kit.Signal, ok bool) {
	float := func(at int) float64 {
		if at+4 > len(m) {
			return math.NaN() // which Feed refuses
		}
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(m[at:])))
	}
	if len(m) == 1 && m[0] == messageRelease {
		return released, true
	}
	if len(m) < 2 {
		return s, false
	}
	switch m[0] {
	case messageKey:
		s.Kind, s.Down = kit.KeyMoved, m[1] == 1
		s.Key, ok = kit.ParseKey(string(m[2:]))
	case messagePointer:
		s = kit.Signal{Kind: kit.PointerMoved, Down: m[1]&1 != 0, Second: m[1]&2 != 0, X: float(4), Y: float(8)}
		ok = true
	case messageWheel:
		s, ok = kit.Signal{Kind: kit.WheelTurned, Y: float(4)}, true
	case messageStick:
		s, ok = kit.Signal{Kind: kit.StickMoved, X: float(4), Y: float(8)}, true
	}
	return s, ok
}
