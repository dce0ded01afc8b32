package scripting_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// everyMode has a function over rows for each way to ask for a kernel: the options of a system,
// those of ecs.kernel, changes of the world, loops and captured variables.
const everyMode = opening + `
local Note = ecs.event("Note", { of = ecs.f64() })
local count = 0
ecs.system "auto" { query = { Alpha, Beta }, each = function(e, a, b, ctx) b.f = math.sin(a.f) + ctx.dt count = count + 1 end }
ecs.system "require" { query = { Alpha, Beta }, kernel = "require", each = function(e, a, b, ctx)
  for i = 1, 5 do b.h = b.h + a.i8 * i end
  if a.u8 > 200 then ecs.emit(Note { of = a.u8 }) end
end }
ecs.system "single" { query = { Alpha, Beta }, kernel = "require", precision = "f32", each = function(e, a, b, ctx)
  a.g = a.i8 * 0.1 + a.u8 / 3 * ctx.dt
  b.g = a.g * a.g + 0.3
end }
ecs.system "singles" { query = { Beta }, precision = "f32", each = function(e, b, ctx) b.g = math.sqrt(math.abs(b.g) % 7) + b.g * ctx.dt end }
local relax = ecs.kernel("relax", { Alpha }, function(e, a) a.f = a.f / 2 end, { kernel = "require" })
ecs.system "calls" { run = function() relax() relax() end }
ecs.system "fails" { query = { Alpha }, kernel = "require", each = function(e, a) if a.b then a.u8 = -1 end end }
`

// hostWithLog loads a script over the rows of a seed, and returns the host, what it logs, and
// a function that runs ticks and returns what the world has then.
func hostWithLog(t *testing.T, text string, options scripting.Options, prepare func(*scripting.Host)) (h *scripting.Host, lines *[]string, play func() string) {
	t.Helper()
	w := arrange(t, 3, 60)
	lines = new([]string)
	options.Logger, options.OnError = slog.New(&logbook{lines: lines}), func(*scripting.Error) {}
	h = newHost(t, w, options)
	t.Cleanup(func() { h.Close() })
	prepare(h)
	if err := h.Load(folderOf(text)); err != nil {
		t.Fatal(err)
	}
	return h, lines, func() string {
		var failed []string
		for range 5 {
			failed = append(failed, split(h.StepAll(0.016))...)
		}
		return strings.Join(failed, "\n") + "\n" + dump(w)
	}
}

// TestKernelsWithoutCompiler holds that each script that loads on one platform loads on all of
// them, does the same there, and says so once.
func TestKernelsWithoutCompiler(t *testing.T) {
	_, said, play := hostWithLog(t, everyMode, scripting.Options{}, func(*scripting.Host) {})
	if slices.ContainsFunc(*said, cannotCompile) {
		t.Skip("the results of compiled kernels are wanted, and this platform has no compiler")
	}
	want := play()

	h, said, play := hostWithLog(t, everyMode, scripting.Options{}, (*scripting.Host).WithoutCompiler)
	if got := play(); got != want {
		t.Error(firstDifference(want, got))
	}
	withoutCompiler(t, h, *said)
	if err := h.Replace(folderOf(everyMode + "\nlocal more = 1")); err != nil {
		t.Fatal(err)
	}
	withoutCompiler(t, h, *said)
}

// withoutCompiler holds what a host says of the kernels of everyMode where none can be compiled.
func withoutCompiler(t *testing.T, h *scripting.Host, said []string) {
	t.Helper()
	warnings := slices.DeleteFunc(slices.Clone(said), func(line string) bool { return !cannotCompile(line) })
	if len(warnings) != 1 {
		t.Errorf("warnings %q in %q, want 1", warnings, said)
	}
	for _, k := range h.Kernels() {
		single := strings.HasPrefix(k.System, "single")
		if k.Compiled != single || k.Interpreted != single || !cannotCompile(k.String()) {
			t.Error(k)
		}
	}
}

func cannotCompile(line string) bool { return strings.Contains(line, "cannot be compiled here") }

// TestRequireWithoutCompiler holds that a function that has no translation is refused on every
// platform, and that who wants to know of functions is told of each.
func TestRequireWithoutCompiler(t *testing.T) {
	w := arrange(t, 3, 60)
	h := newHost(t, w, scripting.Options{})
	t.Cleanup(func() { h.Close() })
	h.WithoutCompiler()
	err := h.Load(folderOf(opening + system("s", "require", "function(e, a)\n  a.f = #'x'\nend")))
	if err == nil || !strings.Contains(err.Error(), "is not available in kernels") {
		t.Errorf("loaded: %v", err)
	}
	var told []string
	hostWithLog(t, opening+system("s", "auto", "function(e, a) a.f = 1 end")+system("s2", "require", "function(e, a) a.f = 2 end"),
		scripting.Options{OnKernel: func(k scripting.KernelStatus) { told = append(told, k.String()) }}, (*scripting.Host).WithoutCompiler)
	if len(told) != 2 || !cannotCompile(told[0]) || !cannotCompile(told[1]) {
		t.Errorf("%q", told)
	}
}
