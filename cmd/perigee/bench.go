package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/perigee/internal/bench"
)

// newBench makes the subcommand that measures systems written in several ways.
func newBench() *cobra.Command {
	o := bench.Options{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure systems, each written in several ways",
		Long:  benchHelp,
		Example: `  perigee bench
  perigee bench --workload all --n 10000
  perigee bench --workload spring,fade --who "lua kernel" --json --rounds 9`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkBench(&o); err != nil {
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
	cmd.Flags().StringSliceVar(&o.Workloads, "workload", []string{"bounce"}, "workloads; all for every one of them")
	cmd.Flags().StringSliceVar(&o.Who, "who", nil, "ways beside go slices (default all of them)")
	cmd.Flags().IntSliceVar(&o.N, "n", []int{1_000, 10_000, 100_000, 1_000_000}, "numbers of entities")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 15, "how often each way is measured")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each figure as a JSON object on its own line")
	return cmd
}

// benchHelp is the long text of perigee bench --help.
const benchHelp = `Bench measures the same system written in several ways:

  go slices   a loop over plain Go slices, without any ECS
  go query    a Go system
  lua batch   a Lua system that loops over columns
  lua bulk    the same, but what it can it does to whole columns at once
  lua each    a Lua system with a function for each entity, not compiled
  lua kernel  the same text, compiled
  luar        Lua that reaches Go structs one by one; at most 10,000 entities

The workloads:

  integrate   moves entities
  bounce      moves entities and turns them at the edges of a box
  bounce-f32  the same in single precision
  spring      damped springs
  steer       a flock that steers by the handles of its neighbours, and moves
  regen       health that comes back, up to a maximum
  cooldown    timers at the end of which an entity is despawned
  damage      armor that wears off, and an event when it is gone
  states      a machine of four states
  fade        particles that age, shrink and fade
  nbody       bodies that pull each other; at most 1,000

The time is that of the systems' own runs, in nanoseconds per entity; allocations
are per tick. All ways take turns, and the best of several rounds counts, so the
ratios hold on a machine that is busy with other things. Before anything is
timed, all ways must have come to exactly the same numbers. The garbage
collector is set as run sets it, and the scripts' limits are on.`

// checkBench looks at what was asked for; "all" becomes all workloads.
func checkBench(o *bench.Options) error {
	if slices.Contains(o.Workloads, "all") {
		o.Workloads = bench.Workloads()
	}
	if err := known("workload", o.Workloads, bench.Workloads()); err != nil {
		return err
	}
	if err := known("who", o.Who, bench.Contenders()); err != nil {
		return err
	}
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

// known demands that all names are some of those that there are.
func known(flag string, names, all []string) error {
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("--%s %q: there are %s", flag, name, strings.Join(all, ", "))
		}
	}
	return nil
}

// printLines prints a JSON object per result, a line each, for other programs to read.
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
