// Hosts runs the three examples that are whole hosts, and prints their figures: a server of many
// rooms with clients that play, a batch of a million entities, and a client that draws.
//
//	go run ./hosts                     # all three
//	go run ./hosts -host batch -workers 1
//
// Each is built and run as a program of its own, as a user would, with flags that have it print
// what it took. Beside that stands the time of the processor: on a machine that others use, the
// clock says little.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// host is one of the examples, with the flags that have it print figures.
type host struct {
	name, folder string
	args         []string
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hosts:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("hosts", flag.ContinueOnError)
	which := flags.String("host", ".", "hosts to run (rooms, batch, client), as a regular expression")
	rooms := flags.Int("rooms", 100, "rooms")
	clients := flags.Int("clients", 4, "clients in each of them")
	seconds := flags.Float64("seconds", 5, "how long they play")
	entities := flags.Int("n", 1_000_000, "entities of the batch")
	ticks := flags.Int("ticks", 100, "ticks of the batch")
	workers := flags.Int("workers", 2, "workers of the batch")
	frames := flags.Int("frames", 5000, "frames of the client")
	if err := flags.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*which)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "perigee-hosts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ran := 0
	for _, h := range []host{
		{"rooms", "10-rooms", []string{"-rooms", strconv.Itoa(*rooms), "-clients", strconv.Itoa(*clients), "-seconds", fmt.Sprint(*seconds)}},
		{"batch", "11-batch", []string{"-n", strconv.Itoa(*entities), "-ticks", strconv.Itoa(*ticks), "-workers", strconv.Itoa(*workers)}},
		{"client", "12-client", []string{"-figures", strconv.Itoa(*frames)}},
	} {
		if !match.MatchString(h.name) {
			continue
		}
		ran++
		if err := h.run(out, dir); err != nil {
			return fmt.Errorf("%s: %w", h.name, err)
		}
	}
	if ran == 0 {
		return fmt.Errorf("%q is none of rooms, batch and client", *which)
	}
	return nil
}

// run builds a host in a folder, runs it, and prints its figures.
func (h *host) run(out io.Writer, dir string) error {
	binary := filepath.Join(dir, h.name)
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "examples", h.folder)
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, text)
	}
	program := exec.Command(binary, h.args...)
	var text bytes.Buffer
	program.Stdout, program.Stderr = &text, os.Stderr
	if err := program.Run(); err != nil {
		return err
	}
	fmt.Fprintf(out, "== %s\n%s", h.name, text.Bytes())
	spent := program.ProcessState.UserTime() + program.ProcessState.SystemTime()
	_, err := fmt.Fprintf(out, "processor   %.1f s\n\n", spent.Seconds())
	return err
}
