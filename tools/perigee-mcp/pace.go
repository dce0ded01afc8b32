package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	mostSteps    = 600 // ticks of one call
	stepsAtATime = 10  // more than a loop may keep: what it drops is asked for again
	waitStep     = 50 * time.Millisecond
	waitTicks    = 10 * time.Second // for the ticks of a profile of a game that runs
)

// addPace adds the tools for time.
func (s *server) addPace() {
	d := &s.document
	add(s, look, &mcp.Tool{Name: "profile", Description: "How long systems take: the next ticks are measured, and the systems listed by the time they took (microseconds, of a tick, and their share). kernel_rows ran as machine code, vm_rows in the interpreter. A game that is paused is stepped, if this server may.",
		OutputSchema: d.object(map[string]string{"ticks": anInteger, "tick_us": aNumber, "systems": listOf(profileSchema), "total": anInteger, "next": aNext})}, s.profile)
	add(s, control, &mcp.Tool{Name: "step", Description: "Makes ticks of a game that is paused, and says what came of them: new faults, and the verdict over scripts that were saved or staged.",
		OutputSchema: d.object(map[string]string{"ticks": anInteger, "tick": anInteger, "time": aNumber, "entities": anInteger, "new_faults": anInteger, "faults": listOf(`"#Fault"`), "reload": `"#Reload"`})}, s.step)
	add(s, control, &mcp.Tool{Name: "set_time", Description: "Pauses the game, lets it run on, and changes its speed.", OutputSchema: d.of("Time", nil)}, s.setTime)
	add(s, control, &mcp.Tool{Name: "rewind", Description: "Keeps the last ticks, shows one of them, comes back, or makes it the present. One field at a time. While an earlier tick is shown, all tools that look show that tick.",
		OutputSchema: d.of("Rewind", nil)}, s.rewind)
	add(s, control, &mcp.Tool{Name: "compare_ticks", Description: "What is different in two ticks that are kept (see rewind): entities that are new and gone, fields with examples, what scripts keep.",
		OutputSchema: d.of("Changes", nil)}, s.compareTicks)
}

// timeArgs are the arguments of set_time.
type timeArgs struct {
	Paused *bool    `json:"paused,omitempty" jsonschema:"true pauses, false runs on"`
	Scale  *float64 `json:"scale,omitempty" jsonschema:"times as fast as the clock, from 0 to 100"`
}

func (s *server) setTime(ctx context.Context, a timeArgs) (any, error) {
	if a.Paused == nil && a.Scale == nil {
		return nil, errors.New("expected paused or scale")
	}
	var out map[string]any
	err := s.game.ask(ctx, "POST", "/time", a, &out)
	return out, err
}

// stepArgs are the arguments of step.
type stepArgs struct {
	Ticks int    `json:"ticks,omitempty" jsonschema:"how many, up to 600; 0: one"`
	Only  string `json:"only,omitempty" jsonschema:"the name of a system: it alone runs, in one tick"`
}

func (s *server) step(ctx context.Context, a stepArgs) (any, error) {
	n := cmp.Or(a.Ticks, 1)
	if n < 1 || n > mostSteps {
		return nil, fmt.Errorf("ticks is a whole number from 1 to %d", mostSteps)
	}
	if a.Only != "" && n != 1 {
		return nil, errors.New("only goes with one tick")
	}
	before, after, err := s.advance(ctx, n, a.Only)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"ticks": after.Tick - before.Tick, "tick": after.Tick, "time": after.Time, "entities": after.Entities, "new_faults": after.Faults - before.Faults}
	if after.Faults > before.Faults {
		list, err := s.listFaults(ctx, paging{Limit: 5})
		if err != nil {
			return nil, err
		}
		out["faults"] = list.(map[string]any)["faults"]
	}
	if after.Reloads > before.Reloads && after.LastReload != nil {
		out["reload"] = shortReload(after.LastReload)
	}
	return out, nil
}

// advance steps a game that is paused, and returns how it was before and after. With a name, one system alone runs.
func (s *server) advance(ctx context.Context, n int, only string) (before, after status, err error) {
	if err := s.game.get(ctx, "/status", nil, &before); err != nil {
		return before, after, err
	}
	if !before.Paused {
		return before, after, errors.New("the game runs: pause it first, with set_time")
	}
	if before.Rewind.Looking && only == "" { // steps lead on from the present, and not from the tick that is shown
		if err := s.game.ask(ctx, "POST", "/rewind", rewindArgs{Back: true}, &json.RawMessage{}); err != nil {
			return before, after, err
		}
		if err := s.game.get(ctx, "/status", nil, &before); err != nil {
			return before, after, err
		}
	}
	after = before
	for target := before.Tick + uint64(n); after.Tick < target; {
		last := after.Tick
		want := map[string]any{"steps": int(min(target-last, stepsAtATime))}
		if only != "" {
			want["only"] = only
		}
		if err := s.game.ask(ctx, "POST", "/time", want, &json.RawMessage{}); err != nil {
			return before, after, err
		}
		for range 2 { // the first answer may come before the steps, the second not
			if err := s.awaited(ctx, &after); err != nil {
				return before, after, fmt.Errorf("%w: the game has made %d of %d ticks, and a few more may follow", err, last-before.Tick, n)
			}
		}
		if after.Tick <= last {
			return before, after, fmt.Errorf("the game has made %d of %d ticks, and makes no more: it may have come to its end", last-before.Tick, n)
		}
	}
	return before, after, nil
}

// awaited asks how the game is, until it answers: while steps are made that take long, it does not.
func (s *server) awaited(ctx context.Context, into *status) error {
	for {
		err := s.game.get(ctx, "/status", nil, into)
		if r, ok := errors.AsType[*refusal](err); !ok || r.status != http.StatusGatewayTimeout || ctx.Err() != nil {
			return err
		}
	}
}

// shortReload shortens the texts of a verdict.
func shortReload(text json.RawMessage) any {
	var r struct {
		Text     string            `json:"text"`
		Refused  bool              `json:"refused"`
		Changed  []string          `json:"changed"`
		Removed  []string          `json:"removed"`
		Notes    []string          `json:"notes"`
		Problems []json.RawMessage `json:"problems"`
	}
	_ = json.Unmarshal(text, &r) // as far as it can be read
	for _, list := range []*[]string{&r.Changed, &r.Removed, &r.Notes} {
		*list = append([]string{}, (*list)[:min(len(*list), 50)]...)
		for n := range *list {
			(*list)[n] = cut((*list)[n], 300)
		}
	}
	r.Text, r.Problems = cut(r.Text, mostDetail), shortFaults(r.Problems)
	return r
}

// rewindArgs are the arguments of rewind.
type rewindArgs struct {
	Keep    *bool   `json:"keep,omitempty" jsonschema:"begin to keep the last ticks, or end it"`
	Look    *uint64 `json:"look,omitempty" jsonschema:"show the world as it was after this tick, which is kept; the game is paused"`
	Back    bool    `json:"back,omitempty" jsonschema:"show the present again"`
	RunFrom *uint64 `json:"run_from,omitempty" jsonschema:"make this tick the present; later ticks are given up. Needs --edit"`
}

func (s *server) rewind(ctx context.Context, a rewindArgs) (any, error) {
	if a.RunFrom != nil && !s.may.edit {
		return nil, errors.New("run_from changes the game, and this server may not: start it with --edit")
	}
	var out map[string]json.RawMessage
	method, body := "POST", any(a)
	if a == (rewindArgs{}) {
		method, body = "GET", nil
	}
	if err := s.game.ask(ctx, method, "/rewind", body, &out); err != nil {
		return nil, err
	}
	delete(out, "ticks") // up to 1,800 numbers: oldest, newest and kept say it
	return out, nil
}

// compareArgs are the arguments of compare_ticks.
type compareArgs struct {
	From   uint64 `json:"from" jsonschema:"the earlier tick"`
	To     uint64 `json:"to" jsonschema:"the later tick"`
	Limit  int    `json:"limit,omitempty" jsonschema:"examples of each field, up to 50; 0: 3"`
	Entity uint64 `json:"entity,omitempty" jsonschema:"only of this entity"`
}

func (s *server) compareTicks(ctx context.Context, a compareArgs) (any, error) {
	q := url.Values{"from": {strconv.FormatUint(a.From, 10)}, "to": {strconv.FormatUint(a.To, 10)}, "limit": {strconv.Itoa(cmp.Or(a.Limit, 3))}}
	if a.Entity != 0 {
		q.Set("entity", strconv.FormatUint(a.Entity, 10))
	}
	var out map[string]json.RawMessage
	err := s.game.get(ctx, "/rewind/changes", q, &out)
	return out, err
}

// profileArgs are the arguments of profile.
type profileArgs struct {
	Ticks int `json:"ticks,omitempty" jsonschema:"how many ticks are measured, up to 600; 0: 60"`
	paging
}

// systemTimes is what a system has done so far.
type systemTimes struct {
	Name    string  `json:"name"`
	Runs    uint64  `json:"runs"`
	TotalUS float64 `json:"total_us"`
	Script  string  `json:"script"`
	Kernel  *struct {
		Compiled bool   `json:"compiled"`
		Line     int    `json:"line"`
		Reason   string `json:"reason"`
	} `json:"kernel"`
	Ran struct {
		KernelRows uint64 `json:"kernel_rows"`
		VMRows     uint64 `json:"vm_rows"`
	} `json:"ran"`
}

// profiled is a system in a profile.
type profiled struct {
	Name        string  `json:"name"`
	Script      string  `json:"script,omitempty"`
	Line        int     `json:"line,omitempty"`
	Runs        uint64  `json:"runs"`
	TickUS      float64 `json:"tick_us"` // microseconds of a tick
	Share       float64 `json:"share"`   // of all systems, 0 to 1
	KernelRows  uint64  `json:"kernel_rows,omitempty"`
	VMRows      uint64  `json:"vm_rows,omitempty"`
	NotCompiled string  `json:"not_compiled,omitempty"` // why, at Line
}

const profileSchema = `{"type": "object", "properties": {"name": {"type": "string"}, "script": {"type": "string"}, "line": {"type": "integer"}, "runs": {"type": "integer"}, ` +
	`"tick_us": {"type": "number", "description": "microseconds of a tick"}, "share": {"type": "number", "description": "of the time of all systems, 0 to 1"}, ` +
	`"kernel_rows": {"type": "integer"}, "vm_rows": {"type": "integer"}, "not_compiled": {"type": "string", "description": "why, at line"}}}`

func (s *server) profile(ctx context.Context, a profileArgs) (any, error) {
	n := cmp.Or(a.Ticks, 60)
	if n < 1 || n > mostSteps {
		return nil, fmt.Errorf("ticks is a whole number from 1 to %d", mostSteps)
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	var before, after struct {
		Systems []systemTimes `json:"systems"`
	}
	if err := s.game.get(ctx, "/systems", nil, &before); err != nil {
		return nil, err
	}
	ticks, err := s.pass(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := s.game.get(ctx, "/systems", nil, &after); err != nil {
		return nil, err
	}
	list, total := profileOf(before.Systems, after.Systems, ticks)
	var items []json.RawMessage
	for _, p := range list {
		text, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		items = append(items, text)
	}
	p, err := a.of(items, 20)
	if err != nil {
		return nil, err
	}
	out := p.answer("systems")
	out["ticks"], out["tick_us"] = ticks, total
	return out, nil
}

// pass has ticks go by, and returns how many it were. A game that runs is watched, one that is paused is stepped.
func (s *server) pass(ctx context.Context, n int) (uint64, error) {
	var before, now status
	if err := s.game.get(ctx, "/status", nil, &before); err != nil {
		return 0, err
	}
	if before.Paused {
		if !s.may.control {
			return 0, errors.New("the game is paused, and this server may not step it: let it run, or start the server with --control")
		}
		first, last, err := s.advance(ctx, n, "")
		return last.Tick - first.Tick, err
	}
	for end := time.Now().Add(waitTicks); ; {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(waitStep):
		}
		if err := s.game.get(ctx, "/status", nil, &now); err != nil {
			return 0, err
		}
		switch passed := now.Tick - before.Tick; {
		case now.Tick < before.Tick:
			return 0, errors.New("the game went back in time meanwhile: ask again")
		case passed >= uint64(n) || passed > 0 && time.Now().After(end):
			return passed, nil
		case time.Now().After(end):
			return 0, fmt.Errorf("the game has made no tick for %v", waitTicks)
		}
	}
}

// profileOf returns what systems have done between two looks, the longest first, and the time of all of them in a tick.
func profileOf(before, after []systemTimes, ticks uint64) (list []profiled, total float64) {
	was := map[string]systemTimes{}
	for _, x := range before {
		was[x.Name] = x
	}
	sum := 0.0
	for _, x := range after {
		old := was[x.Name]
		if x.Runs < old.Runs || x.TotalUS < old.TotalUS || x.Ran.KernelRows < old.Ran.KernelRows || x.Ran.VMRows < old.Ran.VMRows {
			old = systemTimes{} // a new one with this name
		}
		took := x.TotalUS - old.TotalUS
		sum += took
		p := profiled{Name: x.Name, Script: x.Script, Runs: x.Runs - old.Runs, TickUS: rounded(took / float64(max(ticks, 1))), Share: took,
			KernelRows: x.Ran.KernelRows - old.Ran.KernelRows, VMRows: x.Ran.VMRows - old.Ran.VMRows}
		if k := x.Kernel; k != nil && !k.Compiled {
			p.Line, p.NotCompiled = k.Line, cut(k.Reason, 300)
		}
		list = append(list, p)
	}
	for n := range list {
		if sum > 0 {
			list[n].Share = rounded(list[n].Share / sum)
		}
	}
	slices.SortStableFunc(list, func(a, b profiled) int { return cmp.Compare(b.TickUS, a.TickUS) })
	return list, rounded(sum / float64(max(ticks, 1)))
}

// rounded leaves three digits after the point.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
