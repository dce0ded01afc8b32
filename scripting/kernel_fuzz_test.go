package scripting_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzKernelsEqualLua gives any text for an each function to both paths. What the
// compiler takes is a module that the engine takes, and does what Lua does.
func FuzzKernelsEqualLua(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(strings.TrimSpace(generate(rand.New(rand.NewPCG(seed, 3)), languageDialect)), seed)
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		const most = 2000 // bytes: what is longer is slow and says nothing new
		if !strings.HasPrefix(text, "function(e, a, b,") || len(text) > most {
			return
		}
		o, difference := languageSetting.compare(t, []string{text}, seed)
		if difference != "" {
			t.Fatalf("%s\n%s", difference, text)
		}
		for _, why := range o.reasons {
			if !strings.HasSuffix(why, "is not available in kernels") && !strings.HasPrefix(why, "a function that is not written out") {
				t.Fatalf("%s\n%s", why, text)
			}
		}
	})
}
