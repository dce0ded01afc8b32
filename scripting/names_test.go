package scripting_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestNamesAreText: a script that is not saved as UTF-8, or that makes a name of bytes, is told so where it declares
// something. Nothing could be saved and loaded by such a name.
func TestNamesAreText(t *testing.T) {
	const wrong = "Gr\xf6\xdfe"
	for _, form := range []string{
		`ecs.component("%s", { n = ecs.f32(1) })`, `ecs.tag("%s")`, `ecs.component("C", { ["%s"] = ecs.f32(1) })`, `ecs.component("C", { n = ecs.enum("a", "%s") })`,
		`ecs.event("%s", { n = ecs.f32(1) })`, `ecs.event("E", { ["%s"] = ecs.f32(1) })`, `ecs.prefab("%s", {})`, `ecs.state("%s")`,
		`ecs.system "%s" { run = function() end }`, `ecs.handler("%s", function() end)`, `ecs.kernel("%s", function(x) return x end)`, `ecs.on_spawn("%s", function(e) end)`,
	} {
		r := newGame(t, scripting.Limits{})
		err := r.host.Load(fstest.MapFS{"a.lua": {Data: []byte("local ecs = require 'ecs'\n" + fmt.Sprintf(form, wrong))}})
		if err == nil || !strings.Contains(err.Error(), "a.lua:2:") || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%s: %v", form, err)
		}
	}
}
