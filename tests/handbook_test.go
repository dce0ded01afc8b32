package tests_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

const handbook = "../scripts/README.md"

// The handbook promises that every piece of Lua in it is a whole file that runs.
// In a snippet, "--> text" is what it logs next and "---! "text"" what is wrong
// with its line. A snippet whose first line is "-- name.lua" is a module that
// other snippets may require.
func TestHandbook(t *testing.T) {
	snippets := readSnippets(t)
	modules := fstest.MapFS{}
	for _, s := range snippets {
		if s.module {
			modules[s.name] = &fstest.MapFile{Data: []byte(s.text)}
		}
	}
	for name, text := range dataFiles(t) {
		modules[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for _, s := range snippets {
		if strings.HasPrefix(s.name, "scenes/") {
			continue // it runs with the snippet that loads it
		}
		t.Run(fmt.Sprintf("line %d", s.line), func(t *testing.T) { s.run(t, modules) })
	}
}

// dataFile is a data file that the handbook shows, after its name.
var dataFile = regexp.MustCompile("(?ms)^`([a-z_/]+\\.(?:json|csv))`:\n\n```[a-z]+\n(.*?)^```$")

// dataFiles returns the data files of the handbook by name.
func dataFiles(t *testing.T) map[string]string {
	text, err := os.ReadFile(handbook)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, m := range dataFile.FindAllStringSubmatch(string(text), -1) {
		files[m[1]] = m[2]
	}
	if len(files) < 2 {
		t.Fatalf("the handbook shows the data files %v", files)
	}
	return files
}

// TestHandbookNamesEverything holds the handbook complete: each function of the
// ecs table and each method of batches and columns is used in some snippet.
func TestHandbookNamesEverything(t *testing.T) {
	var all strings.Builder
	for _, s := range readSnippets(t) {
		all.WriteString(s.text)
	}
	names := apiNames(t)
	if len(names) < 40 {
		t.Fatalf("the ecs table has only %q", names)
	}
	for _, name := range names {
		if !strings.Contains(all.String(), "ecs."+name) && !strings.Contains(tableOfKinds(t), "ecs."+name) {
			t.Errorf("the handbook does not show ecs.%s", name)
		}
	}
}

// apiNames asks the ecs table itself for its names.
func apiNames(t *testing.T) []string {
	s := snippet{name: "names.lua", text: `
		local ecs = require "ecs"
		ecs.on_start(function()
			for name in pairs(ecs) do ecs.log(name) end
		end)`}
	logs, faults := s.play(t, nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return logs
}

func tableOfKinds(t *testing.T) string {
	var rows []string
	for line := range strings.Lines(readHandbook(t)) {
		if strings.HasPrefix(line, "| `ecs.") {
			rows = append(rows, line)
		}
	}
	return strings.Join(rows, "")
}

// snippet is one block of Lua in the handbook.
type snippet struct {
	line   int // in the handbook
	name   string
	text   string
	module bool     // to be required, not run by itself
	logs   []string // expected, in order; more may follow
	fault  fault
}

// fault is an error that a snippet shows; without a line there is none.
type fault struct {
	line int
	text string
}

var (
	luaBlock   = regexp.MustCompile("(?ms)^```lua\n(.*?)^```$")
	moduleName = regexp.MustCompile(`\A-- (\S+\.lua)\n`)
	expectLog  = regexp.MustCompile(`--> (.*)$`)
	expectFail = regexp.MustCompile(`---! (".*")$`)
)

func readHandbook(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(handbook)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readSnippets(t *testing.T) []snippet {
	t.Helper()
	text := readHandbook(t)
	var all []snippet
	for _, at := range luaBlock.FindAllStringSubmatchIndex(text, -1) {
		s := snippet{line: strings.Count(text[:at[2]], "\n") + 1, name: "snippet.lua", text: text[at[2]:at[3]]}
		s.readExpectations(t)
		all = append(all, s)
	}
	if len(all) == 0 {
		t.Fatal("the handbook has no Lua in it")
	}
	return all
}

func (s *snippet) readExpectations(t *testing.T) {
	t.Helper()
	if m := moduleName.FindStringSubmatch(s.text); m != nil {
		s.name, s.module = m[1], true
	}
	for i, line := range strings.Split(s.text, "\n") {
		if m := expectLog.FindStringSubmatch(line); m != nil {
			s.logs = append(s.logs, m[1])
		}
		if m := expectFail.FindStringSubmatch(line); m != nil {
			text, err := strconv.Unquote(m[1])
			if err != nil || s.fault.line > 0 {
				t.Fatalf("line %d: %v, or a second line that fails", s.line+i, err)
			}
			s.fault = fault{i + 1, text}
		}
	}
}

func (s *snippet) run(t *testing.T, modules fstest.MapFS) {
	logs, faults := s.play(t, modules)
	for i, want := range s.logs {
		if i >= len(logs) || logs[i] != want {
			t.Fatalf("logged %q, want %q next after %d", logs, want, i)
		}
	}
	failed := s.fault.line == 0
	for _, f := range faults {
		if f.Line != s.fault.line || !strings.Contains(f.Error(), s.fault.text) {
			t.Errorf("%s", f.Detail())
		}
		failed = true
	}
	if !failed {
		t.Errorf("no error, want %q in line %d", s.fault.text, s.fault.line)
	}
}

// play loads a snippet beside the modules and steps it for three seconds.
func (s *snippet) play(t *testing.T, modules fstest.MapFS) (logs []string, faults []*scripting.Error) {
	t.Helper()
	g := newPlayground(t)
	maps.Copy(g.files, modules)
	if !strings.Contains(s.text, "load_scene") { // a scene belongs to the components of one snippet
		maps.DeleteFunc(g.files, func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, "scenes/") })
	}
	g.files[s.name] = &fstest.MapFile{Data: []byte(s.text)}
	g.load(t)
	if len(g.faults) == 0 {
		g.play(3)
	}
	return g.logs, g.faults
}

// recorder is a slog.Handler that keeps the messages.
type recorder struct{ lines *[]string }

func (recorder) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }
func (r recorder) WithAttrs([]slog.Attr) slog.Handler             { return r }
func (r recorder) WithGroup(string) slog.Handler                  { return r }

func (r recorder) Handle(_ context.Context, record slog.Record) error {
	script := false
	record.Attrs(func(a slog.Attr) bool {
		script = script || a.Key == "script"
		return true
	})
	if script { // and not a message of the host about loading
		*r.lines = append(*r.lines, record.Message)
	}
	return nil
}

// playground is a world with what the stock kit offers, and a host with a folder
// of scripts in memory.
type playground struct {
	world   *ecs.World
	host    *scripting.Host
	files   fstest.MapFS
	logs    []string // what scripts logged
	faults  []*scripting.Error
	reloads []scripting.Reload
}

func newPlayground(t *testing.T) *playground {
	t.Helper()
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	stock, err := kit.Install(w, kit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kit.InstallView(w); err != nil {
		t.Fatal(err)
	}
	g := &playground{world: w, files: fstest.MapFS{"ships/scout.png": {}}}
	store, err := asset.Open(w, g.files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := asset.Register(store, fs.ReadFile, "*.png"); err != nil {
		t.Fatal(err)
	}
	host, err := scripting.New(w, scripting.Options{
		Logger:   slog.New(recorder{&g.logs}),
		OnError:  func(e *scripting.Error) { g.faults = append(g.faults, e) },
		OnReload: func(r scripting.Reload) { g.reloads = append(g.reloads, r) },
		OnKernel: func(scripting.KernelStatus) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	if err := stock.Expose(host.Expose); err != nil {
		t.Fatal(err)
	}
	g.host = host
	return g
}

// load loads the folder; the problems of one that is refused become faults.
func (g *playground) load(t *testing.T) {
	t.Helper()
	err := g.host.Load(g.files)
	var refused *scripting.LoadError
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if refused != nil {
		g.faults = append(g.faults, refused.Problems...)
		return
	}
	noFalseAlarm(t, g.host, g.files)
}

// play lets some seconds of the game pass.
func (g *playground) play(seconds float64) {
	for range int(seconds * 60) {
		_ = g.host.Step(1.0 / 60) // OnError has been told
	}
}
