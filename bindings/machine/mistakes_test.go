package machine

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// talkative is a value of the host's that says more of itself than a message shows.
type talkative struct{ describe, use string }

func (t talkative) Describe() string { return t.describe }
func (t talkative) Use() string      { return t.use }

// TestLongWordsOfTheHostAreCut: what a value of the host's says of itself is part of a message, and no longer than
// such a part may be.
func TestLongWordsOfTheHostAreCut(t *testing.T) {
	long := strings.Repeat("ä", diag.LongestPart)
	th := New(Options{}).Main()
	for _, v := range []talkative{{"the answer", long}, {long, "ask it"}, {long, long}} {
		message := th.NotIndexable(OfUserdata(NewUserdata(v)), String("field")).Message
		if len(message) > diag.LongestPart+100 || !strings.HasSuffix(message, `… with key "field"`) {
			t.Errorf("%d bytes, ending in %q", len(message), message[len(message)-60:])
		}
	}
	message := th.NotIndexable(OfUserdata(NewUserdata(talkative{"the answer", "ask it"})), Nil).Message
	if message != "attempt to index the answer: ask it" {
		t.Error(message)
	}
}

// TestValuesOfAllKinds: what messages call the value of a kind is the name of its type.
func TestValuesOfAllKinds(t *testing.T) {
	for k := range KindThread {
		if words := "a " + k.String() + " value"; k.value() != words {
			t.Errorf("%q, want %q", k.value(), words)
		}
	}
}
