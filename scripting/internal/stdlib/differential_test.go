package stdlib_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting/internal/stdlib"
)

var (
	programs = flag.Int("programs", 500, "how many random programs to compare with lua5.1")
	seed     = flag.Uint64("seed", 1, "seed of the first program; 0 means the clock")
)

// driver runs the programs of a file in PUC Lua. Each is preceded by its length
// on a line of its own; the output of each ends with a byte 1.
const driver = `
local file = assert(io.open(arg[1], "rb"))
while true do
  local size = file:read("*n")
  if not size then break end
  file:read(1)
  local src = file:read(size)
  local out = {}
  local env = setmetatable({}, {__index = _G})
  env._G = env
  env.print = function(...)
    local line = {}
    for i = 1, select("#", ...) do line[i] = tostring((select(i, ...))) end
    out[#out + 1] = table.concat(line, "\t")
  end
  local f, err = loadstring(src, "=p")
  if f then
    setfenv(f, env)
    debug.sethook(function() error("timeout", 0) end, "", 2e6)
    local ok, e = pcall(f)
    debug.sethook()
    if not ok then out[#out + 1] = "error: " .. tostring(e) end
  else
    out[#out + 1] = "error: " .. err
  end
  io.write(table.concat(out, "\n"), "\n\1")
end
`

// oracle runs programs in lua5.1 and returns their outputs.
func oracle(t *testing.T, sources []string) []string {
	t.Helper()
	dir := t.TempDir()
	var input bytes.Buffer
	for _, src := range sources {
		fmt.Fprintf(&input, "%d\n%s", len(src), src)
	}
	script, data := filepath.Join(dir, "driver.lua"), filepath.Join(dir, "programs")
	for path, content := range map[string][]byte{script: []byte(driver), data: input.Bytes()} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("lua5.1", script, data).Output()
	if err != nil {
		t.Fatalf("lua5.1: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x01"), "\x01")
}

// normal removes the differences that the package documents and what no test
// can know: the sign of not-a-number, the sign of zero, which PUC Lua confuses
// in constants, addresses, which of the stacks overflows, and the words of Lua's own error messages.
func normal(out string) string {
	for _, known := range []struct{ expr, instead string }{
		{`-(nan|inf)`, "$1"},
		{`-0`, "0"},
		{`(C )?stack overflow[^\t\n]*`, "stack overflow"},
		{`(table|function|thread): (builtin: )?(0x)?[0-9a-f]+`, "$1"},
		{`p:[0-9]+: attempt to compare`, "attempt to compare"}, // from table.sort: see the package doc
		{`(attempt to|cannot|bad argument|invalid|for statement|'for'|wrong number|malformed|__[a-z]+ undefined|"__tostring|'tostring')[^\t\n]*`, "E"},
	} {
		out = regexp.MustCompile(known.expr).ReplaceAllString(out, known.instead)
	}
	return strings.TrimSuffix(out, "\n") // the driver ends even no output with one
}

// TestAgainstPUC compares the output of random programs with that of PUC Lua.
func TestAgainstPUC(t *testing.T) {
	if _, err := exec.LookPath("lua5.1"); err != nil {
		t.Skip("lua5.1 is not installed: nothing to compare with")
	}
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano())
	}
	t.Logf("seeds from %d on: replay one with -programs 1 -seed N", first)
	m := newMachine(stdlib.Options{})
	budget := &stdlib.Budget{}
	stdlib.Attach(m.L, budget)
	const batch = 250
	for done := 0; done < *programs; done += batch {
		sources := []string{}
		for i := done; i < min(done+batch, *programs); i++ {
			sources = append(sources, program(first+uint64(i)))
		}
		for i, want := range oracle(t, sources) {
			budget.Reset(20_000_000, 0)
			got := m.run("p", sources[i])
			if strings.Contains(want, "error: timeout") || budget.Spent() {
				continue
			}
			if normal(got) != normal(want) {
				t.Fatalf("seed %d: outputs differ%s\n%s", first+uint64(done+i), diff(normal(got), normal(want)), numbered(sources[i]))
			}
		}
	}
}

// diff shows the first line that differs.
func diff(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			show := func(lines []string) string {
				if i < len(lines) {
					return lines[i]
				}
				return "(nothing)"
			}
			return fmt.Sprintf(" in line %d\n got %q\nwant %q", i+1, show(a), show(b))
		}
	}
	return ""
}

func numbered(src string) string {
	var out strings.Builder
	for i, line := range strings.Split(src, "\n") {
		fmt.Fprintf(&out, "%3d %s\n", i+1, line)
	}
	return out.String()
}
