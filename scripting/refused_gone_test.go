package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestRefusedFileThatIsDeleted: a new file that was refused and is deleted refuses no
// later save, however it was wrong.
func TestRefusedFileThatIsDeleted(t *testing.T) {
	const good = `ecs.system "s" { run = function() end }`
	for name, text := range map[string]string{
		"a copy": good, "a syntax error": "local x = \n", "an unknown name": "foo()\n", "an error": `error("x")`,
		"an option that is none": `ecs.system "q" { run = function() end, evry = 1 }`,
	} {
		for _, between := range []bool{false, true} { // a step between the save and the deletion
			r := newGame(t, scripting.Limits{})
			r.write("m.lua", good)
			if err := r.host.Load(r.folder); err != nil {
				t.Fatal(err)
			}
			r.save("n.lua", text)
			if between {
				r.refused("n.lua")
			}
			r.remove("n.lua")
			r.step(1)
			if between && (len(r.reloads) == 0 || !strings.Contains(r.verdict(), "reload ok: 0 files, 1 removed")) {
				t.Errorf("%s: %v", name, r.reloads)
			}
			r.save("m.lua", good+" -- again")
			r.accepted()
		}
	}
}
