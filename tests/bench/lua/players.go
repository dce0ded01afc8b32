package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programs is what the other VMs run. Embedding needs a variable; nothing
// writes to it.
//
//go:embed *.lua
var programs embed.FS

// player is a program that measures workloads.
type player struct {
	name string
	// play measures a workload for some turns of so many seconds and returns a
	// score for each of its ways. The numbers were added up after as many ticks as
	// asked for; the first player decides that for itself and is told 0.
	play func(workload string, n, ticks int, seconds float64) ([]score, error)
}

// score is what a program says of one way to do a workload.
type score struct {
	Who   string  `json:"who"`
	Nanos float64 `json:"ns_per_entity"`
	Ticks int     `json:"ticks"`
	Sum   float64 `json:"sum"`
}

// gather finds the programs, ours first, which it builds in a folder, and returns
// the names of those that are not installed.
func gather(dir string) (all []player, missing []string, err error) {
	ours, err := build(dir)
	if err != nil {
		return nil, nil, err
	}
	if err := os.CopyFS(dir, programs); err != nil {
		return nil, nil, err
	}
	all = []player{{"perigee", ours}}
	for _, name := range []string{"luajit", "lua5.4", "lua5.1"} {
		if path, err := exec.LookPath(name); err == nil {
			all = append(all, player{name, other(name, path, filepath.Join(dir, "turns.lua"))})
		} else {
			missing = append(missing, name)
		}
	}
	return all, missing, nil
}

// build builds the perigee command, which has the workloads inside: "go slices",
// and "lua kernel" over the same numbers.
func build(dir string) (func(string, int, int, float64) ([]score, error), error) {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}", "github.com/perigee-ecs/perigee")
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "perigee")
	if _, err := output("go", "build", "-C", strings.TrimSpace(root), "-o", program, "./cmd/perigee"); err != nil {
		return nil, err
	}
	return func(workload string, n, _ int, _ float64) ([]score, error) {
		text, err := output(program, "bench", "--workload", workload, "--n", fmt.Sprint(n),
			"--who", "lua kernel", "--rounds", "5", "--json")
		if err != nil {
			return nil, err
		}
		var scores []score
		for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
			var s score
			if err := d.Decode(&s); err != nil {
				return nil, err
			}
			scores = append(scores, s)
		}
		return scores, nil
	}, nil
}

// other is a VM that runs the workloads over columns.
func other(name, path, script string) func(string, int, int, float64) ([]score, error) {
	return func(workload string, n, ticks int, seconds float64) ([]score, error) {
		text, err := output(path, script, workload, fmt.Sprint(n), fmt.Sprint(ticks), fmt.Sprint(seconds))
		if err != nil {
			return nil, err
		}
		s := score{Who: name, Ticks: ticks}
		if _, err := fmt.Sscan(text, &s.Sum, &s.Nanos); err != nil {
			return nil, fmt.Errorf("%s printed %q: %w", name, text, err)
		}
		return []score{s}, nil
	}
}

// output runs a program and returns what it prints.
func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(exit.Stderr))
	}
	return string(out), err
}
