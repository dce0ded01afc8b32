package command

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

// Flags that hold numbers. Each has a range, and its error names the range.

// numeral is a flag that holds a number of a certain range. Why not the flags of pflag? Their
// error is "strconv.ParseUint: parsing "-1": invalid syntax", and they have no range.
type numeral struct {
	kind  string                      // the type, as the help text shows it
	set   func(text string) (ok bool) // stores the number; ok is false if it is out of range
	shown func() string               // the number as text; nil in the zero numeral
	want  string                      // the range, for errors
}

// Set implements pflag.Value.
func (n *numeral) Set(text string) error {
	if !n.set(text) {
		return errors.New("expected " + n.want)
	}
	return nil
}

// String implements pflag.Value.
func (n *numeral) String() string {
	if n.shown == nil {
		return "" // pflag asks the zero value what a default looks like
	}
	return n.shown()
}

// Type implements pflag.Value.
func (n *numeral) Type() string { return n.kind }

// mostOfUint64 is the largest number of 64 bits.
const mostOfUint64 = "18446744073709551615"

// countVar adds a flag for a whole number from 0 up.
func countVar(cmd *cobra.Command, to *uint64, name, usage string) {
	cmd.Flags().Var(&numeral{
		kind: "uint", want: "a whole number from 0 to " + mostOfUint64,
		set: func(text string) bool {
			n, err := strconv.ParseUint(text, 0, 64)
			if err == nil {
				*to = n
			}
			return err == nil
		},
		shown: func() string { return strconv.FormatUint(*to, 10) },
	}, name, usage)
}

// mostWorkers is how many workers a world can have.
const mostWorkers = 1024

// workersVar adds a flag for a number of goroutines.
// without is the value if the flag is not given.
func workersVar(cmd *cobra.Command, to *int, name string, without int, usage string) {
	*to = without
	cmd.Flags().Var(&numeral{
		kind: "int", want: "a whole number from 1 to " + strconv.Itoa(mostWorkers),
		set: func(text string) bool {
			n, err := strconv.Atoi(text)
			*to = n
			return err == nil && n >= 1 && n <= mostWorkers
		},
		shown: func() string { return strconv.Itoa(*to) },
	}, name, usage)
}

// mostTicks is how many ticks a second of simulation may have, and fewestTicks how few: one in a thousand seconds.
const mostTicks, fewestTicks = 10_000, 0.001

// rateVar adds a flag for a number of ticks per second.
func rateVar(cmd *cobra.Command, to *float64, name string, without float64, usage string) {
	*to = without
	cmd.Flags().Var(&numeral{
		kind: "float", want: fmt.Sprintf("a number from %v to %d", fewestTicks, mostTicks),
		set: func(text string) bool {
			n, err := strconv.ParseFloat(text, 64)
			*to = n
			return err == nil && n >= fewestTicks && n <= mostTicks
		},
		shown: func() string { return strconv.FormatFloat(*to, 'g', -1, 64) },
	}, name, usage)
}
