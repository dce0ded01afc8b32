package tests_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript" // runs transcripts of command lines
)

// TestCLI runs the transcripts in testdata/cli: each is a session with the
// perigee command, to be read as documentation. "go test ./tests -run CLI -args
// -update-cli" writes what the commands print now into the transcripts' cmp
// files.
func TestCLI(t *testing.T) {
	path := filepath.Dir(buildCLI(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/cli",
		UpdateScripts: *updateCLI,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", path)
			env.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // for go tool pprof
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shape": shape, "same": same,
		},
		RequireUniqueNames: true,
	})
}

var updateCLI = flag.Bool("update-cli", false, "write the transcripts of the perigee command anew")

// shape FILE prints what the JSON values of a file look like: a line for each
// path with its type, however often it occurs. Strings of hexadecimal digits
// are told apart from others.
func shape(ts *testscript.TestScript, _ bool, args []string) {
	found := map[string]bool{}
	text := strings.NewReader(ts.ReadFile(args[0]))
	for d := json.NewDecoder(text); d.More(); {
		var v any
		ts.Check(d.Decode(&v))
		describe("", v, found)
	}
	for _, line := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintln(ts.Stdout(), line)
	}
}

func describe(path string, v any, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			describe(path+"."+key, inner, found)
		}
	case []any:
		for _, inner := range v {
			describe(path+"[]", inner, found)
		}
	case string:
		kind := "string"
		if _, err := strconv.ParseUint(v, 16, 64); err == nil {
			kind = fmt.Sprintf("%d hexadecimal digits", len(v))
		}
		found[path+" "+kind] = true
	case float64:
		found[path+" number"] = true
	default:
		found[fmt.Sprintf("%s %v", path, v)] = true
	}
}

// same KEY A B fails unless two JSON objects agree in what is at a key; with a
// "!" before it, unless they differ.
func same(ts *testscript.TestScript, neg bool, args []string) {
	values := make([]string, 2)
	for i, file := range args[1:3] {
		var object map[string]json.RawMessage
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &object))
		values[i] = string(object[args[0]])
	}
	if values[0] == "" || (values[0] == values[1]) == neg {
		ts.Fatalf("%s is %s and %s", args[0], values[0], values[1])
	}
}
