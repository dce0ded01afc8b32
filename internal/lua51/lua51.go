package lua51

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Steps is how many instructions a chunk may take unless its Program says otherwise.
const Steps = 2_000_000

// allowed is how long one process may take. A chunk that works long in one instruction,
// such as string.rep, is not stopped by its count.
const allowed = time.Minute

//go:embed driver.lua
var driver []byte

// Program is an installed Lua.
type Program struct {
	Name  string // "lua5.1" or "luajit"
	Steps int    // that a chunk may take; 0 means Steps
}

// Result is what became of a chunk.
type Result struct {
	Out string // the lines that it printed, each with its end
	Err string // the text of the error that ended it, or ""
	Cut bool   // it reached its bound, so the rest means nothing
}

// String is the output and, in the last line, the error.
func (r *Result) String() string {
	if r.Err == "" {
		return r.Out
	}
	return r.Out + r.Err + "\n"
}

// Find returns an installed program. Without it, the test is skipped: there is nothing to
// compare with.
func Find(t testing.TB, name string) *Program {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed: there is nothing to compare with", name)
	}
	return &Program{Name: name}
}

// Run runs chunks in one process and returns their results in the same order.
func (p *Program) Run(chunks []string) ([]Result, error) {
	dir, err := os.MkdirTemp("", "lua51")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var input bytes.Buffer
	for _, chunk := range chunks {
		fmt.Fprintf(&input, "%d\n%s", len(chunk), chunk)
	}
	script, data := filepath.Join(dir, "driver.lua"), filepath.Join(dir, "chunks")
	if err := errors.Join(os.WriteFile(script, driver, 0o600), os.WriteFile(data, input.Bytes(), 0o600)); err != nil {
		return nil, err
	}
	out, err := p.output(script, data)
	if err != nil {
		return nil, err
	}
	return results(out, len(chunks))
}

// output runs the program on the driver.
func (p *Program) output(script, data string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), allowed)
	defer cancel()
	steps := p.Steps
	if steps == 0 {
		steps = Steps
	}
	out, err := exec.CommandContext(ctx, p.Name, script, data, strconv.Itoa(steps)).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("%s: %w: %s", p.Name, err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// results reads three fields for each of so many chunks.
func results(out []byte, chunks int) ([]Result, error) {
	fields := make([]string, 3*chunks)
	for i := range fields {
		size, rest, ok := bytes.Cut(out, []byte("\n"))
		n, err := strconv.Atoi(string(size))
		if !ok || err != nil || n > len(rest) {
			return nil, fmt.Errorf("the results end within those of chunk %d of %d", i/3+1, chunks)
		}
		fields[i], out = string(rest[:n]), rest[n:]
	}
	list := make([]Result, chunks)
	for i := range list {
		list[i] = Result{Out: fields[3*i], Err: fields[3*i+1], Cut: fields[3*i+2] != ""}
	}
	return list, nil
}
