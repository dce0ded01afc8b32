package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
)

// How figures are kept, and compared with those of an earlier run.

// Baseline is what a run has measured.
type Baseline struct {
	Go       string   `json:"go"`       // that the program was built with
	Platform string   `json:"platform"` // GOOS/GOARCH
	Results  []Result `json:"results"`
}

// NewBaseline returns one of this program, with the figures of a run.
func NewBaseline(results []Result) *Baseline {
	return &Baseline{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, results}
}

// mostBaseline is how many bytes a baseline may have.
const mostBaseline = 16 << 20

// ErrNoBaseline answers what is no baseline.
var ErrNoBaseline = errors.New("it is no file that perigee bench --save has written")

// ReadBaseline reads what Write has written. The error wraps [ErrNoBaseline], or is of the reader.
func ReadBaseline(from io.Reader) (*Baseline, error) {
	text, err := io.ReadAll(io.LimitReader(from, mostBaseline+1))
	if err != nil {
		return nil, err
	}
	b := new(Baseline)
	if err := json.Unmarshal(text, b); err != nil || len(text) > mostBaseline || len(b.Results) == 0 {
		return nil, ErrNoBaseline
	}
	for _, r := range b.Results {
		if !(r.NsPerEntity > 0) || r.Workload == "" || r.Who == "" || r.N < 1 {
			return nil, ErrNoBaseline
		}
	}
	return b, nil
}

// Write writes the baseline as a JSON object.
func (b *Baseline) Write(to io.Writer) error {
	e := json.NewEncoder(to)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// find returns the figure of a way, nil if there is none.
func (b *Baseline) find(workload string, n int, who string) *Result {
	for i := range b.Results {
		if r := &b.Results[i]; r.Workload == workload && r.N == n && r.Who == who {
			return r
		}
	}
	return nil
}

// mostSlower is how much slower than in the baseline a way may be. What a shared machine adds to the ratio of two
// minima is less.
const mostSlower = 1.10

// again is how often a workload is measured once more at most, if something in it is slower.
const again = 2

// compare says in each figure how it is to that of the baseline: as parts of what go slices take beside it, in
// either run, so that another machine is a baseline, too.
func (b *Baseline) compare(results []Result) error {
	first := &results[0]
	before := b.find(first.Workload, first.N, first.Who)
	for i := range results[1:] {
		r := &results[i+1]
		was := b.find(r.Workload, r.N, r.Who)
		if was == nil || before == nil {
			continue
		}
		if was.Ticks == r.Ticks && was.Sum != r.Sum {
			return fmt.Errorf("the baseline has other numbers after %d ticks: the workload has changed since, save a new baseline", r.Ticks)
		}
		r.Against = r.NsPerEntity / first.NsPerEntity / (was.NsPerEntity / before.NsPerEntity)
		r.More = max(r.AllocsPerOp-was.AllocsPerOp, 0)
	}
	return nil
}

// slower reports whether a figure is one of a regression.
func (r *Result) slower() bool { return r.Against > mostSlower || r.More >= 1 }

// best takes the lesser figures of two measurements of the same workload.
func best(of, other []Result) {
	for i := range of {
		of[i].NsPerEntity = min(of[i].NsPerEntity, other[i].NsPerEntity)
		of[i].AllocsPerOp = min(of[i].AllocsPerOp, other[i].AllocsPerOp)
	}
}

// against compares results with the baseline, and measures again what is slower: of a disturbance that has lasted
// for all rounds nothing is left then.
func (b *Baseline) against(results []Result, measure func() ([]Result, error)) error {
	if err := b.compare(results); err != nil {
		return err
	}
	for i := 0; i < again && len(Regressions(results)) > 0; i++ {
		more, err := measure()
		if err != nil {
			return err
		}
		best(results, more)
		if err := b.compare(results); err != nil {
			return err
		}
	}
	return nil
}

// Regressions lists what is slower than in the baseline, or allocates more; empty if nothing is.
func Regressions(results []Result) []string {
	var list []string
	for i := range results {
		r := &results[i]
		if !r.slower() {
			continue
		}
		var what []string
		if r.Against > mostSlower {
			what = append(what, fmt.Sprintf("%.2f times as slow", r.Against))
		}
		if r.More >= 1 {
			what = append(what, fmt.Sprintf("%.0f allocations more in a tick", r.More))
		}
		list = append(list, fmt.Sprintf("%s, %d entities, %s: %s", r.Workload, r.N, r.Who, strings.Join(what, ", ")))
	}
	return list
}

// Compared returns how many of the figures have one in the baseline.
func Compared(results []Result) (n int) {
	for i := range results {
		if results[i].Against > 0 {
			n++
		}
	}
	return n
}
