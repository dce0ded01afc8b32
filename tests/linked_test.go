package tests_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// linked lists the packages that a program of this module is made of.
func linked(t *testing.T, program string) []string {
	t.Helper()
	list, err := exec.Command("go", "list", "-deps", "../"+program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}

// TestHostsLinkNothingElse: what a host does not import is no part of it, neither the inspector with its server, nor
// saves with their formats, nor the watcher of files. The command, which has all of that, shows that the test sees it.
func TestHostsLinkNothingElse(t *testing.T) {
	const own = "github.com/perigee-ecs/perigee/"
	optional := []string{
		"net/http", own + "scripting/inspect", own + "scripting/record", own + "scripting/saves", own + "scripting/kit", own + "scripting/loop",
		own + "ecs/journal", own + "ecs/save", own + "ecs/replica", own + "hotreload",
		"github.com/coder/websocket", "github.com/fsnotify/fsnotify", "github.com/spf13/cobra",
	}
	command := linked(t, "cmd/perigee")
	for _, host := range []string{"examples/01-embed", "examples/03-lua-component"} {
		parts := linked(t, host)
		for _, p := range optional {
			if slices.Contains(parts, p) {
				t.Errorf("%s has %s in it", host, p)
			}
		}
	}
	for _, p := range optional {
		if p != own+"ecs/replica" && !slices.Contains(command, p) { // the command makes no replicas
			t.Errorf("the command has no %s: nothing was looked at", p)
		}
	}
}
