package tests_test

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestConformance runs the scripts in the folder lua: each file, and
// each folder as a whole, against a host of its own.
//
// A script asserts what it can in Lua and calls host.done() when it got to its
// end. A line that must fail carries the error beside it:
//
//	ecs.despawn(-1)  ---! "negative number"
//
// Then the load, or one of the first ticks, must report an error at exactly that
// line whose text contains the quoted one; and no other line may report any.
// "---! file "text"" in the first line expects an error without a line.
func TestConformance(t *testing.T) {
	entries, err := os.ReadDir("lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".lua")
		t.Run(name, func(t *testing.T) {
			files := readScripts(t, filepath.Join("lua", entry.Name()))
			c := newConformance(t, files)
			c.play(t, files)
			c.verdict(t)
		})
	}
}

// readScripts returns a script, or those of a folder.
func readScripts(t *testing.T, path string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.Base(file)
		if rel, _ := filepath.Rel(path, file); rel != "." {
			name = filepath.ToSlash(rel)
		}
		text, err := os.ReadFile(file)
		files[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// place is a line of a script; line 0 is the script as a whole.
type place struct {
	script string
	line   int
}

// conformance is one run: what is expected and what was reported.
type conformance struct {
	host   *scripting.Host
	expect map[place]string
	faults []*scripting.Error
	done   int
}

func newConformance(t *testing.T, files fstest.MapFS) *conformance {
	t.Helper()
	c := &conformance{expect: map[place]string{}}
	expectation := regexp.MustCompile(`---! (file )?(".*")\s*$`)
	for name, file := range files {
		for i, line := range strings.Split(string(file.Data), "\n") {
			m := expectation.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			text, err := strconv.Unquote(m[2])
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			at := place{name, i + 1}
			if m[1] != "" {
				at.line = 0
			}
			c.expect[at] = text
		}
	}
	return c
}

// noFalseAlarm holds that a check reports nothing but calls of which the script itself says
// that they fail; they may begin in the line before.
func noFalseAlarm(t *testing.T, host *scripting.Host, files fstest.MapFS) {
	t.Helper()
	problems, err := host.Check()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range problems {
		lines := strings.Split(string(files[e.Script].Data), "\n")
		if !strings.Contains(strings.Join(lines[max(e.Line-2, 0):e.Line], "\n"), "---!") {
			t.Errorf("a call that is right is reported: %v", e.Detail())
		}
	}
}

// play loads the scripts and lets them run for two seconds. Nobody may park a
// system here: a fault that hides behind a parked system is a fault unseen.
func (c *conformance) play(t *testing.T, files fstest.MapFS) {
	t.Helper()
	w := newGround(t)
	host, err := scripting.New(w, scripting.Options{
		OnError:  func(e *scripting.Error) { c.faults = append(c.faults, e) },
		OnKernel: func(scripting.KernelStatus) {},
		Limits:   scripting.Limits{Instructions: 500_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	c.host = host
	c.expose(t, w)
	if err := host.Load(files); err != nil {
		var refused *scripting.LoadError
		if !errors.As(err, &refused) {
			t.Fatal(err)
		}
		c.faults = append(c.faults, refused.Problems...)
		return
	}
	noFalseAlarm(t, host, files)
	for range 120 {
		_ = host.Step(1.0 / 60) // OnError has been told
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// verdict compares what was reported with what was expected.
func (c *conformance) verdict(t *testing.T) {
	t.Helper()
	seen, told := map[place]bool{}, map[string]bool{}
	for _, f := range c.faults {
		at := place{f.Script, f.Line}
		if text, ok := c.expect[at]; ok && strings.Contains(f.Error(), text) {
			seen[at] = true
			continue
		}
		if key := f.Place() + f.Message; !told[key] { // once is enough
			told[key] = true
			t.Errorf("not expected: %s", f.Detail())
		}
	}
	missing := []place{}
	for at := range c.expect {
		if !seen[at] {
			missing = append(missing, at)
		}
	}
	slices.SortFunc(missing, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.script, b.script), cmp.Compare(a.line, b.line))
	})
	for _, at := range missing {
		t.Errorf("%s:%d: no error, want %q", at.script, at.line, c.expect[at])
	}
	if len(c.expect) == 0 && c.done == 0 {
		t.Error("the script never called host.done()")
	}
}

// What the scripts find in the world: every kind of field, on every path that a
// component can be stored by.
type (
	Spot   struct{ X, Y float64 }
	Motion struct{ X, Y float32 }
	Kinds  struct {
		I8   int8
		I16  int16
		I32  int32
		I64  int64
		U8   uint8
		U16  uint16
		U32  uint32
		U64  uint64
		F32  float32
		F64  float64
		Flag bool
		Mode uint8 `ecs:"mode,enum=idle|walk|run"`
		Mate ecs.Entity
		Path [4]float32
	}
	Label   struct{ Name string }
	Burning struct{ Left, Heat float32 }
	Placed  struct {
		At   Spot
		Turn float64
	}
	Idle struct{}
	Hit  struct {
		Target ecs.Entity
		Amount float32
	}
	Rules struct {
		Width float64
		Level int32
		Title string
		Open  bool
	}
)

func newGround(t *testing.T) *ecs.World {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Breaker: ecs.Breaker{Failures: -1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	ecs.Register[Spot](w)
	ecs.Register[Motion](w)
	ecs.Register[Kinds](w)
	ecs.Register[Label](w)
	ecs.Register[Burning](w, ecs.Sparse)
	ecs.Register[Placed](w)
	ecs.Register[Idle](w)
	ecs.RegisterEvent[Hit](w)
	ecs.Provide(w, &Rules{Width: 100, Title: "open"})
	err = w.Schedule().Add(ecs.System{Name: "go.move", Phase: ecs.Physics, Run: func(*ecs.Tick) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Counter is an object that scripts may use.
type Counter struct{ N int }

// Add counts.
func (c *Counter) Add(n int) int {
	c.N += n
	return c.N
}

func (c *conformance) expose(t *testing.T, w *ecs.World) {
	t.Helper()
	other := newGround(t)
	stranger := other.Spawn()
	for name, value := range map[string]any{
		"done":     func() { c.done++ },
		"foreign":  func() float64 { return float64(stranger) },
		"entities": w.Len,
		"add":      func(a, b int) int { return a + b },
		"panic":    func() { panic("the host fell over") },
		"counter":  &Counter{},
	} {
		if err := c.host.Expose(name, value); err != nil {
			t.Fatal(err)
		}
	}
}
