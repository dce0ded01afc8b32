package scripting_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// checkedText returns what CheckTexts finds in one text.
func checkedText(t *testing.T, r *game, path, text string) string {
	t.Helper()
	problems, notes, err := r.host.CheckTexts(t.Context(), map[string][]byte{path: []byte(script(text))})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range append(problems, notes...) {
		found = append(found, e.Error())
	}
	return strings.Join(found, "\n")
}

// TestTextsAreChecked looks into texts that are in no file: nothing of the game may change.
func TestTextsAreChecked(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	r.write("a.lua", once("a", "ecs.log('a')"), "b.lua", `local n = require "lib" ecs.system "b" { run = function() ecs.log(n.n) end }`, "lib.lua", "return { n = 1 }")
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"a.lua", once("a", "ecs.log('other')"), ""},
		{"a.lua", "local x = = 1", "a.lua:2:11: "},
		{"a.lua", "error 'at the top'", "a.lua:2:1: at the top"},
		{"new.lua", once("new", "ecs.spwan()"), "spawn"},
		{"lib.lua", "error 'lib'", "lib.lua:2:1: lib"},
		{"lib.lua", "return nil + 1", "lib.lua:2"},
		{"a.lua", "while true do end", "a.lua:2"},
		{"a.lua", strings.Repeat("-- too long\n", 30_000), "more than 262,144"},
	} {
		found := checkedText(t, r, c[0], c[1])
		if (found == "") != (c[2] == "") || !strings.Contains(found, c[2]) {
			t.Errorf("%s, %.40q: %q, want %q", c[0], c[1], found, c[2])
		}
	}
	r.run(1)
	r.wantLog("a 1")
	if _, n := r.host.LastReload(); n != 0 {
		t.Errorf("%d verdicts over texts that were only checked", n)
	}
}

// TestTextsAreStaged runs a text that is in no file, until the file is saved.
func TestTextsAreStaged(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	r.write("a.lua", once("a", "ecs.log('a')"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	text := []byte(script(once("a", "ecs.log('text')")))
	if err := r.host.StageTexts(t.Context(), map[string][]byte{"a.lua": text}); err != nil {
		t.Fatal(err)
	}
	clear(text) // it was copied
	r.accepted()
	r.wantLog("text")
	r.write("c.lua", once("c", "ecs.log('c')"))
	r.host.Stage([]string{"c.lua"}, nil)
	r.accepted()
	r.wantLog("text c")
	r.host.Stage([]string{"a.lua"}, nil)
	r.accepted()
	r.wantLog("a c")
}

// TestRefusedTexts are there to be read until a set is accepted, and no other ones are.
func TestRefusedTexts(t *testing.T) {
	r := newGame(t, scripting.Limits{LogLines: -1})
	r.write("a.lua", once("a", "ecs.log('a')"))
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	refused := func(file, want string) {
		t.Helper()
		if text, ok := r.host.Refused(file); text != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", file, text, ok, want)
		}
	}
	refused("a.lua", "")
	stage := func(texts map[string][]byte) {
		t.Helper()
		if err := r.host.StageTexts(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
	}
	stage(map[string][]byte{"a.lua": []byte("local x = = 1"), "b.lua": []byte("return 1")})
	refused("a.lua", "") // no step has tried it
	r.run(1)
	refused("a.lua", "local x = = 1")
	refused("b.lua", "return 1")
	refused("c.lua", "")
	stage(map[string][]byte{"a.lua": []byte(script(once("a", "ecs.log('text')")))})
	r.accepted()
	refused("a.lua", "")
	stage(map[string][]byte{"a.lua": []byte("(")})
	r.run(1)
	refused("a.lua", "(")
	if err := r.host.Close(); err != nil {
		t.Fatal(err)
	}
	refused("a.lua", "")
	if text, ok := (*scripting.Host)(nil).Refused("a.lua"); ok {
		t.Error(text)
	}
}

// TestTextsOfNoScript refuses paths that no file of the game can have, and whatever is too early or too late.
func TestTextsOfNoScript(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	both := func(ctx context.Context, path string, want error) {
		t.Helper()
		texts := map[string][]byte{path: []byte("return 1")}
		_, _, err := r.host.CheckTexts(ctx, texts)
		if !errors.Is(err, want) {
			t.Errorf("CheckTexts of %q: %v, want %v", path, err, want)
		}
		if err := r.host.StageTexts(ctx, texts); !errors.Is(err, want) {
			t.Errorf("StageTexts of %q: %v, want %v", path, err, want)
		}
	}
	both(t.Context(), "a.lua", ecs.ErrUnknown)
	r.write("a.lua", "")
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", ".", "..", "../a.lua", "/a.lua", "a//b.lua", "a/../b.lua", "a.txt", ".a.lua", "x/.git/a.lua", "a:b.lua", "a\n.lua", "a\\..\\b\x00.lua", "\xff.lua"} {
		both(t.Context(), path, ecs.ErrRange)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	both(over, "a.lua", context.Canceled)
}

// TestTextsBeyondALimitAreKept: they stand in no file, and are tried with the next set all the same.
func TestTextsBeyondALimitAreKept(t *testing.T) {
	folder := roomFolder("a.lua", "")
	r := openRoom(t, scripting.Options{Limits: scripting.Limits{FolderBytes: 3000}})
	defer r.close(t)
	musts(t, r.host.Load(folder), r.host.Step(1))
	musts(t, r.host.StageTexts(t.Context(), map[string][]byte{"new.lua": []byte("local y = 1 --" + strings.Repeat("x", 4000))}), r.host.Step(1))
	folder["a.lua"] = &fstest.MapFile{Data: []byte("local saved")}
	r.host.Stage([]string{"a.lua"}, nil)
	musts(t, r.host.Step(1))
	if last, n := r.host.LastReload(); n != 2 || !errors.Is(last.Err, scripting.ErrLimit) {
		t.Errorf("%d reloads, the last one %v", n, last)
	}
	r.host.Stage(nil, []string{"new.lua"})
	musts(t, r.host.Step(1))
	if last, _ := r.host.LastReload(); last.Err != nil || string(r.host.Texts()["a.lua"]) != "local saved" {
		t.Errorf("%v", last)
	}
}

// TestASceneThatIsReadKeepsTheDryRun: what only says which scenes were read does not move the work of a set that waits
// into the step.
func TestASceneThatIsReadKeepsTheDryRun(t *testing.T) {
	folder := roomFolder("a.lua", "")
	folder["scenes/new.json"] = &fstest.MapFile{Data: []byte(`{ "entities": {} }`)}
	r := openRoom(t, scripting.Options{})
	defer r.close(t)
	musts(t, r.host.Load(folder), r.host.Step(1))
	folder["a.lua"] = &fstest.MapFile{Data: []byte(`while true do end`)}
	r.host.Stage([]string{"a.lua"}, nil)
	musts(t, r.host.LoadScene("new"), r.host.Step(1))
	if last, _ := r.host.LastReload(); last.Err == nil || last.Held > last.Took/4 {
		t.Errorf("%v of %v in the step: %v", last.Held, last.Took, last.Err)
	}
}

// TestStagingOfNoHost: a nil host is as one that is closed.
func TestStagingOfNoHost(t *testing.T) {
	for _, h := range []*scripting.Host{nil, {}} {
		_, _, checked := h.CheckTexts(t.Context(), nil)
		for what, err := range map[string]error{
			"StageContext": h.StageContext(t.Context(), nil, nil), "StageTexts": h.StageTexts(t.Context(), nil), "CheckTexts": checked,
			"StageProgram": h.StageProgram(t.Context(), nil),
		} {
			if !errors.Is(err, scripting.ErrClosed) || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// TestCheckTextsKnowsWhatWaits: texts are tried with what was staged before them and waits for a step, so that two sets that do not go
// together are not both staged.
func TestCheckTextsKnowsWhatWaits(t *testing.T) {
	r := loaded(t, "a.lua", "return 1")
	check := func(name, text string) []*scripting.Error {
		problems, _, err := r.host.CheckTexts(t.Context(), map[string][]byte{name: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		return problems
	}
	const declares = `local ecs = require "ecs" ecs.component("Zz", { a = ecs.%s(0) })`
	first, second := fmt.Sprintf(declares, "f32"), fmt.Sprintf(declares, "i32")
	if p := append(check("p.lua", first), check("r.lua", second)...); len(p) > 0 {
		t.Fatal(p)
	}
	if err := r.host.StageTexts(t.Context(), map[string][]byte{"p.lua": []byte(first)}); err != nil {
		t.Fatal(err)
	}
	if p := check("r.lua", second); len(p) == 0 || !strings.Contains(p[0].Message, "Zz") {
		t.Errorf("a conflict with what waits: %v", p)
	}
	if p := append(check("ok.lua", "return 1"), check("p.lua", second)...); len(p) > 0 {
		t.Errorf("a text beside what waits, and one in its place: %v", p)
	}
	r.accepted()
	if p := check("ok.lua", "return 1"); len(p) > 0 {
		t.Error(p)
	}
}
