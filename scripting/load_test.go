package scripting_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
)

func TestFoldersThatAreNot(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file.lua")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, folder := range map[string]fs.FS{"missing": os.DirFS(filepath.Join(t.TempDir(), "none")), "file": os.DirFS(file)} {
		t.Run(name, func(t *testing.T) {
			r := newGame(t, scripting.Limits{})
			if err := r.host.Load(folder); err == nil || !strings.Contains(err.Error(), "the folder of scripts cannot be read") {
				t.Error(err)
			}
			r.run(1)
		})
	}
	r := newGame(t, scripting.Limits{})
	if err := r.host.Load(fstest.MapFS{}); err != nil || len(r.host.Modules()) != 0 {
		t.Error("an empty folder:", err)
	}
}

// problems loads a folder and returns every problem in a line.
func problems(t *testing.T, folder fs.FS) string {
	t.Helper()
	r := newGame(t, scripting.Limits{Instructions: 100_000})
	err := r.host.Load(folder)
	var refused *scripting.LoadError
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if err != nil && (len(r.host.Modules()) > 0 || r.host.Systems() > 0 || len(r.world.Schedule().Names()) > 0) {
		t.Error("something of a refused folder is there")
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestBadFiles(t *testing.T) {
	big := strings.Repeat("x", 300<<10)
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"empty":           {map[string]string{"a.lua": ""}, nil},
		"byte order mark": {map[string]string{"a.lua": "\xef\xbb\xbfreturn 1"}, nil},
		"first line #":    {map[string]string{"a.lua": "#!/usr/bin/lua\nreturn 1"}, nil},
		"windows lines":   {map[string]string{"a.lua": "local x = 1\r\nlocal y = = 2\r\n"}, []string{`a.lua:2:11: expected an expression, found "="`}},
		"binary":          {map[string]string{"a.lua": "\x7fELF\x02\x01\x01\x00\x00\x00"}, []string{"a.lua"}},
		"lua bytecode":    {map[string]string{"a.lua": "\x1bLua\x51\x00\x01"}, []string{"a.lua"}},
		"too long":        {map[string]string{"a.lua": "--" + big}, []string{"a.lua"}},
		"too deep":        {map[string]string{"a.lua": "return " + strings.Repeat("{", 5000)}, []string{"a.lua"}},
		"syntax twice":    {map[string]string{"a.lua": "x = = 1", "b.lua": "for"}, []string{"a.lua:1:5", "b.lua:1"}},
		"hidden":          {map[string]string{".a.lua": "=", ".git/b.lua": "=", "c/.d/e.lua": "=", "notes.txt": "="}, nil},
		"missing module":  {map[string]string{"steer.lua": "", "a.lua": `require "ster"`}, []string{`a.lua:1: module "ster" not found (did you mean "steer"?)`}},
		"outside":         {map[string]string{"a.lua": `require "../etc/x"`}, []string{`a.lua:1: module "../etc/x" not found`}},
		"no name":         {map[string]string{"a.lua": `require(5)`}, []string{"a.lua:1"}},
		"empty name":      {map[string]string{"a.lua": `require ""`}, []string{`a.lua:1: module "" not found`}},
		"cycle": {map[string]string{"a.lua": `require "b"`, "b.lua": "\n" + `require "sub.c"`, "sub/c.lua": `require "../a"`},
			[]string{"sub/c.lua:1: require goes in a circle: a.lua → b.lua → sub/c.lua → a.lua"}},
		"itself":     {map[string]string{"a.lua": `require "a"`}, []string{"a.lua:1: require goes in a circle: a.lua → a.lua"}},
		"fault once": {map[string]string{"a.lua": `require "z"`, "b.lua": `require "z" require "a"`, "z.lua": `error("mine")`}, []string{"z.lua:1: mine"}},
		"own faults beside": {map[string]string{"a.lua": `local ecs = require "ecs" ecs.native("X") require "z"`, "z.lua": `error("mine")`},
			[]string{`a.lua:1: unknown native component "X"`, "z.lua:1: mine"}},
		"caught": {map[string]string{"a.lua": `pcall(require, "z")`, "z.lua": `error("mine")`}, []string{"z.lua:1: mine"}},
		"component in two files": {map[string]string{"a.lua": `require("ecs").component("C", { x = 1 })`, "b.lua": `require("ecs").component("C", { y = 1 })`},
			[]string{`b.lua:1: component "C" is declared with other fields in a.lua:1`}},
		"same component in two files": {map[string]string{"a.lua": `require("ecs").component("C", { x = 1 })`, "b.lua": `require("ecs").component("C", { x = 2 })`}, nil},
		"system in two files": {map[string]string{"a.lua": `require("ecs").system "s" { run = function() end }`, "b.lua": `require("ecs").system "s" { run = function() end }`},
			[]string{`b.lua:1: system "s" is declared in a.lua already`}},
		"no globals across": {map[string]string{"a.lua": `shared = 1 return 1`, "b.lua": `require "a" return shared`}, []string{`b.lua:1: unknown name "shared"`}},
		"read only library": {map[string]string{"a.lua": `math.pi = 3`, "b.lua": `assert(math.pi > 3.1)`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{}
			for file, text := range c.files {
				folder[file] = newFile(text)
			}
			got := problems(t, folder)
			lines := strings.Split(got, "\n")
			if got == "" {
				lines = nil
			}
			if len(lines) != len(c.want) {
				t.Fatalf("%d problems, want %d:\n%s", len(lines), len(c.want), got)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(lines[i], want) && !strings.HasPrefix(byLine(lines[i]), want) {
					t.Errorf("%q, want it to begin with %q", lines[i], want)
				}
			}
		})
	}
}

// failing is a folder in which some paths cannot be opened.
type faulty struct {
	fs.FS
	fail map[string]error
}

func (f faulty) Open(name string) (fs.File, error) {
	if err := f.fail[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.FS.Open(name)
}

func TestUnreadable(t *testing.T) {
	files := fstest.MapFS{"a.lua": newFile("return 1"), "sub/b.lua": newFile("return 2")}
	for name, c := range map[string]struct {
		fail map[string]error
		want string
	}{
		"file":    {map[string]error{"a.lua": fs.ErrPermission}, "a.lua: the file cannot be read: permission denied"},
		"deleted": {map[string]error{"a.lua": fs.ErrNotExist}, "a.lua: the file cannot be read: file does not exist"},
		"device":  {map[string]error{"a.lua": errors.New("input/output error")}, "a.lua: the file cannot be read: input/output error"},
		"folder":  {map[string]error{"sub": fs.ErrPermission}, "sub: the folder cannot be read: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := problems(t, faulty{files, c.fail}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestUnreadableThenFixed(t *testing.T) {
	r := newGame(t, scripting.Limits{})
	r.write("a.lua", once("a", "ecs.log('a')"), "sub/b.lua", once("b", "ecs.log('b')"))
	fail := map[string]error{"a.lua": fs.ErrPermission, "sub": fs.ErrPermission}
	folder := faulty{r.folder, fail}
	if err := r.host.Load(folder); err == nil {
		t.Fatal("loaded")
	}
	clear(fail)
	r.host.Stage([]string{"a.lua", "sub/b.lua"}, nil)
	r.accepted()
	r.wantLog("a b")
	fail["a.lua"] = fs.ErrNotExist // between the event and the reading
	r.host.Stage([]string{"a.lua"}, nil)
	r.refused("a.lua: the file cannot be read: file does not exist")
	r.wantLog("a b")
}

// TestOnDisk holds what only a real file system has.
func TestOnDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symlinks need rights")
	}
	dir := t.TempDir()
	steps := []error{
		os.WriteFile(filepath.Join(dir, "real.lua"), []byte("return 7"), 0o600),
		os.Symlink(filepath.Join(dir, "real.lua"), filepath.Join(dir, "link.lua")),
		os.Symlink("loop.lua", filepath.Join(dir, "loop.lua")),
		os.Symlink("nowhere", filepath.Join(dir, "broken.lua")),
		os.Mkdir(filepath.Join(dir, "folder.lua"), 0o700),
		os.WriteFile(filepath.Join(dir, "folder.lua", "inside.lua"), []byte("return require('real')"), 0o600),
		os.Symlink(dir, filepath.Join(dir, "round")),
	}
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
	want := "broken.lua: the file cannot be read: no such file or directory\nloop.lua: the file cannot be read: too many levels of symbolic links"
	if got := problems(t, os.DirFS(dir)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	os.Remove(filepath.Join(dir, "loop.lua"))
	os.Remove(filepath.Join(dir, "broken.lua"))
	r := newGame(t, scripting.Limits{})
	if err := r.host.Load(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.host.Modules(), " "); got != "folder.lua/inside.lua link.lua real.lua" {
		t.Error(got)
	}
}

func TestRequireForms(t *testing.T) {
	loaded(t,
		"ai/steer.lua", `return { name = "steer", near = require("./deep/x"), far = require("../lib/util") }`,
		"ai/deep/x.lua", `return { up = require("../../lib/util") }`,
		"ai/init.lua", `return "the folder"`,
		"lib/util.lua", `return { "util" }`,
		"main.lua", `
local steer, util = require "ai.steer", require "lib.util"
assert(steer == require("ai/steer") and steer == require("./ai/steer.lua"), "one file is one module")
assert(steer.near.up == util and require("ai") == "the folder")
assert(require("nothing") == true, "a module that returns nothing")
assert(require "ecs" == ecs and require "host" == require "host")`,
		"nothing.lua", ``)
}

// TestModulesThatReturnNothing: whoever looks for something in a file that has no return
// is told so at the load, with the name of that file, at the top level and in functions.
func TestModulesThatReturnNothing(t *testing.T) {
	const none = `there is no "Tower": lib/parts.lua returns nothing; end it with a return, such as return { Tower = … }`
	for text, want := range map[string]string{
		`local C = require "lib.parts" ecs.system "x" { query = { C.Tower }, each = function() end }`:                    none,
		`local C = require "lib.parts" ecs.on_start(function() ecs.spawn(C.Tower) end)`:                                  none,
		`local C = require "./lib/parts" local function f() return function() C.Tower = 1 end end`:                       none,
		`local C = require "lib.parts" local function f() C.Tower() C:Tower() end`:                                       none,
		`local C = require "lib.parts" ecs.log(C)`:                                                                       "",
		`if require "lib.parts" then local C = { Tower = 1 } ecs.log(C.Tower) end`:                                       "",
		`local C = require "lib.parts" C = { Tower = 1 } ecs.on_start(function() ecs.log(C.Tower) end)`:                  "",
		`require = function() return { Tower = 1 } end local C = require "lib.parts" ecs.log(C.Tower)`:                   "",
		`local C = require "lib.full" ecs.on_start(function() ecs.log(C.Missing) end)`:                                   "",
		`local C = require "lib.full" local function f() C.Missing = 1 end ecs.on_start(function() f() C.Missing() end)`: "",
	} {
		for _, files := range [][]string{{"lib/parts.lua", "local Tower = 5", "a.lua", text}, {"a.lua", text, "lib/parts.lua", "local Tower = 5 return"}} {
			r := newGame(t, scripting.Limits{})
			r.write(files...)
			r.write("lib/full.lua", "return { Tower = 5 }")
			err := r.host.Load(r.folder)
			switch {
			case want == "" && err != nil, want != "" && err == nil:
				t.Errorf("%s: %v, want %q", text, err, want)
			case want != "" && (!strings.HasPrefix(err.Error(), "a.lua:2:") || !strings.HasSuffix(err.Error(), ": "+want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
	}
}

// TestSaveThatForgetsTheReturn: the files that use it are in the verdict.
func TestSaveThatForgetsTheReturn(t *testing.T) {
	r := loaded(t, "parts.lua", "return { n = 1 }", "a.lua", `local C = require "parts" `+once("a", "ecs.log(C.n)"))
	r.save("parts.lua", "local C = { n = 2 }")
	r.refused(`a.lua:2:74: there is no "n": parts.lua returns nothing; end it with a return, such as return { n = … }`)
	r.wantLog("1")
}

// TestFilesThatRequireEachOtherInARow: a row that is too deep for the calls of a script is
// refused at its last require, with what to do; done as the message says, it is accepted.
func TestFilesThatRequireEachOtherInARow(t *testing.T) {
	load := func(files int, first string) error {
		r := newGame(t, scripting.Limits{})
		for i := range files {
			text := "return " + fmt.Sprint(i)
			if i < files-1 {
				text = fmt.Sprintf("return require %q + 1", fmt.Sprintf("m%03d", i+1))
			}
			if i == 0 && first != "" {
				text = first
			}
			r.write(fmt.Sprintf("m%03d.lua", i), text)
		}
		return r.host.Load(r.folder)
	}
	most := 60 + sort.Search(140, func(n int) bool { return load(60+n+1, "") != nil }) // files in a row that are no fault
	err := load(most+20, "")
	want := fmt.Sprintf(`: %d files require each other in a row, which is too deep (Limits.Callbacks): begin m000.lua with a require of m%03d.lua, so that the row is half as long`, most+1, (most+1)/2)
	last, before := fmt.Sprintf("m%03d.lua:1:19", most), fmt.Sprintf("m%03d.lua:2:8", most-1) // it is begun, or it is not
	if !errors.Is(err, scripting.ErrLimit) || err.Error() != last+want && err.Error() != before+want {
		t.Fatalf("%v, want %s%s", err, last, want)
	}
	if err := load(most+20, fmt.Sprintf(`local half = require "m%03d" return require "m001"`, (most+1)/2)); err != nil {
		t.Error(err)
	}
}
