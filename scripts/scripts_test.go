package scripts_test

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripts"
)

// forEachScript calls check with every Lua file of both folders.
func forEachScript(t *testing.T, check func(t *testing.T, name, text string)) {
	for folder, files := range map[string]fs.FS{"demo": scripts.Demo(), "starter": scripts.Starter()} {
		err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(files, name)
			t.Run(path.Join(folder, name), func(t *testing.T) { check(t, name, string(text)) })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A designer meets these files first, so they are held to what good Lua is here.
func TestScriptsAreGoodExamples(t *testing.T) {
	forEachScript(t, func(t *testing.T, name, text string) {
		if path.Ext(name) != ".lua" {
			t.Fatal("only Lua belongs here: every file is copied into a user's folder")
		}
		if !strings.HasPrefix(text, "-- "+name+": ") {
			t.Errorf("the first line must be a comment that begins with %q", "-- "+name+": ")
		}
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			switch {
			case strings.ContainsAny(line, "\t\r"), strings.TrimRight(line, " ") != line:
				t.Errorf("line %d: tabs or spaces at the end", i+1)
			case len(line) > 100:
				t.Errorf("line %d: %d bytes long", i+1, len(line))
			case (len(line)-len(strings.TrimLeft(line, " ")))%2 != 0:
				t.Errorf("line %d: indented by an odd number of spaces", i+1)
			}
		}
	})
}

// global matches an assignment or a function at the top level without local.
var global = regexp.MustCompile(`(?m)^(\w+) *=|^function \w+\(`)

func TestNoGlobals(t *testing.T) {
	forEachScript(t, func(t *testing.T, name, text string) {
		if found := global.FindString(text); found != "" {
			t.Errorf("%q makes a global", found)
		}
	})
}

// The demo has to show what a game can be made of.
func TestTheDemoIsAGame(t *testing.T) {
	systems, modules := 0, 0
	err := fs.WalkDir(scripts.Demo(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(scripts.Demo(), name)
		modules++
		systems += strings.Count(string(text), "\necs.system \"")
		return err
	})
	if err != nil || systems < 12 || modules < 7 {
		t.Errorf("%d systems in %d modules, %v", systems, modules, err)
	}
}
