package status

import (
	"fmt"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/meter"
	"github.com/perigee-ecs/perigee/ecs"
)

// The report of a game, as a block or as a line. It only makes text, and knows no
// terminal but its size.

// Report is a game at one moment. Rates and times are of the moments before it,
// not of the whole run.
type Report struct {
	Title    string
	Hint     string // what the reader can do now
	Elapsed  time.Duration
	Ticks    uint64 // since the beginning
	Window   uint64 // ticks that the following three figures are of
	Rate     float64
	Tick     time.Duration // mean
	Systems  []meter.Share // the longest first
	Entities int
	Reloads  int
	Refused  int
	Errors   int
	Each     int  // systems with an each function over a query
	Compiled int  // of these
	Kernel   Work // what kernels have done since the beginning, of all systems of scripts
	VM       Work // what the VM has
}

// Work is how many rows were run, and how long it took. Functions that run once a tick have a time and
// no rows.
type Work struct {
	Rows uint64
	Time time.Duration
}

// Add adds the work of another system.
func (w *Work) Add(rows uint64, time time.Duration) { w.Rows, w.Time = w.Rows+rows, w.Time+time }

// share is a part of a whole in per cent, rounded down. 100 means all of it.
func share(part, whole uint64) uint64 {
	if part >= whole {
		return 100
	}
	return min(uint64(float64(part)/float64(whole)*100), 99)
}

// slowest is how many systems the block shows.
const slowest = 8

// Block renders the report for a terminal of so many columns and rows.
func (v *Report) Block(width, height int) []string {
	head := fmt.Sprintf("%s   %s ticks/s   tick %s   %s   %s",
		v.Title, rate(v.Rate), millis(v.Tick), diag.Plural(v.Entities, "entity"), v.Elapsed.Truncate(time.Second))
	lines := []string{bold + cut(head, width) + reset}
	for _, s := range v.Systems[:min(len(v.Systems), slowest, max(height-3, 0))] {
		lines = append(lines, v.system(s, width))
	}
	tail := fmt.Sprintf("reloads %d   refused %d   errors %d", v.Reloads, v.Refused, v.Errors)
	if v.Each > 0 {
		tail += fmt.Sprintf("   compiled %d of %d", v.Compiled, v.Each)
		if v.Kernel.Rows > 0 {
			tail += fmt.Sprintf(": %d %% of rows, %d %% of time", share(v.Kernel.Rows, v.Kernel.Rows+v.VM.Rows), share(uint64(v.Kernel.Time), uint64(v.Kernel.Time+v.VM.Time)))
		}
	}
	lines = append(lines, cut(tail, width), dim+cut(v.Hint, width)+reset)
	return lines[:min(len(lines), height)]
}

// system renders one system: its name, its time per tick, and a bar as long as
// its part of the slowest one's.
func (v *Report) system(s meter.Share, width int) string {
	const name, columns = 24, 24 + 14
	text := fmt.Sprintf("  %-*s %9s", name, cut(s.Name, name), millis(s.Took/time.Duration(max(v.Window, 1))))
	if s.Health == ecs.Parked || s.Health == ecs.HalfOpen {
		return red + cut(text+"  parked", width) + reset
	}
	room := min(width-columns, 30)
	if room <= 0 || v.Systems[0].Took == 0 {
		return cut(text, width)
	}
	return text + "  " + bar(float64(s.Took)/float64(v.Systems[0].Took), room)
}

// bar draws a part, 0 to 1, of so many columns, in eighths of a column.
func bar(part float64, columns int) string {
	eighths := int(part*float64(columns)*8 + 0.5)
	whole := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		return whole + string(rune('█'+8-rest)) // ▏ to ▉ follow the full block
	}
	return whole
}

// Line renders the report in one line, for logs.
func (v *Report) Line() string {
	line := fmt.Sprintf("tick %d: %s ticks/s, %s per tick, %s",
		v.Ticks, rate(v.Rate), millis(v.Tick), diag.Plural(v.Entities, "entity"))
	if len(v.Systems) > 0 && v.Window > 0 {
		line += fmt.Sprintf(", slowest %s %s", diag.OneLine(v.Systems[0].Name), millis(v.Systems[0].Took/time.Duration(v.Window)))
	}
	return line
}

// rate prints ticks per second: with a decimal where it matters.
func rate(r float64) string {
	if r < 1000 {
		return fmt.Sprintf("%.1f", r)
	}
	return diag.Grouped(int64(r + 0.5))
}

// millis writes a time in milliseconds, with as many digits as can be read at a
// glance.
func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
