package scripting_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// tree is a JSON value whose objects may have keys in any order, and twice.
type tree struct {
	open  json.Delim // 0 for a word
	word  string     // as JSON
	keys  []string
	items []*tree
}

// parsed reads a value.
func parsed(t testing.TB, d *json.Decoder) *tree {
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	open, ok := token.(json.Delim)
	if !ok {
		word, _ := json.Marshal(token)
		return &tree{word: string(word)}
	}
	x := &tree{open: open}
	for d.More() {
		if open == '{' {
			key, _ := d.Token()
			x.keys = append(x.keys, key.(string))
		}
		x.items = append(x.items, parsed(t, d))
	}
	_, _ = d.Token()
	return x
}

// appendTo writes the value.
func (x *tree) appendTo(to []byte) []byte {
	if x.open == 0 {
		return append(to, x.word...)
	}
	to = append(to, byte(x.open))
	for i, item := range x.items {
		if i > 0 {
			to = append(to, ',')
		}
		if x.open == '{' {
			key, _ := json.Marshal(x.keys[i])
			to = append(append(to, key...), ':')
		}
		to = item.appendTo(to)
	}
	return append(to, byte(x.open)+2) // as it is for both
}

// alteration is another form of one node.
type alteration struct {
	node *tree
	what string
	form tree
}

// limits are numbers at which something ends.
var limits = []string{"2147483647", "9007199254740991", "9007199254740992", "18446744073709551615"}

// alterations lists what becomes of a value by one key less, one key twice, two keys exchanged, one item of a list less or a number
// at a limit.
func (x *tree) alterations(path string, list []alteration) []alteration {
	add := func(what string, form tree) { list = append(list, alteration{x, path + ": " + what, form}) }
	if _, err := strconv.ParseFloat(x.word, 64); err == nil {
		for _, limit := range limits {
			add("at a limit "+limit, tree{word: limit})
		}
	}
	for i, item := range x.items {
		without := tree{open: x.open, items: slices.Delete(slices.Clone(x.items), i, i+1)}
		if x.open == '[' {
			add(fmt.Sprint("without ", i), without)
			list = item.alterations(fmt.Sprint(path, "[", i, "]"), list)
			continue
		}
		without.keys = slices.Delete(slices.Clone(x.keys), i, i+1)
		add("without "+x.keys[i], without)
		for j, other := range x.keys {
			add(x.keys[i]+" twice", tree{'{', "", append(slices.Clone(x.keys), x.keys[i]), append(slices.Clone(x.items), x.items[j])})
			if j < i {
				exchanged := slices.Clone(x.keys)
				exchanged[i], exchanged[j] = other, exchanged[i]
				add(x.keys[i]+" for "+other, tree{'{', "", exchanged, x.items})
			}
		}
		list = item.alterations(path+"."+x.keys[i], list)
	}
	return list
}

// everythingKept is a game in which scripts keep all that there is to keep.
func everythingKept(t testing.TB) *game {
	r := withCamp(t, campScene, "b.lua", `
local S = ecs.state("s", { n = 0/0, list = { 1, "\255" }, [true] = -1/0 })
S.self, S.name = S, tostring(S)
local E = ecs.event("E", { n = ecs.f64(0) })
ecs.on_save(function() return { 1, { 2 } } end)
ecs.on_error(function(e) error("again") end)
ecs.handler("h", function(d) if d.n then error("x") end end)
ecs.on_start(function() ecs.every(0.01, "h", { n = 1 }) ecs.after(9, "h") ecs.load_scene("camp") end)
ecs.system "emits" { run = function() ecs.emit(E { n = 1 }) ecs.enable("off", false) end }
ecs.system "counts" { run = function() ecs.cancel(ecs.after(9, "h")) S.fresh = {} S.name = tostring(S.fresh) end }
ecs.system "off" { run = function() end }
ecs.system "on" { on = E, each = function(e) error("event") end }
ecs.system "fails" { query = { P }, each = function(e, p) error("row") end }`,
		"c.lua", `ecs.on_unload(function() return { 7 } end) ecs.on_start(function() error("never") end)`,
		"d.lua", `local T = ecs.component("Gone", { n = ecs.f64(1) }) ecs.on_start(function() ecs.spawn(T) end)`)
	r.step(2)
	r.save("c.lua", `ecs.on_reload(function() error("no") end)`)
	r.remove("d.lua")
	r.step(2)
	return r
}

// another is a game of other scripts, which can be restored from that.
func another(t testing.TB) *game {
	r := withCamp(t, campScene, "b.lua", `
local S = ecs.state("s", { list = {} }) ecs.handler("h", function() end) ecs.on_load(function(v) S.v = tostring(v) end)
local E = ecs.event("E", { n = ecs.f64(0) }) ecs.on_error(function(e) end)
ecs.system "off" { run = function() end }
ecs.system "on" { on = E, each = function(e) error("event") end }
ecs.system "fails" { query = { P }, each = function(e, p) S.x = 1 end }`)
	r.step(3)
	return r
}

// oneValueKept is a game in which scripts keep one value, and nothing else.
func oneValueKept(t testing.TB) *game {
	r := loaded(t, "b.lua", `ecs.on_save(function() return 1 end)`)
	r.step(1)
	return r
}

// goesOn reads what scripts keep, if it can be read, has a game go on with it and keeps that again.
func (r *game) goesOn(what string, input []byte) {
	r.Helper()
	defer func() {
		if p := recover(); p != nil {
			r.Errorf("%s: panic: %v", what, p)
		}
	}()
	x, err := scripting.ReadScripts(input, scripting.Limits{Saved: 1 << 20})
	if err != nil {
		if !errors.Is(err, ecs.ErrConflict) {
			r.Errorf("%s: %v", what, err)
		}
		return
	}
	if _, err := r.host.RestoreScripts(x, func() error { return nil }); err != nil {
		r.Errorf("%s: %v", what, err)
		return
	}
	r.step(1)
	if _, err := scripting.ReadScripts(r.captured().Scripts().Encode(), scripting.Limits{}); err != nil {
		r.Errorf("%s: what is kept then cannot be read: %v", what, err)
	}
}

// TestKeysOfWhatScriptsKeep: what scripts keep with a key less, a key twice, two keys exchanged, a shorter list or a number at its limit is refused
// when it is read, or makes a game that goes on and can be kept again.
func TestKeysOfWhatScriptsKeep(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	other, same := another(t), everythingKept(t)
	for _, of := range []*game{oneValueKept(t), everythingKept(t)} {
		root := parsed(t, json.NewDecoder(bytes.NewReader(of.captured().Scripts().Encode())))
		list := root.alterations("", nil)
		for i, a := range list {
			tried := 100 // of the pairs of keys, which are most
			if strings.Contains(a.what, "without") || strings.Contains(a.what, "limit") {
				tried = len(list) / 2
			}
			if len(list) > 200 && random.IntN(len(list)) >= tried {
				continue
			}
			r, others := other, list[:0]
			if strings.Contains(a.what, "limit") {
				r = same // which counts on
			} else if i%16 == 0 {
				others = list[random.IntN(len(list)):][:1]
			}
			before := *a.node
			*a.node = a.form
			r.goesOn(a.what, root.appendTo(nil))
			for _, other := range others { // two at once
				after := *other.node
				*other.node = other.form
				r.goesOn(a.what+" and "+other.what, root.appendTo(nil))
				*other.node = after
			}
			*a.node = before
		}
	}
}

// TestValuesThatAreMissing: what a script has kept is refused without its value: it is not the value of another one.
func TestValuesThatAreMissing(t *testing.T) {
	for _, list := range []string{"saved", "handed", "offered"} {
		input := `{"format":1,"tick":0,"` + list + `":[{"script":"a.lua"}],"timers":[{"id":1,"at":1,"handler":"h","data":"of the timer"}],"last_timer":1}`
		if _, err := scripting.ReadScripts([]byte(input), scripting.Limits{}); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), list+`: "a.lua" has no value`) {
			t.Errorf("%s: %v", list, err)
		}
	}
}

// TestKeysStandOnce: a key that stands twice in an object is refused, wherever it stands.
func TestKeysStandOnce(t *testing.T) {
	const fault = `{"next":0,"wait":0,"key":"k","times":1,"script":"a.lua"}`
	for _, input := range []string{
		`"faults":[` + fault + `],"faults":[` + fault + `]`,
		`"tick":1,"tick":2`,
		`"saved":[{"script":"a.lua","value":1,"value":2}]`,
		`"tables":[],"tables":[]`,
	} {
		if _, err := scripting.ReadScripts([]byte(`{"format":1,`+input+`}`), scripting.Limits{}); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "the key stands there twice") {
			t.Errorf("%s: %v", input, err)
		}
	}
}
