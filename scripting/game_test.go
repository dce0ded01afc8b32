package scripting_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/testmain"
	"github.com/perigee-ecs/perigee/scripting"
)

func TestMain(m *testing.M) {
	testmain.Collector()
	goleak.VerifyTestMain(m)
}

type (
	Position struct{ X, Y float64 }
	Velocity struct{ X, Y float64 }
	Score    struct{ Points int32 }
)

// newHost opens a host of a world; the test closes it. What the test is not interested in
// is not logged.
func newHost(t interface {
	Helper()
	Fatal(...any)
}, w *ecs.World, options scripting.Options) *scripting.Host {
	t.Helper()
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	host, err := scripting.New(w, options)
	if err != nil {
		t.Fatal(err)
	}
	return host
}

// game is a world, a host and a folder of scripts in memory, and what the host
// has reported.
type game struct {
	testing.TB
	world    *ecs.World
	host     *scripting.Host
	folder   fstest.MapFS
	score    *Score
	errors   []*scripting.Error // all that failed
	reported []*scripting.Error // that OnError heard of
	reloads  []scripting.Reload
	logs     []string
	places   []string // of the logs
}

// newGame opens a host without scripts.
func newGame(t testing.TB, limits scripting.Limits) *game {
	t.Helper()
	return newGameOf(t, ecs.Options{}, limits)
}

// newGameOf is newGame for a world with these options.
func newGameOf(t testing.TB, options ecs.Options, limits scripting.Limits) *game {
	t.Helper()
	if raceEnabled && options.MaxBytes == 0 {
		options.MaxBytes = 16 << 20 // all of it is cleared for each world
	}
	world, err := ecs.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	r := &game{TB: t, world: world, folder: fstest.MapFS{}, score: &Score{}}
	ecs.Register[Position](r.world)
	ecs.Register[Velocity](r.world)
	ecs.Provide(r.world, r.score)
	host := newHost(t, r.world, scripting.Options{
		Logger:   slog.New(&logbook{lines: &r.logs, places: &r.places}),
		OnError:  func(e *scripting.Error) { r.reported = append(r.reported, e) },
		OnReload: func(v scripting.Reload) { r.reloads = append(r.reloads, v) },
		OnKernel: func(scripting.KernelStatus) {},
		Limits:   limits,
	})
	r.host = host
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
		if err := r.world.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// loaded opens a host with scripts, by name and text.
func loaded(t testing.TB, files ...string) *game {
	t.Helper()
	r := newGame(t, scripting.Limits{Instructions: 300_000, LogLines: -1})
	r.write(files...)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	return r
}

// write puts files into the folder; script adds the line that all begin with.
func (r *game) write(files ...string) {
	for i := 0; i < len(files); i += 2 {
		r.folder[files[i]] = newFile(script(files[i+1]))
	}
}

func script(text string) string {
	return `local ecs, P, V = require "ecs", require("ecs").native("Position"), require("ecs").native("Velocity")` + "\n" + text
}

// save writes files and stages them, as a watcher does.
func (r *game) save(files ...string) {
	r.write(files...)
	var names []string
	for i := 0; i < len(files); i += 2 {
		names = append(names, files[i])
	}
	r.host.Stage(names, nil)
}

// remove deletes files and stages that.
func (r *game) remove(names ...string) {
	for _, name := range names {
		delete(r.folder, name)
	}
	r.host.Stage(nil, names)
}

// step runs ticks; what fails is in r.errors.
func (r *game) step(ticks int) {
	r.Helper()
	for range ticks {
		r.failed(r.host.StepAll(1.0 / 64))
		if err := r.world.Check(); err != nil {
			r.Fatal(err)
		}
	}
}

// failed keeps what a step has returned.
func (r *game) failed(err error) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			r.errors = append(r.errors, e.(*scripting.Error))
		}
	}
}

// run runs ticks in which nothing may fail.
func (r *game) run(ticks int) {
	r.Helper()
	before := len(r.errors)
	r.step(ticks)
	for _, e := range r.errors[before:] {
		r.Fatal(e.Detail())
	}
}

// accepted demands that the next tick takes over what was staged.
func (r *game) accepted() {
	r.Helper()
	before := len(r.reloads)
	r.run(1)
	if len(r.reloads) != before+1 {
		r.Fatalf("%d reloads, want 1", len(r.reloads)-before)
	}
	if err := r.reloads[before].Err; err != nil {
		r.Fatal(err)
	}
}

// refused demands that the next tick refuses what was staged, with these texts
// in the reason, and that nothing else fails.
func (r *game) refused(texts ...string) {
	r.Helper()
	before := len(r.reloads)
	r.run(1)
	if len(r.reloads) != before+1 || r.reloads[before].Err == nil {
		r.Fatalf("reloads %v, want one that is refused", r.reloads[before:])
	}
	for _, text := range texts {
		if got := r.reloads[before].Err.Error(); !says(got, text) {
			r.Fatalf("refused with %q, want %q in it", got, text)
		}
	}
}

// column is that of a place in an error.
var column = regexp.MustCompile(`(\.lua:\d+):\d+`)

// byLine leaves the columns out of a text: those are held by TestColumns and the golden
// errors, and would make most other tests depend on every blank.
func byLine(text string) string { return column.ReplaceAllString(text, "$1") }

// says reports whether words are in a text, with or without the columns of its places.
func says(text, words string) bool {
	return strings.Contains(text, words) || strings.Contains(byLine(text), words)
}

// logged returns what scripts have logged since the last call.
func (r *game) logged() string {
	lines := strings.Join(r.logs, " ")
	r.logs = nil
	return lines
}

// wantLog demands what was logged since the last look.
func (r *game) wantLog(want string) {
	r.Helper()
	if got := r.logged(); got != want {
		r.Fatalf("logged %q, want %q", got, want)
	}
}

// wantError demands that exactly one error was reported since the last call.
func (r *game) wantError(place string, texts ...string) *scripting.Error {
	r.Helper()
	if len(r.errors) != 1 {
		r.Fatalf("%d errors, want 1: %v", len(r.errors), r.errors)
	}
	e := r.errors[0]
	r.errors = nil
	for _, text := range append(texts, place) {
		if !says(e.Error(), text) {
			r.Fatalf("%q lacks %q", e.Error(), text)
		}
	}
	return e
}

// logbook is a slog.Handler that keeps messages.
type logbook struct {
	lines  *[]string
	places *[]string // "a.lua:3" of each line; nil: not wanted
}

func (*logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l *logbook) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l *logbook) WithGroup(string) slog.Handler          { return l }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	*l.lines = append(*l.lines, r.Message)
	if l.places != nil {
		var place string
		r.Attrs(func(a slog.Attr) bool {
			place += fmt.Sprintf(":%v", a.Value)
			return true
		})
		*l.places = append(*l.places, strings.TrimPrefix(place, ":"))
	}
	return nil
}

// each makes the text of a system over positions.
func each(name, body string) string {
	return fmt.Sprintf("ecs.system %q { query = { P }, each = function(e, p, ctx) %s end }\n", name, body)
}

// once makes the text of a system without a query.
func once(name, body string) string {
	return fmt.Sprintf("ecs.system %q { run = function(ctx) %s end }\n", name, body)
}

func newFile(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
