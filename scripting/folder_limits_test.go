package scripting_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// counted is a folder that counts the files that are read.
type counted struct {
	fstest.MapFS
	read map[string]int
}

func (c counted) ReadFile(name string) ([]byte, error) {
	c.read[name]++
	return c.MapFS.ReadFile(name)
}

// throng is a host with a folder of small limits.
type throng struct {
	*testing.T
	counted
	host     *scripting.Host
	verdicts []scripting.Reload
}

func newThrong(t *testing.T, limits scripting.Limits) *throng {
	c := &throng{T: t, counted: counted{fstest.MapFS{}, map[string]int{}}}
	w := ecs.NewWorld()
	h := newHost(t, w, scripting.Options{
		Limits: limits, OnReload: func(r scripting.Reload) { c.verdicts = append(c.verdicts, r) },
	})
	c.host = h
	t.Cleanup(func() { h.Close(); w.Close() })
	return c
}

func (c *throng) write(name, text string) { c.MapFS[name] = &fstest.MapFile{Data: []byte(text)} }

// many writes files with a system each and returns their names.
func (c *throng) many(n int) (names []string) {
	for i := range n {
		name := fmt.Sprintf("many/f%05d.lua", i)
		c.write(name, fmt.Sprintf(`require("ecs").system "s%d" { run = function() end }`, i))
		names = append(names, name)
	}
	return names
}

// step runs a tick and demands a verdict: "" for a reload that was taken, else
// what is in the reason to refuse it.
func (c *throng) step(want string) {
	c.Helper()
	c.verdicts = nil
	if err := c.host.StepAll(0.1); err != nil {
		c.Error(err)
	}
	switch {
	case len(c.verdicts) != 1:
		c.Fatalf("%d verdicts", len(c.verdicts))
	case want == "" && c.verdicts[0].Err != nil:
		c.Errorf("refused: %v", c.verdicts[0].Err)
	case want != "" && (c.verdicts[0].Err == nil || !strings.Contains(c.verdicts[0].Err.Error(), want)):
		c.Errorf("%v, want %q", c.verdicts[0].Err, want)
	}
}

// TestAFolderOfTooManyScripts: none of them is read, what runs goes on, and the
// folder is taken as it is once it is within its limit.
func TestAFolderOfTooManyScripts(t *testing.T) {
	c := newThrong(t, scripting.Limits{Files: 100})
	c.write("a.lua", `require("ecs").system "a" { run = function() end }`)
	if err := c.host.Load(c); err != nil {
		t.Fatal(err)
	}
	names := c.many(20_000)
	c.host.Stage(names, nil)
	const tooMany = "the folder has 20,001 scripts, more than 100 (Limits.Files)"
	c.step(tooMany)
	if len(c.read) != 1 || c.host.Systems() != 1 {
		t.Errorf("%d files were read, %d systems run", len(c.read), c.host.Systems())
	}
	c.write("a.lua", `require("ecs").system "b" { run = function() end }`)
	c.host.Stage([]string{"a.lua"}, nil)
	c.step(tooMany)
	for _, name := range names[99:] {
		delete(c.MapFS, name)
	}
	c.host.Stage(nil, names[99:])
	c.step("")
	if c.host.Systems() != 100 || c.read["a.lua"] != 2 {
		t.Errorf("%d systems run, a.lua was read %d times", c.host.Systems(), c.read["a.lua"])
	}
}

func TestLoadingAFolderOfTooManyScripts(t *testing.T) {
	c := newThrong(t, scripting.Limits{Files: 100})
	names := c.many(101)
	err := c.host.Load(c)
	if err == nil || !strings.Contains(err.Error(), "the folder has 101 scripts, more than 100 (Limits.Files)") || len(c.read) > 0 {
		t.Errorf("%v, %d files were read", err, len(c.read))
	}
	delete(c.MapFS, names[0])
	c.host.Stage(nil, names[:1])
	c.step("")
	if c.host.Systems() != 100 {
		t.Errorf("%d systems run", c.host.Systems())
	}
}

func TestScriptsOfTooManyBytes(t *testing.T) {
	c := newThrong(t, scripting.Limits{FileBytes: 1000, FolderBytes: 5000})
	if err := c.host.Load(c); err != nil {
		t.Fatal(err)
	}
	c.write("large.lua", strings.Repeat("-", 1001))
	c.host.Stage([]string{"large.lua"}, nil)
	c.step("large.lua: the file cannot be read: 1,001 bytes, more than 1,000 (Limits.FileBytes)")
	delete(c.MapFS, "large.lua")
	c.host.Stage(nil, []string{"large.lua"})
	var names []string
	for i := range 9 {
		names = append(names, fmt.Sprintf("f%d.lua", i))
		c.write(names[i], fmt.Sprintf("local x%d --", i)+strings.Repeat("-", 900))
	}
	c.host.Stage(names, nil)
	c.step("the folder has scripts of more than 5,000 bytes together: at least 5,")
	c.host.Stage(nil, names[5:])
	c.step("")
	if got := len(c.host.Modules()); got != 5 {
		t.Errorf("%d scripts run", got)
	}
	c.write("f0.lua", "local y")
	c.host.Stage([]string{"f0.lua"}, nil)
	c.step("")
}

// TestOddFilesAreRefusedAlone: a reload of the others goes on.
func TestOddFilesAreRefusedAlone(t *testing.T) {
	c := newThrong(t, scripting.Limits{})
	for _, name := range []string{"a\x1b.lua", "b\n.lua", "c\xff.lua", "d\u202e/x.lua", "e.lua:1: x.lua"} {
		c.write(name, "no Lua at all")
	}
	c.write("good.lua", `require("ecs").system "a" { run = function() end }`)
	if err := c.host.Load(c); err != nil {
		t.Fatal(err)
	}
	c.write("good.lua", `require("ecs").system "b" { run = function() end }`)
	c.host.Stage([]string{"a\x1b.lua", "good.lua", "c\xff.lua"}, []string{"b\n.lua"})
	c.step("")
	if got := c.host.Modules(); len(got) != 1 || got[0] != "good.lua" {
		t.Errorf("%q run", got)
	}
	c.MapFS["pipe.lua"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	c.host.Stage([]string{"pipe.lua"}, nil)
	c.step("pipe.lua: the file cannot be read: not a regular file")
}

func BenchmarkSaveAmongMany(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var held, took float64
			w := ecs.NewWorld()
			defer w.Close()
			h := newHost(b, w, scripting.Options{OnReload: func(r scripting.Reload) {
				if r.Err != nil {
					b.Fatal(r.Err)
				}
				held, took = held+float64(r.Held), took+float64(r.Took)
			}})
			c := &throng{counted: counted{fstest.MapFS{}, map[string]int{}}}
			names := c.many(n)
			if err := h.Load(fstest.MapFS{}); err != nil {
				b.Fatal(err)
			}
			if err := h.Load(c); err != nil {
				b.Fatal(err)
			}
			for i := range b.N {
				c.write(names[0], fmt.Sprintf(`require("ecs").system "s0" { run = function() return %d end }`, i))
				h.Stage(names[:1], nil)
				if err := h.StepAll(0.1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(held/float64(b.N)/1e6, "ms-held")
			b.ReportMetric(took/float64(b.N)/1e6, "ms-in-all")
		})
	}
}

func BenchmarkManyNewFiles(b *testing.B) {
	for _, n := range []int{100, 500, 1000, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				w := ecs.NewWorld()
				h := newHost(b, w, scripting.Options{Limits: scripting.Limits{Files: -1}, OnReload: func(r scripting.Reload) {
					if r.Err != nil {
						b.Fatal(r.Err)
					}
					b.ReportMetric(float64(r.Held)/1e6, "ms-held")
					b.ReportMetric(float64(r.Took)/1e6, "ms-in-all")
				}})
				c := &throng{counted: counted{fstest.MapFS{}, map[string]int{}}}
				if err := h.Load(c); err != nil {
					b.Fatal(err)
				}
				h.Stage(c.many(n), nil)
				if err := h.StepAll(0.1); err != nil {
					b.Fatal(err)
				}
				h.Close()
				w.Close()
			}
		})
	}
}

// TestTextsInForceCount: what a save adds is counted beside what is in force.
func TestTextsInForceCount(t *testing.T) {
	c := newThrong(t, scripting.Limits{FolderBytes: 600_000})
	dense := "local x " + strings.Repeat("x=1 ", 20_000)
	c.write("a.lua", dense)
	if err := c.host.Load(c); err != nil {
		t.Fatal(err)
	}
	c.write("b.lua", dense)
	c.host.Stage([]string{"b.lua"}, nil)
	c.step("names, numbers and signs together")
}

// TestDenseTexts holds that texts of which much must be kept are refused before they are
// compiled, long before the folder has too many bytes, and that ordinary ones of the same
// length are not.
func TestDenseTexts(t *testing.T) {
	for text, refused := range map[string]bool{
		"local x " + strings.Repeat("x=function() end ", 2000):                             true,
		"local x " + strings.Repeat("x=1 ", 8500):                                          true,
		"-- " + strings.Repeat("x=1 ", 8500) + "\n":                                        false,
		strings.Repeat("do local health_of_enemy = {} end -- grows with the level\n", 200): false,
	} {
		c := newThrong(t, scripting.Limits{FolderBytes: 600_000})
		for i := range 16 {
			c.write(fmt.Sprintf("f%02d.lua", i), text)
		}
		err := c.host.Load(c)
		if is := err != nil && strings.Contains(err.Error(), "names, numbers and signs together") && strings.Contains(err.Error(), "FolderBytes"); is != refused || err != nil && !refused {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}
