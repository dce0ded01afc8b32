package scripting_test

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestEnumComparedWithUnknownWord: the check reports a comparison that is always false, where the
// text says which field it is, and no other.
func TestEnumComparedWithUnknownWord(t *testing.T) {
	const each, run = `ecs.system "s" { query = { H }, each = function(e, h) `, `ecs.system "s" { run = function() local e = ecs.find(H) `
	const wrong = `field "kind" of "H": it is compared with "ork", which it never is (did you mean "orc"?)`
	for body, want := range map[string]string{
		each + `if h.kind == "ork" then h.hp = 1 end`:                                                      wrong,
		each + `if "ork" ~= h.kind then h.hp = 1 end`:                                                      wrong,
		each + `local k = h.kind if k == "ork" then h.hp = 1 end`:                                          wrong,
		each + `if h.kind == "x" then h.hp = 1 end`:                                                        `field "kind" of "H": it is compared with "x", which it never is, it is "orc" or "elf"`,
		each + `if h.kind == "elf" then h.hp = 1 end`:                                                      "",
		each + `local k = h.kind k = "ork" if k == "ork" then h.hp = 1 end`:                                "",
		run + `if ecs.get(e, H).kind == "ork" then ecs.log("x") end`:                                       wrong,
		run + `local h = ecs.get(e, H) if h.kind == "ork" then ecs.log("x") end`:                           wrong,
		run + `local h = ecs.get(e, H) ecs.log(h) h.kind = "ork" if h.kind == "ork" then ecs.log("x") end`: "",
		run + `local h = { kind = "ork" } if h.kind == "ork" then ecs.log("x") end`:                        "",
	} {
		text := "local ecs = require \"ecs\"\nlocal H = ecs.component(\"H\", { hp = 1, kind = ecs.enum(\"orc\", \"elf\") })\n" + body + "\nend }"
		got := strings.Join(checked(t, fstest.MapFS{"a.lua": {Data: []byte(text)}}), "\n")
		if want == "" && got != "" || !strings.HasSuffix(got, want) {
			t.Errorf("%s: check reports %q, want %q", body, got, want)
		}
	}
}
