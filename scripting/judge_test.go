package scripting_test

import (
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/internal/syntax/judge"
)

// Random each functions are the same programs as before.
func TestSameKernels(t *testing.T) {
	for seed := range uint64(10000) {
		d := []*dialect{rowsDialect, worldDialect, languageDialect}[seed%3]
		text := "local ecs = require 'ecs'\nlocal t = {}\necs.system 'x' {\n query = { A, with = B },\n each = " + generate(rand.New(rand.NewPCG(seed, 2)), d) + ", }"
		if ok, err := judge.Same([]byte(text)); err != nil || !ok {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}
