package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/ecs"
)

// The subcommand plan: the order of systems as the schedule has planned it.

// planHelp is the long text of perigee plan --help.
const planHelp = `Plan loads the scripts of the folder DIR (default: the current one), runs no
system, and prints the order in which all systems run, those of the host
included. Systems in fixed steps come first, then each phase with its systems.
Systems on one line run at the same time when there is more than one worker.

With --detail, plan says why each stage does not belong to the stage before.
With --why and the names of two systems, it says why these two do not run at
the same time.`

// newPlan makes the subcommand that shows the order of the systems.
func newPlan() *cobra.Command {
	var detail bool
	var pair []string
	cmd := &cobra.Command{
		Use:   "plan [DIR]",
		Short: "Show the order in which systems run, and why it is so",
		Long:  planHelp,
		Example: `  perigee plan mygame
  perigee plan mygame --why ai.steer,health.regen`,
		Args: folders(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("why") && len(pair) != 2 {
				return usageError{fmt.Errorf("--why takes the names of two systems, as in --why a,b; there are %d", len(pair))}
			}
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return plan(dir, detail, pair, status.NewScreen(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().BoolVar(&detail, "detail", false, "say why each stage does not belong to the stage before")
	cmd.Flags().StringSliceVar(&pair, "why", nil, "say why the systems `A,B` do not run at the same time")
	return cmd
}

// plan loads a folder, without a step, and prints in which order its systems will run, or
// why two of them do not run at the same time.
func plan(dir string, detail bool, pair []string, screen *status.Screen) error {
	return withFolder(dir, false, game.Options{}, screen, func(g *game.Game) (err error) {
		schedule := g.World().Schedule()
		text := planned(schedule.Plan(), detail)
		if len(pair) == 2 {
			if text, err = separate(schedule, pair[0], pair[1]); err != nil {
				return err
			}
		}
		screen.Print(text)
		return nil
	})
}

// planned writes the plan. With detail, the reason of each stage stands below its line.
// In the text of a plan, a line that begins with a letter is a phase, and all others are the
// stages in the order of Plan.Stages.
func planned(p ecs.Plan, detail bool) string {
	lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
	if !detail {
		return strings.Join(lines, "\n")
	}
	var all []string
	stage := 0
	for _, line := range lines {
		all = append(all, line)
		if line == "" || line[0] >= 'a' {
			continue // a phase, or a plan without stages
		}
		if why := p.Stages[stage].Why; why != "" {
			all = append(all, "      "+why)
		}
		stage++
	}
	return strings.Join(all, "\n")
}

// separate says why two systems do not run at the same time. If one of them does not
// exist, the error proposes a name.
func separate(s *ecs.Schedule, a, b string) (string, error) {
	for _, name := range []string{a, b} {
		if _, ok := s.Health(name); !ok {
			return "", fmt.Errorf("there is no system %q%s", name, diag.DidYouMean(name, s.Names()))
		}
	}
	return s.Explain(a, b)
}
