package inspect_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/inspect"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// keep has ticks kept until there are so many, and returns their numbers.
func (g *game) keep(n int) []any {
	g.t.Helper()
	g.call("POST", "/api/v1/rewind", `{"keep":true}`, 200)
	for range 100_000 { // steps are made by another goroutine
		if list, _ := at(g.get("/api/v1/rewind"), "ticks").([]any); len(list) >= n {
			return list
		}
	}
	g.t.Fatalf("%d ticks are not kept: %v", n, g.get("/api/v1/rewind"))
	return nil
}

// stand pauses the game, and waits until no step is due.
func (g *game) stand() {
	g.t.Helper()
	g.call("POST", "/api/v1/time", `{"paused":true}`, 200)
	for range 3 {
		g.get("/api/v1/status")
	}
}

// now is the tick that the world shows.
func (g *game) now() uint64 { return uint64(at(g.get("/api/v1/status"), "tick").(float64)) }

// hp is Health.hp of the first entity with it.
func (g *game) hp() float64 {
	g.t.Helper()
	v, _ := at(g.get("/api/v1/entities?query=Health&limit=1"), "entities", 0, "components", "Health", "hp").(float64)
	return v
}

// rewind asks something of the time machine.
func (g *game) rewind(status int, format string, args ...any) map[string]any {
	g.t.Helper()
	return g.call("POST", "/api/v1/rewind", fmt.Sprintf(format, args...), status)
}

// TestLookingAtATick: the entities, the status and the list of ticks are those of the tick; the game
// stands still, and goes on from the present, whoever lets it go on.
func TestLookingAtATick(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	g.want(at(g.get("/api/v1/status"), "rewind", "keeping"), false)
	g.rewind(409, `{"look":1}`)
	g.keep(20)
	g.stand()
	kept := at(g.get("/api/v1/rewind"), "ticks").([]any)
	present, hp := g.now(), g.hp()
	g.want(kept[len(kept)-1], present)
	early := uint64(kept[len(kept)-11].(float64))
	s := g.rewind(200, `{"look":%d}`, early)
	g.want(at(s, "looking"), true)
	g.want(at(s, "at"), early)
	g.want(at(s, "newest"), present)
	g.want(len(at(s, "ticks").([]any)), len(kept))
	g.want(g.now(), early)
	g.want(at(g.get("/api/v1/status"), "rewind", "looking"), true)
	if got := g.hp(); !(got < hp) {
		t.Errorf("hp is %g, and was %g ten ticks later", got, hp)
	}

	// What is looked at cannot be changed.
	id := fmt.Sprint(at(g.get("/api/v1/entities?query=Health&limit=1"), "entities", 0, "slot"))
	for _, c := range [][3]string{
		{"PATCH", "/api/v1/entities/@" + id, `{"set":{"Health":{"hp":1}}}`}, {"DELETE", "/api/v1/entities/@" + id, ""},
		{"POST", "/api/v1/entities", `{"components":{"Health":{}}}`}, {"PATCH", "/api/v1/systems/heal", `{"enabled":false}`},
	} {
		text := fmt.Sprint(at(g.call(c[0], c[1], c[2], 409), "error", "text"))
		if !strings.Contains(text, fmt.Sprintf("tick %d, which is only looked at", early)) {
			t.Errorf("%s %s: %s", c[0], c[1], text)
		}
	}

	// Back, and again; a step leads on from the present.
	g.want(at(g.rewind(200, `{"back":true}`), "looking"), false)
	g.want(g.now(), present)
	g.want(g.hp(), hp)
	g.rewind(200, `{"look":%d}`, early)
	g.rewind(404, `{"look":%d}`, present+1)
	g.want(g.now(), early)
	g.call("POST", "/api/v1/time", `{"steps":1}`, 200)
	for range 1000 {
		if g.now() == present+1 {
			break
		}
	}
	g.want(g.now(), present+1)
	g.want(at(g.get("/api/v1/rewind"), "looking"), false)
	g.rewind(200, `{"keep":false}`)
	g.rewind(409, `{"back":true}`)
}

// TestALookThatIsRefused lets the game go on if it ran.
func TestALookThatIsRefused(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	kept := g.keep(3)
	g.rewind(404, `{"look":1000000}`)
	g.want(at(g.get("/api/v1/time"), "paused"), false)
	g.rewind(200, `{"look":%v}`, kept[0])
	g.rewind(404, `{"look":1000000}`)
	g.want(at(g.get("/api/v1/time"), "paused"), true)
	for _, bad := range []string{``, `{}`, `[]`, `{"look":-1}`, `{"look":1.5}`, `{"look":1e30}`, `{"look":1,"back":true}`, `{"keep":1}`, `{"back":false}`, `{"run_from":"1"}`, `{"rewind":1}`, `{"back":true} 1`} {
		g.rewind(400, "%s", bad)
	}
	for _, bad := range []string{"", "?from=1", "?from=1&to=x", "?from=-1&to=2", "?from=1&to=2&limit=0", "?from=1&to=2&limit=51", "?from=1&to=2&entity=x"} {
		g.call("GET", "/api/v1/rewind/changes"+bad, "", 400)
	}
	g.call("GET", "/api/v1/rewind/changes?from=0&to=1000000", "", 404)
	g.want(at(g.get("/api/v1/rewind"), "at"), kept[0])
}

// TestALookTakesBackSteps: those that were asked for before and are not made yet do not end a look, and the game that is
// run on from a tick stands there.
func TestALookTakesBackSteps(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	kept := g.keep(8)
	g.stand()
	for _, c := range []string{"look", "run_from"} {
		for range 10 {
			g.call("POST", "/api/v1/time", `{"steps":100}`, 200)
		}
		g.rewind(200, `{"%s":%v}`, c, kept[7])
		for range 5 {
			s := g.get("/api/v1/rewind")
			g.want(at(s, "at"), kept[7])
			g.want(at(s, "looking"), c == "look")
		}
	}
}

// TestWhoMayRewind: to look needs Control, to run on Edit as well; without a session there is nothing.
func TestWhoMayRewind(t *testing.T) {
	for name, c := range map[string]struct {
		options         inspect.Options
		look, run, read int
	}{
		"only shown": {inspect.Options{Keep: true}, 403, 403, 403},
		"edited":     {inspect.Options{Keep: true, Edit: true}, 403, 403, 403},
		"controlled": {inspect.Options{Keep: true, Control: true}, 200, 403, 200},
		"both":       {inspect.Options{Keep: true, Control: true, Edit: true}, 200, 200, 200},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t, c.options)
			first := at(g.get("/api/v1/rewind"), "ticks", 0)
			g.rewind(c.look, `{"look":%v}`, first)
			g.call("GET", fmt.Sprintf("/api/v1/rewind/changes?from=%v&to=%v", first, first), "", c.read)
			before := at(g.get("/api/v1/rewind"), "kept").(float64)
			g.rewind(c.run, `{"run_from":%v}`, first)
			if after := at(g.get("/api/v1/rewind"), "kept").(float64); (c.run == 200) != (after < before) {
				t.Errorf("%v ticks are kept, and were %v", after, before)
			}
			g.rewind(map[bool]int{true: 200, false: 403}[c.look == 200], `{"keep":false}`)
		})
	}
	w := ecs.NewWorld()
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	defer host.Close()
	other := newGame(t, inspect.Options{})
	for _, o := range []inspect.Options{{Keep: true}, {Session: other.s}, {Session: other.s, Keep: true}} {
		if _, err := inspect.New(host, o); !errors.Is(err, inspect.ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	s, err := record.New(host)
	must(t, err)
	for _, o := range []inspect.Options{{Session: s, Keep: true, Rewind: snapshot.RingOptions{Bytes: -1}}, {Session: s, Keep: true, Rewind: snapshot.RingOptions{Ticks: -1}}} {
		if _, err := inspect.New(host, o); !errors.Is(err, inspect.ErrOptions) || !errors.Is(err, ecs.ErrRange) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestWhatIsDifferent in two ticks: new and dead entities, components, fields, with their values. What is
// looked at stays, and so does the game that runs.
func TestWhatIsDifferent(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	g.keep(3)
	g.stand()
	from := g.now()
	first := at(g.get("/api/v1/entities?query=Health&limit=2"), "entities")
	gone, hit := uint64(at(first, 0, "id").(float64)), uint64(at(first, 1, "id").(float64))
	step := func() {
		before := g.now()
		g.call("POST", "/api/v1/time", `{"steps":1}`, 200)
		for g.now() == before {
		}
	}
	g.call("DELETE", fmt.Sprintf("/api/v1/entities/%d", gone), "", 200)
	g.call("PATCH", fmt.Sprintf("/api/v1/entities/%d", hit), `{"set":{"Health":{"hp":-7,"state":"hurt"},"Frozen":{}}}`, 200)
	g.call("PATCH", fmt.Sprintf("/api/v1/entities/%d", hit), `{"remove":["Position"]}`, 200)
	born := uint64(at(g.call("POST", "/api/v1/entities", `{"components":{"Name":{"name":"<new>"}}}`, 200), "id").(float64))
	step()
	g.rewind(200, `{"look":%d}`, from-1)
	d := g.get(fmt.Sprintf("/api/v1/rewind/changes?from=%d&to=%d&limit=3", from-1, from+1))
	g.want(g.now(), from-1)
	g.want(at(d, "new"), 1)
	g.want(at(d, "new_ids", 0), float64(born))
	g.want(at(d, "gone"), 1)
	g.want(at(d, "gone_ids", 0), float64(gone))
	g.want(at(d, "changed"), 299)
	health := find(at(d, "components"), "name", "Health")
	hp, state := find(at(health, "fields"), "field", "hp"), find(at(health, "fields"), "field", "state")
	g.want(at(hp, "changed"), 299)
	g.want(len(at(hp, "examples").([]any)), 3)
	g.want(at(state, "changed"), 1)
	g.want(at(state, "examples", 0), map[string]any{"entity": float64(hit), "was": "well", "is": "hurt"})
	g.want(at(find(at(d, "components"), "name", "Frozen"), "got"), 1)
	g.want(at(find(at(d, "components"), "name", "Position"), "lost"), 1)
	if name := at(d, "components", 0, "name"); name != "Frozen" && name != "Position" && name != "Health" {
		t.Errorf("%v comes first", name)
	}
	one := g.get(fmt.Sprintf("/api/v1/rewind/changes?from=%d&to=%d&entity=%d", from-1, from+1, hit))
	g.want(at(one, "changed"), 1)
	g.want(at(one, "new"), 0)
	g.want(at(one, "in_scripts"), 0)
	none := g.get(fmt.Sprintf("/api/v1/rewind/changes?from=%d&to=%d", from, from))
	g.want(len(at(none, "components").([]any)), 0)

	// The other way round, while the game runs.
	g.rewind(200, `{"back":true}`)
	g.call("POST", "/api/v1/time", `{"paused":false}`, 200)
	d = g.get(fmt.Sprintf("/api/v1/rewind/changes?from=%d&to=%d", from+1, from-1))
	g.want(at(d, "gone_ids", 0), float64(born))
	g.want(at(g.get("/api/v1/time"), "paused"), false)
	g.want(at(g.get("/api/v1/rewind"), "looking"), false)
}

// TestRunningOn makes an earlier tick the present: the later ones are given up, and with the same inputs
// the game comes to the same ticks again, checksum by checksum, what scripts keep included.
func TestRunningOn(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true, Keep: true})
	sum := func() (sum string) {
		done := make(chan bool)
		g.loop.Do(func() {
			var x scripting.Scripts
			if err := g.host.UpdateScripts(&x); err != nil {
				t.Error(err)
			}
			sum = fmt.Sprintf("%x %x", g.host.World().Checksum(), x.Encode())
			close(done)
		})
		<-done
		return sum
	}
	g.stand()
	g.rewind(200, `{"back":true}`)
	from, sums := g.now(), []string{sum()}
	run := func(n int) {
		for range n {
			before := g.now()
			g.call("POST", "/api/v1/time", `{"steps":1}`, 200)
			for g.now() == before {
			}
			sums = append(sums, sum())
		}
	}
	run(12)
	want := sums
	g.rewind(200, `{"look":%d}`, from+9)
	g.rewind(404, `{"run_from":%d}`, from+13)
	s := g.rewind(200, `{"run_from":%d}`, from+4)
	g.want(at(s, "looking"), false)
	g.want(at(s, "at"), from+4)
	g.want(at(s, "newest"), from+4)
	g.want(at(g.get("/api/v1/time"), "paused"), true)
	sums = append([]string{}, want[:4]...)
	sums = append(sums, sum())
	run(8)
	for k := range want {
		if sums[k] != want[k] {
			t.Fatalf("tick %d is another one", from+uint64(k))
		}
	}
	g.call("PATCH", "/api/v1/systems/heal", `{"enabled":false}`, 200)
	run(1)
	g.rewind(200, `{"run_from":%d}`, from+11)
	run(1)
	g.want(sums[len(sums)-1] == want[12], true) // the system runs again
}

// TestThePictureOfALook: viewers see the tick that is looked at, though the game is paused and they were slow.
func TestThePictureOfALook(t *testing.T) {
	d := draw(t, true)
	c := d.dial()
	d.picture(c)
	post := func(path, body string) {
		t.Helper()
		r := (&game{t: t, view: d.view}).call("POST", "/api/v1"+path, body, 200)
		if r["error"] != nil {
			t.Fatal(r)
		}
	}
	post("/rewind", `{"keep":true}`)
	for range 5 {
		post("/time", `{"steps":1}`)
		d.picture(c)
	}
	for _, tick := range []int{3, 1, 4, 2} {
		post("/rewind", fmt.Sprintf(`{"look":%d}`, tick))
		if tick != 2 {
			continue // these pictures may come late, or never
		}
		for u32(d.picture(c), 4) != 2 {
		}
	}
	post("/rewind", `{"back":true}`)
	for u32(d.picture(c), 4) != 5 {
	}
}

// TestCloseEndsWhatIsKept, and the look at an earlier tick.
func TestCloseEndsWhatIsKept(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true})
	kept := g.keep(4)
	g.rewind(200, `{"look":%v}`, kept[0])
	must(t, g.view.Close())
	var all sync.WaitGroup
	all.Add(1)
	g.loop.Do(func() {
		defer all.Done()
		if _, now := g.host.World().Time(); now < uint64(kept[3].(float64)) {
			t.Errorf("the world is left in tick %d", now)
		}
		if b, err := g.s.Rollback(snapshot.RingOptions{}); err != nil {
			t.Errorf("ticks are kept still: %v", err)
		} else {
			b.Close()
		}
	})
	all.Wait()
}

// TestWhyNothingIsKept says what stands in the way.
func TestWhyNothingIsKept(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Rewind: snapshot.RingOptions{Bytes: 1000}})
	text := fmt.Sprint(at(g.rewind(400, `{"keep":true}`), "error", "text"))
	if !strings.Contains(text, "the ring may have 1000") {
		t.Error(text)
	}
	g.want(at(g.get("/api/v1/rewind"), "keeping"), false)
}

// TestTicksOfManyEntitiesAreNotCompared: it is the ticks that count, not what the world is now.
func TestTicksOfManyEntitiesAreNotCompared(t *testing.T) {
	g := newGame(t, inspect.Options{Control: true, Edit: true})
	g.keep(1)
	g.stand()
	step := func() {
		before := g.now()
		g.call("POST", "/api/v1/time", `{"steps":1}`, 200)
		for g.now() == before {
		}
	}
	var crowd []ecs.Entity
	g.inside(func(w *ecs.World) {
		for range 200_001 {
			crowd = append(crowd, w.Spawn())
		}
	})
	step()
	many := g.now()
	g.inside(func(w *ecs.World) {
		for _, e := range crowd {
			w.Despawn(e)
		}
	})
	step()
	g.call("GET", fmt.Sprintf("/api/v1/rewind/changes?from=%d&to=%d", many, many+1), "", 409)
	g.call("GET", fmt.Sprintf("/api/v1/rewind/changes?from=%d&to=%d", many+1, many+1), "", 200)
}
