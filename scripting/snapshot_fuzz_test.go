package scripting_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// keptInput is what a game with something of everything has encoded.
func keptInput(t testing.TB) []byte {
	r := loaded(t, "a.lua", `
local S = ecs.state("s", { n = 0/0, list = { 1, 2, "\255" }, [true] = -1/0, [1.5] = {} })
S.self, S.list[4] = S, { S.list }
ecs.on_save(function() return { 1, { 2 } } end)
ecs.handler("h", function(d) if d.n then error("x") end end)
ecs.on_start(function() ecs.every(0.01, "h", { n = 1 }) ecs.after(9, "h", { { "y" } }) ecs.spawn(P) end)
ecs.system "fails" { query = { P }, each = function(e, p) error("row") end }`)
	r.step(3)
	return r.captured().Scripts().Encode()
}

// readKept reads an input, and restores what it was if it can be read.
func readKept(t testing.TB, r *game, input []byte) {
	x, err := scripting.ReadScripts(input, scripting.Limits{Saved: 1 << 20})
	if err != nil {
		if !errors.Is(err, ecs.ErrConflict) {
			t.Fatalf("%v", err)
		}
		return
	}
	again := x.Encode()
	y, err := scripting.ReadScripts(again, scripting.Limits{})
	if err != nil || !bytes.Equal(y.Encode(), again) {
		t.Fatalf("what was read cannot be read again: %v\n%s", err, again)
	}
	if _, err := r.host.RestoreScripts(x, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	r.step(2)
	if _, err := r.host.Capture(); err != nil {
		var e *scripting.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
	}
}

const keptTarget = `local S = ecs.state("s", { list = {} }) ecs.handler("h", function() end) ecs.on_load(function(v) end)
ecs.system "fails" { query = { P }, each = function(e, p) S.x = 1 end }`

// TestDamagedInputs: a thousand random damages, and each truncation, of what was encoded.
func TestDamagedInputs(t *testing.T) {
	input, r := keptInput(t), loaded(t, "a.lua", keptTarget)
	readKept(t, r, input)
	for i := range input {
		if _, err := scripting.ReadScripts(input[:i], scripting.Limits{}); i < len(input)-1 && err == nil {
			t.Fatalf("the first %d bytes are read", i)
		}
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	for range 1000 {
		damaged := bytes.Clone(input)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] = "0123456789{}[],:\"ntfabe.-"[random.IntN(25)]
		}
		readKept(t, r, damaged)
	}
}

// TestHostileInputs: what would take more than the limits allow, or go round for ever.
func TestHostileInputs(t *testing.T) {
	for name, input := range map[string]string{
		"room":          `{"format":1,"states":[{"name":"s","value":{"table":0}}],"tables":[{"list":[],"room":2000000000,"keys":[]}]}`,
		"dictionary":    `{"format":1,"states":[{"name":"s","value":{"table":0}}],"tables":[{"list":[],"room":0,"keys":[],"dict":1073741824}]}`,
		"number":        `{"format":1,"states":[{"name":"s","value":{"table":7}}],"tables":[]}`,
		"two names":     `{"format":1,"states":[{"name":"s","value":{"table":0}},{"name":"t","value":{"table":0}}],"tables":[{"list":[],"room":0,"keys":[]}]}`,
		"nobody's":      `{"format":1,"tables":[{"list":[],"room":0,"keys":[]}]}`,
		"short beat":    `{"format":1,"last_timer":1,"timers":[{"id":1,"at":0,"every":1e-300,"handler":"h"}],"tables":[]}`,
		"NaN":           `{"format":1,"last_timer":1,"timers":[{"id":1,"at":{"bits":"7ff8000000000001"},"handler":"h"}],"tables":[]}`,
		"same id":       `{"format":1,"last_timer":1,"timers":[{"id":1,"at":0,"handler":"h"},{"id":1,"at":0,"handler":"h"}],"tables":[]}`,
		"late id":       `{"format":1,"last_timer":1,"timers":[{"id":2,"at":0,"handler":"h"}],"tables":[]}`,
		"format":        `{"format":2}`,
		"no format":     `{}`,
		"nesting":       strings.Repeat("[", 1_000_000),
		"nested values": `{"format":1,"saved":` + strings.Repeat(`[{"value":`, 10_000),
		"many":          `{"format":1,"timers":[` + strings.Repeat(`{},`, 1_000_000) + `{}]}`,
		"unknown":       `{"format":1,"other":1}`,
		"more":          `{"format":1,"tables":[]}{}`,
		"key twice":     `{"format":1,"states":[{"name":"s","value":{"table":0}}],"tables":[{"list":[],"room":0,"keys":[["a",1],["a",2]]}]}`,
	} {
		if _, err := scripting.ReadScripts([]byte(input), scripting.Limits{Saved: 1 << 20}); !errors.Is(err, ecs.ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzReadScripts: whatever is read is read again as the same, and can be restored.
func FuzzReadScripts(f *testing.F) {
	f.Add(keptInput(f))
	f.Fuzz(func(t *testing.T, input []byte) { readKept(t, loaded(t, "a.lua", keptTarget), input) })
}
