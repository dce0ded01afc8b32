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
	Hz       float64           // that the game is made for; 0: unknown
	Tick     time.Duration     // mean
	Systems  []meter.Share     // the longest first
	Places   map[string]string // what runs a system: "kernel", "VM"
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
	head := fmt.Sprintf("%s   %s ticks/s%s   tick %s   %s   %s",
		v.Title, rate(v.Rate), v.slow(), millis(v.Tick), diag.Plural(v.Entities, "entity"), v.Elapsed.Truncate(time.Second))
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

// slow says that the game does not keep its rate: it goes slower than real time.
func (v *Report) slow() string {
	if v.Window == 0 || v.Rate >= 0.95*v.Hz {
		return ""
	}
	return fmt.Sprintf(" of %g: slower than real time", v.Hz)
}

// nameColumns is the most that names take of the block; longer ones lose their middle.
const nameColumns = 28

// names returns how wide the column of names is.
func (v *Report) names() int {
	n := 12
	for _, s := range v.Systems[:min(len(v.Systems), slowest)] {
		n = max(n, diag.Columns(diag.OneLine(s.Name)))
	}
	return min(n, nameColumns)
}

// system renders one system: its name, its mean time per tick and the longest, what runs it, and a
// bar as long as its part of the slowest one's.
func (v *Report) system(s meter.Share, width int) string {
	name := diag.Middle(diag.OneLine(s.Name), v.names())
	name += strings.Repeat(" ", max(v.names()-diag.Columns(name), 0))
	text := fmt.Sprintf("  %s %9s  worst %9s  %-6s", name, millis(s.Took/time.Duration(max(v.Window, 1))), millis(s.Worst), v.Places[s.Name])
	if s.Health == ecs.Parked || s.Health == ecs.HalfOpen {
		return red + cut(text+"  parked", width) + reset
	}
	room := min(width-diag.Columns(text)-2, 30)
	if room <= 0 || v.Systems[0].Took == 0 {
		return cut(strings.TrimRight(text, " "), width)
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
	line := fmt.Sprintf("tick %d: %s ticks/s%s, %s per tick, %s",
		v.Ticks, rate(v.Rate), v.slow(), millis(v.Tick), diag.Plural(v.Entities, "entity"))
	if len(v.Systems) > 0 && v.Window > 0 {
		s := &v.Systems[0]
		line += fmt.Sprintf(", slowest %s %s, worst %s", diag.OneLine(s.Name), millis(s.Took/time.Duration(v.Window)), millis(s.Worst))
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
