package bench

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

// measured are figures of two workloads, as a run has them.
func measured(kernel, each float64) []Result {
	return []Result{
		{Workload: "spring", N: 10, Who: "go slices", NsPerEntity: 2, Ticks: 3, Sum: 7},
		{Workload: "spring", N: 10, Who: "lua kernel", NsPerEntity: kernel, Ticks: 3, Sum: 7},
		{Workload: "spring", N: 10, Who: "lua each", NsPerEntity: each, AllocsPerOp: 4, Ticks: 3, Sum: 7},
	}
}

// TestRegressionsAreFound: of what is slower beside go slices than it was, or allocates more, whatever the machine.
// It is measured again before it is believed.
func TestRegressionsAreFound(t *testing.T) {
	twice := func(list []Result) []Result { // a slower machine
		for i := range list {
			list[i].NsPerEntity *= 2
		}
		return list
	}
	wasteful := measured(1, 30)
	wasteful[1].AllocsPerOp = 2
	for _, of := range []struct {
		name  string
		runs  [][]Result // in turn; the last one again and again
		asked int        // how often it is measured again
		want  []string
	}{
		{"the same", [][]Result{measured(1, 30)}, 0, nil},
		{"a slower machine", [][]Result{twice(measured(1, 30))}, 0, nil},
		{"within the bound", [][]Result{measured(1.09, 32.7)}, 0, nil},
		{"faster", [][]Result{measured(0.5, 10)}, 0, nil},
		{"slower", [][]Result{measured(1.2, 30)}, 2, []string{"spring, 10 entities, lua kernel: 1.20 times as slow"}},
		{"slower once", [][]Result{measured(1.2, 30), measured(1.05, 60)}, 1, nil},
		{"slower twice", [][]Result{measured(1.2, 30), measured(1.3, 30), measured(1, 30)}, 2, nil},
		{"allocations", [][]Result{wasteful}, 2, []string{"spring, 10 entities, lua kernel: 2 allocations more in a tick"}},
	} {
		b := NewBaseline(measured(1, 30))
		asked := 0
		results := slices.Clone(of.runs[0])
		err := b.against(results, func() ([]Result, error) {
			asked++
			return slices.Clone(of.runs[min(asked, len(of.runs)-1)]), nil
		})
		if got := Regressions(results); err != nil || asked != of.asked || !slices.Equal(got, of.want) || Compared(results) != 2 {
			t.Errorf("%s: %v, measured %d times again, %q", of.name, err, asked, got)
		}
	}
}

// TestWhatCannotBeCompared: other numbers are an error, other workloads and sizes are no figures of the baseline.
func TestWhatCannotBeCompared(t *testing.T) {
	b := NewBaseline(measured(1, 30))
	other := measured(1, 30)
	other[1].Sum = 8
	if err := b.compare(other); err == nil || !strings.Contains(err.Error(), "save a new baseline") {
		t.Error(err)
	}
	for i := range other {
		other[i].N, other[i].Sum = 11, 7
	}
	if err := b.compare(other); err != nil || Compared(other) != 0 {
		t.Error(err, Compared(other))
	}
	if err := b.against(measured(2, 30), func() ([]Result, error) { return nil, errNotWritten }); !errors.Is(err, errNotWritten) {
		t.Error(err)
	}
}

// TestBaselinesAreReadBack: and what is none is refused.
func TestBaselinesAreReadBack(t *testing.T) {
	var text bytes.Buffer
	if err := NewBaseline(measured(1, 30)).Write(&text); err != nil {
		t.Fatal(err)
	}
	whole := text.String()
	b, err := ReadBaseline(strings.NewReader(whole))
	if err != nil || !slices.Equal(b.Results, measured(1, 30)) {
		t.Error(err, b)
	}
	for _, broken := range []string{"", "{}", "[]", `{"results":[]}`, `{"results":[{}]}`, whole[:len(whole)/2], strings.Replace(whole, `"ns_per_entity": 2`, `"ns_per_entity": 0`, 1), whole + strings.Repeat(" ", mostBaseline)} {
		if _, err := ReadBaseline(strings.NewReader(broken)); !errors.Is(err, ErrNoBaseline) {
			t.Errorf("%.60q: %v", broken, err)
		}
	}
}
