package scripting

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
	lua "github.com/yuin/gopher-lua"
)

// Limits bound what scripts may use. A limit that is reached is an error of the
// call, like any other: the call leaves no trace, and the breaker counts it.
// Zero means the default that each field names; negative means no limit.
type Limits struct {
	// Instructions of the Lua machine in one call (a system's tick, an observer,
	// a timer, the top level of a file); what library functions do counts too.
	// The same script is cut at the same place on every machine. Functions over
	// rows that provably end are not counted as long as the most that they might
	// need is within the limit. Default: 50 million, about half a second.
	Instructions int64
	// Time is the longest a call may take by the clock, for what instructions do
	// not measure. Where it cuts differs from run to run. Default: 2 s.
	Time time.Duration
	// Bytes that library functions may make in one call. Default: 256 MiB.
	Bytes int64
	// Heap is how much the program's heap may grow during one call; other
	// goroutines count too. Default: 1 GiB.
	Heap int64
	// Commands that one call may record. Default: 1,000,000.
	Commands int
	// Spawned is how many entities one call may spawn. Default: 200,000.
	Spawned int
	// LogLines that one script may write per second. More are counted and not
	// written. Default: 100.
	LogLines int
}

func (l *Limits) fill() {
	set := func(field *int64, value int64) {
		if *field == 0 {
			*field = value
		}
	}
	set(&l.Instructions, 50_000_000)
	set((*int64)(&l.Time), int64(2*time.Second))
	set(&l.Bytes, 256<<20)
	set(&l.Heap, 1<<30)
	for _, count := range []struct {
		field *int
		value int
	}{{&l.Commands, 1_000_000}, {&l.Spawned, 200_000}, {&l.LogLines, 100}} {
		if *count.field == 0 {
			*count.field = count.value
		}
	}
}

// longestList is the highest index that a Lua table keeps as a list; above it,
// items count as keys like any other. The machine fills a list up to the index
// that is set, in one instruction: t[6e7] = 1 would take seconds and a gigabyte.
const longestList = 1 << 18

// limitLists sets the machine's own variable for it, once for the process.
var limitLists = sync.OnceFunc(func() { lua.MaxArrayIndex = longestList })

// endless stands for no limit where a number is needed.
const endless = int64(1) << 62

// guard is the budget of the call that is running.
type guard struct {
	budget lualib.Budget
	limits Limits
	began  time.Time
	looks  int    // at the clock, in this call
	heap   uint64 // bytes at the first look
	sample []metrics.Sample
}

func newGuard(limits Limits) *guard {
	g := &guard{limits: limits, sample: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}}
	g.budget.Watch = g.watch
	return g
}

// begin starts the limits of a call.
func (g *guard) begin(L *lua.LState) {
	steps := g.limits.Instructions
	if steps < 0 {
		steps = endless
	}
	g.budget.Reset(steps, max(g.limits.Bytes, 0))
	g.looks = 0
	L.SetContext(&g.budget)
}

func (g *guard) end(L *lua.LState) { L.RemoveContext() }

// heapEvery is how many looks at the clock go by between two at the heap, which
// costs more.
const heapEvery = 16

// watch looks at the clock and, less often, at the heap. The first look of a
// call is what later ones are compared with, so that short calls pay for
// neither.
func (g *guard) watch() error {
	now := time.Now()
	g.looks++
	if g.looks == 1 {
		g.began, g.heap = now, g.heapBytes()
		return nil
	}
	if t := g.limits.Time; t > 0 && now.Sub(g.began) > t {
		return fmt.Errorf("the call took longer than %v (Limits.Time)", t)
	}
	if g.looks%heapEvery == 0 && g.grown() {
		return fmt.Errorf("the call made the heap grow by more than %d MiB (Limits.Heap)", g.limits.Heap>>20)
	}
	return nil
}

// grown reports whether the heap has grown too much. What the collector has not
// got round to counts only after it was given a chance.
func (g *guard) grown() bool {
	limit := g.limits.Heap
	if limit <= 0 || g.heapBytes() <= g.heap+uint64(limit) {
		return false
	}
	runtime.GC()
	return g.heapBytes() > g.heap+uint64(limit)
}

func (g *guard) heapBytes() uint64 {
	metrics.Read(g.sample)
	return g.sample[0].Value.Uint64()
}

// tap lets so many log lines of a script through in each second.
type tap struct {
	second int64
	lines  int
	lost   int
}

// open reports whether one more line may pass, and how many were lost in the
// seconds before.
func (t *tap) open(now time.Time, limit int) (ok bool, lost int) {
	if s := now.Unix(); s != t.second {
		lost = t.lost
		*t = tap{second: s}
	}
	t.lines++
	if ok = limit < 0 || t.lines <= limit; !ok {
		t.lost++
	}
	return ok, lost
}

// log writes what a script says to the host's log.
func (h *Host) log(level slog.Level, script string, line int, text string) {
	t := h.taps[script]
	if t == nil {
		t = &tap{}
		h.taps[script] = t
	}
	ok, lost := t.open(time.Now(), h.opts.Limits.LogLines)
	if lost > 0 {
		h.say(slog.LevelWarn, script, line, fmt.Sprintf("%d more lines were not written (Limits.LogLines)", lost))
	}
	if ok {
		h.say(level, script, line, text)
	}
}

func (h *Host) say(level slog.Level, script string, line int, text string) {
	h.opts.Logger.Log(context.Background(), level, text, "script", script, "line", line)
}
