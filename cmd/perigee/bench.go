package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/perigee/internal/bench"
)

func newBench() *cobra.Command {
	o := bench.Options{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure one system written in several ways",
		Long:  benchHelp,
		Example: `  perigee bench
  perigee bench --json --n 10000 --rounds 9`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkBench(o); err != nil {
				return usageError{err}
			}
			print := printTable(cmd.OutOrStdout())
			if asJSON {
				print = printLines(cmd.OutOrStdout())
			}
			tuneCollector()
			return bench.Run(o, print)
		},
	}
	cmd.Flags().IntSliceVar(&o.N, "n", []int{1_000, 10_000, 100_000, 1_000_000}, "numbers of entities")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 15, "how often each way is measured")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each figure as a JSON object on its own line")
	return cmd
}

const benchHelp = `Bench measures the same system, which moves entities and turns them at the edges
of a box, written in several ways:

  go slices   a loop over plain Go slices, without any ECS
  go query    a Go system
  lua batch   a Lua system that loops over columns
  lua bulk    the same, but what it can it does to whole columns at once
  lua each    a Lua system with a function for each entity, not compiled
  lua kernel  the same, compiled
  luar        Lua that reaches Go structs one by one; at most 10,000 entities

The time is that of the system's own run, in nanoseconds per entity; allocations
are per run. All ways take turns, and the best of several rounds counts, so the
ratios hold on a machine that is busy with other things. Before anything is
timed, all ways must have moved every entity to exactly the same place. The
garbage collector is set as run sets it, and the scripts' limits are on.`

func checkBench(o bench.Options) error {
	for _, n := range o.N {
		if n < 1 || n > 10_000_000 {
			return fmt.Errorf("--n %d: a number of entities is 1 to 10000000", n)
		}
	}
	if o.Rounds < 1 {
		return fmt.Errorf("--rounds %d: at least one round", o.Rounds)
	}
	return nil
}

func printLines(w io.Writer) func([]bench.Result) error {
	return func(results []bench.Result) error {
		for _, r := range results {
			if err := printJSON(w, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// printTable prints a table per number of entities, as soon as it is measured.
func printTable(w io.Writer) func([]bench.Result) error {
	return func(results []bench.Result) error {
		first := results[0]
		title := fmt.Sprintf("%s, %d entities", first.Workload, first.N)
		fmt.Fprintf(w, "%-24s %10s %12s %10s\n", title, "ns/entity", "× "+first.Who, "allocs/op")
		for _, r := range results {
			fmt.Fprintf(w, "%-24s %10.2f %12.2f %10.0f\n", r.Who, r.NsPerEntity, r.NsPerEntity/first.NsPerEntity, r.AllocsPerOp)
		}
		_, err := fmt.Fprintln(w)
		return err
	}
}
