// Package hosttest steps hosts of scripts for tests that look at each fault, and has the
// hosts of the examples survive one.
package hosttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

// Step steps a host and returns all that has failed in the step: errors of the host, as
// Host.Step returns them, and faults of scripts, each a *scripting.Error. Of a step that was
// made, they are joined.
func Step(h *scripting.Host, dt float64) error {
	before := h.Faults().Total
	err := h.Step(dt)
	now := h.Faults()
	n := int(now.Total - before)
	if n == 0 {
		return err
	}
	var all []error
	if more := n - len(now.Recent); more > 0 {
		all = append(all, fmt.Errorf("hosttest: %d faults more, which the host has forgotten", more))
		n = len(now.Recent)
	}
	for _, e := range now.Recent[len(now.Recent)-n:] {
		all = append(all, e)
	}
	return errors.Join(all...)
}

// faulty is a script that fails in the third tick.
const faulty = `local ecs = require "ecs"
ecs.system "faulty" { phase = "debug", run = function(ctx)
  if ctx.tick == 3 then error("a fault in tick 3") end
end }
`

// Survives runs a program with its scripts and one more, which fails in tick 3. The program
// must go on to its end, write all the lines of testdata/output.txt, and report the fault in
// its log or in its output.
func Survives(t *testing.T, scripts fs.FS, run func(io.Writer, fs.FS) error) {
	t.Helper()
	files := fstest.MapFS{"faulty.lua": {Data: []byte(faulty), Mode: 0o644}}
	names, err := fs.Glob(scripts, "*.lua")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	scenes, err := fs.Glob(scripts, "scenes/*")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, scenes...)
	for _, name := range names {
		text, err := fs.ReadFile(scripts, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text, Mode: 0o644}
	}
	var log, out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	if err := run(&out, files); err != nil {
		t.Fatalf("the program ended with %v", err)
	}
	if said := log.String() + out.String(); !strings.Contains(said, "a fault in tick 3") {
		t.Errorf("nobody said that the script has failed:\n%s", said)
	}
	want, err := os.ReadFile("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(out.String(), " faulty", "") // which is one more system in a list of all
	for line := range strings.Lines(string(want)) {
		if !strings.Contains(got, line) {
			t.Errorf("the output lacks %q:\n%s", line, got)
		}
	}
}
