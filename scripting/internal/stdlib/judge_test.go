package stdlib_test

import (
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax/judge"
)

// Random programs of the language are the same programs as before, and those of which
// a piece was lost or came twice have the same faults.
func TestSamePrograms(t *testing.T) {
	programs, broken := 0, 0
	for seed := range uint64(10000) {
		text := program(seed)
		ok, err := judge.Same([]byte(text))
		if err != nil || !ok {
			t.Fatalf("seed %d: %v", seed, err)
		}
		programs++
		r := rand.New(rand.NewPCG(seed, 1))
		from := r.IntN(len(text))
		to := min(from+r.IntN(6), len(text))
		if seed%10 != 0 {
			continue
		}
		for _, text := range []string{text[:from] + text[to:], text[:to] + text[from:]} {
			if ok, err = judge.Same([]byte(text)); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if !ok {
				broken++
			}
		}
	}
	t.Logf("%d programs, %d with faults", programs, broken)
}
