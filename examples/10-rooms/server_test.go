package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

// logged is a log that tests read while others write it.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
	wake chan struct{}
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return l.text.Write(line)
}

// wait returns when the log has a text. Once the log says that a script has failed or that a room
// has ended, what is waited for may never come: that is an error.
func (l *logged) wait(text string) error {
	for range l.wake {
		l.mu.Lock()
		all := l.text.String()
		l.mu.Unlock()
		if strings.Contains(all, text) {
			return nil
		}
		for line := range strings.Lines(all) {
			if strings.Contains(line, "level=ERROR") || strings.Contains(line, "the room has ended") {
				return fmt.Errorf("the log will not have %q: %s", text, line)
			}
		}
	}
	return nil
}

// serving starts a server with the scripts and more of them. Its rooms play eight times as fast as
// for players. Tests wait for clients, not for the processor, so they run at the same time.
func serving(t *testing.T, more map[string]string, opening func(*room)) (*game, *logged) {
	t.Helper()
	log := &logged{wake: make(chan struct{}, 1)}
	files := fstest.MapFS{}
	for _, name := range []string{"players.lua", "coins.lua"} {
		text, err := fs.ReadFile(scripts, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text}
	}
	for name, text := range more {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	g, err := start(files, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	g.opening = func(r *room) {
		_ = r.paced.SetScale(8) // what tests wait for are ticks
		if opening != nil {
			opening(r)
		}
	}
	t.Cleanup(func() {
		if err := g.stop(); err != nil {
			t.Error(err)
		}
	})
	return g, log
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// rowsOf reads all that clients see from a world, without the code of deltas.
func rowsOf(r *room) map[ecs.Entity]row {
	all := map[ecs.Entity]row{}
	position, look := ecs.Register[kit.Position](r.world), ecs.Register[Look](r.world)
	for e := range r.world.Entities() {
		p, ok := position.Get(e)
		l, has := look.Get(e)
		if ok && has {
			all[e] = row{int64(e), int64(l.Kind), int64(math.Round(p.X * 100)), int64(math.Round(p.Y * 100)), int64(l.Points)}
		}
	}
	return all
}

// TestAListenerThatFailsEndsTheServer: nobody interrupts it, and it ends all the same, with its rooms and with
// what follows the scripts.
func TestAListenerThatFailsEndsTheServer(t *testing.T) {
	t.Parallel()
	s := must(newServer(scripts, slog.New(slog.DiscardHandler)))(t)
	must(s.open(7))(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	hangUp := make(chan os.Signal, 1)
	s.running.Go(func() { s.follow(hangUp, scripts) })
	hangUp <- os.Interrupt
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	must(0, listener.Close())(t)
	ended := make(chan error)
	go func() { ended <- s.serve(ctx, listener) }()
	select {
	case err := <-ended:
		if !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not end")
	}
}

// TestUpdatesRebuildTheWorld: what a client puts together from updates is at each tick what the
// server's world holds at that tick. Clients come and go meanwhile, coins are picked up, and a
// script takes components away and gives them back.
func TestUpdatesRebuildTheWorld(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	worlds := map[uint64]map[ecs.Entity]row{}
	g, _ := serving(t, map[string]string{"blink.lua": blink}, func(r *room) {
		r.published = func(tick uint64) {
			mu.Lock()
			defer mu.Unlock()
			worlds[tick] = rowsOf(r)
		}
	})
	id := must(g.open())(t)
	watcher := must(g.play(id))(t)
	points, seen := int64(0), map[int]bool{}
	for i := range 400 {
		if i%50 == 10 { // another player comes, who goes at once or stays
			p := must(g.play(id))(t)
			if err := p.steer(Steering{X: 1, Y: -1}); err != nil {
				t.Fatal(err)
			}
			if i%100 == 10 {
				_ = p.conn.CloseNow()
			}
		}
		if i%4 == 0 {
			if err := watcher.steer(watcher.toCoin()); err != nil {
				t.Fatal(err)
			}
		}
		if err := watcher.read(); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		want := worlds[watcher.tick]
		mu.Unlock()
		if !maps.Equal(watcher.rows, want) {
			t.Fatalf("tick %d: the client has %v, the world %v", watcher.tick, watcher.rows, want)
		}
		seen[len(want)] = true
		points = watcher.rows[watcher.you][4]
	}
	if len(seen) < 5 || points == 0 {
		t.Errorf("worlds of %d sizes were compared, and %d coins picked up: too little happens", len(seen), points)
	}
}

// toCoin returns the way to the nearest coin.
func (p *player) toCoin() Steering {
	me, nearest, way := p.rows[p.you], math.Inf(1), Steering{}
	for _, r := range p.rows {
		dx, dy := float64(r[2]-me[2]), float64(r[3]-me[3])
		if far := math.Hypot(dx, dy); r[1] == kindCoin && far > 0 && far < nearest {
			nearest, way = far, Steering{X: dx / far, Y: dy / far}
		}
	}
	return way
}

// blink takes what clients see of a coin away, and gives it back, both sometimes in one tick; and
// it leaves a coin without a place for a while.
const blink = `local ecs = require "ecs"
local Look = ecs.native("Look")
local hidden = 0
ecs.system "blink" { every = 0.1, run = function(ctx)
  if hidden ~= 0 and ecs.alive(hidden) then ecs.add(hidden, Look { kind = 2 }) end
  for e in ecs.entities { Look } do
    if ecs.get(e, Look, "kind") == 2 then
      ecs.remove(e, Look)
      if ctx.tick % 2 == 0 then ecs.add(e, Look { kind = 2, points = 5 }) end
      hidden = e
      return
    end
  end
end }
local Position = ecs.native("Position")
local lost = 0
ecs.system "lose" { every = 0.3, run = function()
  if lost ~= 0 and ecs.alive(lost) then ecs.add(lost, Position { x = ecs.random(900), y = ecs.random(900) }) end
  for e in ecs.entities { Look, Position } do
    if ecs.get(e, Look, "kind") == 2 then ecs.remove(e, Position) lost = e return end
  end
end }
`

// TestStrangers: whatever a client sends, its connection ends with a reason that names it, and
// the room goes on for the others.
func TestStrangers(t *testing.T) {
	t.Parallel()
	g, _ := serving(t, nil, nil)
	id := must(g.open())(t)
	friend := must(g.play(id))(t)
	for name, c := range map[string]struct {
		kind    websocket.MessageType
		message string
		times   int
		code    websocket.StatusCode
		reason  string
	}{
		"no JSON":            {websocket.MessageText, "up up down", 1, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
		"no text":            {websocket.MessageText, "", 1, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
		"half":               {websocket.MessageText, `{"x":1`, 1, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
		"another type":       {websocket.MessageText, `{"x":"1"}`, 1, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
		"an unknown field":   {websocket.MessageText, `{"x":1,"points":99}`, 1, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
		"nested":             {websocket.MessageText, strings.Repeat("[", 256), 1, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
		"infinite":           {websocket.MessageText, `{"x":1e999}`, 1, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
		"too fast":           {websocket.MessageText, `{"x":1.01}`, 1, websocket.StatusInvalidFramePayloadData, "malformed message: x and y are from -1 to 1"},
		"two values":         {websocket.MessageText, `{"x":1}{"x":1}`, 1, websocket.StatusInvalidFramePayloadData, "malformed message: more than one value"},
		"bytes":              {websocket.MessageBinary, `{"x":1}`, 1, websocket.StatusUnsupportedData, "malformed message: not a text"},
		"a large message":    {websocket.MessageText, strings.Repeat(" ", 257), 1, websocket.StatusMessageTooBig, reasonTooLarge},
		"a huge message":     {websocket.MessageText, strings.Repeat(" ", 1<<20), 1, websocket.StatusMessageTooBig, reasonTooLarge},
		"a flood of wishes":  {websocket.MessageText, `{"x":1}`, 10_000, websocket.StatusPolicyViolation, reasonTooMany},
		"a flood of garbage": {websocket.MessageText, "\x00", 10_000, websocket.StatusInvalidFramePayloadData, "malformed message: no JSON of a steering"},
	} {
		t.Run(name, func(t *testing.T) {
			p := must(g.play(id))(t)
			go func() { // beside reading: the server may end the connection at the first
				for range c.times {
					if p.conn.Write(context.Background(), c.kind, []byte(c.message)) != nil {
						return
					}
				}
			}()
			var err error
			for err == nil {
				err = p.read()
			}
			var closed websocket.CloseError
			if !errors.As(err, &closed) || closed.Code != c.code || closed.Reason != c.reason {
				t.Errorf("ended with %v, want %v %q", err, c.code, c.reason)
			}
		})
	}
	at := friend.tick
	if err := friend.until(func(m *mirror) bool { return m.tick > at+5 && m.players() == 1 }); err != nil {
		t.Errorf("the room has ended: %v", err)
	}
}

// TestSlowReader: a client that does not read is dropped, with a reason in the log, and costs the
// others nothing.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	crowd := `local ecs = require "ecs"
local Position, Velocity, Look = ecs.native("Position"), ecs.native("Velocity"), ecs.native("Look")
ecs.on_start(function()
  ecs.spawn_many(2000, Look, Position, function() return Velocity { x = ecs.random(100), y = ecs.random(100) } end)
end)`
	g, log := serving(t, map[string]string{"crowd.lua": crowd}, nil)
	id := must(g.open())(t)
	web := &http.Client{Transport: &http.Transport{DialContext: dialSmall}}
	slow, _, err := websocket.Dial(context.Background(), "ws://"+g.base+"/rooms/"+id+"/play", &websocket.DialOptions{HTTPClient: web})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.CloseNow()
	if err := log.wait(reasonTooSlow); err != nil {
		t.Fatal(err)
	}
	friend := must(g.play(id))(t)
	if err := friend.until(func(m *mirror) bool { return m.players() == 1 && len(m.rows) > 2000 }); err != nil {
		t.Errorf("the room has ended: %v", err)
	}
}

// TestNobodyWaitsForADeadScript: what a script was to bring about is not waited for once it has failed,
// or its room has ended.
func TestNobodyWaitsForADeadScript(t *testing.T) {
	t.Parallel()
	g, log := serving(t, map[string]string{"bad.lua": `require("ecs").on_start(function() error("no crowd") end)`}, nil)
	must(g.open())(t)
	if err := log.wait(reasonTooSlow); err == nil || !strings.Contains(err.Error(), "no crowd") {
		t.Errorf("of a script that has failed: %v", err)
	}
	g, log = serving(t, nil, nil)
	id := must(g.open())(t)
	if err := g.close(id); err != nil {
		t.Fatal(err)
	}
	if err := log.wait(reasonTooSlow); err == nil || !strings.Contains(err.Error(), errDeleted.Error()) {
		t.Errorf("of a room that has ended: %v", err)
	}
}

// dialSmall connects with little memory for what comes.
func dialSmall(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetReadBuffer(4096)
}

// TestRoomsGoOnBesideFaults: a script that fails in tick 3, one that never ends and one that
// despawns the players stop neither their rooms nor others.
func TestRoomsGoOnBesideFaults(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"fails":     `local ecs = require "ecs" ecs.system "s" { run = function(ctx) if ctx.tick == 3 then error("three") end end }`,
		"no end":    `local ecs = require "ecs" ecs.system "s" { run = function(ctx) if ctx.tick == 3 then while true do end end end }`,
		"memory":    `local ecs = require "ecs" local all = {} ecs.system "s" { run = function() for i = 1, 1e6 do all[#all + 1] = ("x"):rep(1000) .. i end end }`,
		"entities":  `local ecs = require "ecs" local T = ecs.tag("T") ecs.system "s" { run = function() ecs.spawn_many(500, T) end }`,
		"despawns":  `local ecs = require "ecs" local S = ecs.native("Steering") ecs.system "s" { run = function() ecs.despawn_all { S } end }`,
		"no number": `local ecs = require "ecs" local P = ecs.native("Position") ecs.system "s" { query = { P }, each = function(_, p) p.x = 0 / 0 end }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, _ := serving(t, map[string]string{"bad.lua": text}, nil)
			one, other := must(g.open())(t), must(g.open())(t)
			a, err := g.play(one)
			if err != nil && name != "despawns" { // there nobody has an entity to see the room with
				t.Fatal(err)
			}
			if err == nil {
				if err := a.until(func(m *mirror) bool { return m.tick > 20 }); err != nil {
					t.Error(err)
				}
			}
			for _, id := range []string{one, other} {
				if err := g.close(id); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestRequests: what HTTP is asked for, and what it replies.
func TestRequests(t *testing.T) {
	t.Parallel()
	g, _ := serving(t, nil, nil)
	g.maxRooms = 3
	id := must(g.open())(t)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/rooms", "", http.StatusCreated},
		{"POST", "/rooms", `{"seed":18446744073709551615}`, http.StatusCreated},
		{"POST", "/rooms", "", http.StatusServiceUnavailable},
		{"POST", "/rooms", `{"seed":-1}`, http.StatusBadRequest},
		{"POST", "/rooms", `{"seeds":1}`, http.StatusBadRequest},
		{"POST", "/rooms", `{"seed":` + strings.Repeat(" ", maxBody) + `1}`, http.StatusBadRequest},
		{"PUT", "/rooms", "", http.StatusMethodNotAllowed},
		{"DELETE", "/rooms/../rooms/x", "", http.StatusNotFound},
		{"DELETE", "/rooms/nobody", "", http.StatusNotFound},
		{"GET", "/rooms/nobody/play", "", http.StatusNotFound},
		{"GET", "/rooms/" + id + "/play", "", http.StatusUpgradeRequired},
		{"GET", "/rooms", "", http.StatusOK},
		{"DELETE", "/rooms/" + id, "", http.StatusNoContent},
	} {
		req := must(http.NewRequest(c.method, "http://"+g.base+c.path, strings.NewReader(c.body)))(t)
		resp := must(http.DefaultClient.Do(req))(t)
		if resp.StatusCode != c.status {
			t.Errorf("%s %s %.20s: %s, want %d", c.method, c.path, c.body, resp.Status, c.status)
		}
		resp.Body.Close()
	}
	req := must(http.NewRequest("POST", "http://"+g.base+"/rooms", nil))(t)
	req.Header.Set("Origin", "https://elsewhere.example")
	resp0 := must(http.DefaultClient.Do(req))(t)
	resp0.Body.Close()
	if resp0.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site opened a room: %s", resp0.Status)
	}
	id = must(g.open())(t)
	_, resp, err := websocket.Dial(context.Background(), "ws://"+g.base+"/rooms/"+id+"/play",
		&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://elsewhere.example"}}})
	if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site was let in: %v", err)
	}
}

// TestFullRoom: a client too many learns it, and when one leaves another may come.
func TestFullRoom(t *testing.T) {
	t.Parallel()
	g, log := serving(t, nil, nil)
	id := must(g.open())(t)
	all := make([]*player, maxClients)
	for i := range all {
		all[i] = must(g.play(id))(t)
	}
	_, err := g.play(id)
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Reason != errFull.Error() {
		t.Errorf("one client too many got %v", err)
	}
	if err := all[1].until(func(m *mirror) bool { return m.players() == maxClients }); err != nil {
		t.Fatal(err)
	}
	_ = all[0].conn.CloseNow()
	if err := log.wait("the client has left"); err != nil {
		t.Fatal(err)
	}
	if err := all[1].until(func(m *mirror) bool { return m.players() == maxClients-1 }); err != nil {
		t.Fatal(err)
	}
	must(g.play(id))(t)
}

// TestBusyRoom: a client that finds the inbox full takes no place from others.
func TestBusyRoom(t *testing.T) {
	program := must(scripting.Compile(scripts, limits()))(t)
	r := must(newRoom("busy", 1, program, slog.New(slog.DiscardHandler)))(t)
	defer func() {
		if err := r.end(); err != nil {
			t.Error(err)
		}
	}()
	for r.inbox.Post(1, func(*ecs.Tick) error { return nil }) == nil {
	}
	if err := r.join(newClient(2, nil, nil)); err != errBusy || r.present.Load() != 0 {
		t.Errorf("a full inbox: %v, and %d clients are counted", err, r.present.Load())
	}
	if err := r.step(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for range maxClients {
		if err := r.join(newClient(2, nil, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.join(newClient(2, nil, nil)); err != errFull || r.present.Load() != maxClients {
		t.Errorf("one client too many: %v, and %d are counted", err, r.present.Load())
	}
}

// TestRunningRoomsAreReloaded: they swap other scripts in, one that fails at its top level is refused by all, and rooms
// that open later begin with the new ones.
func TestRunningRoomsAreReloaded(t *testing.T) {
	t.Parallel()
	all := make(chan *room, 3)
	g, log := serving(t, nil, func(r *room) { all <- r })
	must(g.open())(t)
	must(g.open())(t)
	files := fstest.MapFS{}
	for name := range map[string]bool{"coins.lua": true, "players.lua": true} {
		files[name] = &fstest.MapFile{Data: must(fs.ReadFile(scripts, name))(t)}
	}
	files["late.lua"] = &fstest.MapFile{Data: []byte(`require("ecs").log "the new scripts run"`)}
	runs := func(r *room, name string) {
		for r.host.Texts()[name] == nil {
			time.Sleep(time.Millisecond)
		}
	}
	if err := g.server.reload(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	first, second := <-all, <-all
	runs(first, "late.lua")
	runs(second, "late.lua")
	must(g.open())(t)
	third := <-all
	runs(third, "late.lua")
	files["late.lua"] = &fstest.MapFile{Data: []byte(`error "these fail"`)}
	if err := g.server.reload(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if err := log.wait("these fail"); err != nil {
		t.Fatal(err)
	}
	files["late.lua"] = &fstest.MapFile{Data: []byte(`local = 1`)}
	if err := g.server.reload(t.Context(), files); err == nil {
		t.Error("a text that is no Lua was taken")
	}
	if text := string(first.host.Texts()["late.lua"]); !strings.Contains(text, "the new scripts run") {
		t.Errorf("a refused text runs: %s", text)
	}
}

// TestIdleRoomEnds: a room in which nobody is ends by itself.
func TestIdleRoomEnds(t *testing.T) {
	t.Parallel()
	g, log := serving(t, nil, func(r *room) { r.idleAfter = 1 })
	id := must(g.open())(t)
	if err := log.wait(errIdle.Error()); err != nil {
		t.Fatal(err)
	}
	resp := must(http.Get("http://" + g.base + "/rooms"))(t)
	defer resp.Body.Close()
	var all []listed
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	if len(all) > 0 || g.close(id) == nil {
		t.Errorf("the room is still there: %v", all)
	}
}

// TestWrongFlags: numbers for which there is nothing to measure are errors.
func TestWrongFlags(t *testing.T) {
	for _, c := range []struct {
		rooms, clients int
		during         time.Duration
	}{{-1, 1, 1}, {0, 1, 1}, {maxRooms + 1, 1, 1}, {1, -1, 1}, {1, 0, 1}, {1, maxClients + 1, 1}, {1, 1, 0}, {1, 1, -1}, {1, 1, 1 << 62}} {
		if err := measure(io.Discard, scripts, c.rooms, c.clients, c.during); err == nil {
			t.Errorf("%+v was measured", c)
		}
	}
}

// TestRefusedRoom: a room whose scripts cannot be loaded is an error, and leaves nothing behind.
func TestRefusedRoom(t *testing.T) {
	files := fstest.MapFS{"a.lua": {Data: []byte(`error("no room")`)}}
	program := must(scripting.Compile(files, limits()))(t)
	r, err := newRoom("refused", 1, program, slog.New(slog.DiscardHandler))
	if r != nil || err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("%v, %v", r, err)
	}
}

// TestFigures: the figures that tests/bench prints come from rooms that play.
func TestFigures(t *testing.T) {
	var out bytes.Buffer
	if err := measure(&out, scripts, 2, 2, 300e6); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"open a room", "heap for each", "tick ", "ticks dropped", "KB/s"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("there is no %q in\n%s", word, out.String())
		}
	}
}
