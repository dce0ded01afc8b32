package scripting_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestWordsOfMistakes: the mistakes that everybody makes are told as Lua tells
// them, with what is wrong.
func TestWordsOfMistakes(t *testing.T) {
	for body, want := range map[string]string{
		`local x = nil + 1`:                "attempt to perform arithmetic: nil + number",
		`local x = 2 ^ {}`:                 "attempt to perform arithmetic: number ^ table",
		`local x = #nil`:                   "attempt to get the length of a value that has none",
		`local x = -{}`:                    "attempt to perform arithmetic on a value that is no number",
		`local x = {} x.y.z = 1`:           `attempt to index a nil value with key "z"`,
		`local x = P.foo.bar`:              `attempt to index a userdata value with key "foo"`,
		`for i = 1, {} do end`:             `a "for" needs numbers, and its limit is none`,
		`local x = {} x.go()`:              `attempt to call "go", a nil value`,
		`local x = {} < 1`:                 "attempt to compare table with number",
		`error("cannot perform miracles")`: "cannot perform miracles",
	} {
		r := loaded(t, "a.lua", once("s", body))
		r.step(1)
		if e := r.wantError(`a.lua:`, want); e.Message != want || errors.Is(e, scripting.ErrLimit) {
			t.Errorf("%s: %q, want %q", body, e.Message, want)
		}
	}
}

// TestLimitsAreKnown: a host can tell the end of a limit from a mistake, and
// which it was, at a load as in a tick.
func TestLimitsAreKnown(t *testing.T) {
	r := newRig(t, scripting.Limits{Instructions: 1000, Depth: 20, Commands: 5})
	r.write("a.lua", once("a", "while true do end")+once("b", "local function f() return 1 + f() end f()")+once("c", "while true do ecs.spawn(P {}) end")+once("d", "error('no')"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.step(1)
	var limits []string
	for _, e := range r.errors {
		limits = append(limits, e.Limit)
		if errors.Is(e, scripting.ErrLimit) != (e.Limit != "") {
			t.Errorf("%v: limit %q", e, e.Limit)
		}
	}
	if got := strings.Join(limits, " "); got != "Instructions Depth Commands " {
		t.Errorf("limits %q", got)
	}
	r.write("a.lua", "while true do end")
	if err := r.host.Load(r.folder); !errors.Is(err, scripting.ErrLimit) {
		t.Error(err)
	}
}
