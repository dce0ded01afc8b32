package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/perigee/internal/project"
	"github.com/perigee-ecs/perigee/scripts"
)

func newNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new DIR",
		Short: "Make a project to start from",
		Long: `New writes a small project into the folder DIR, which runs at once. It makes the
folder if need be, and refuses one that has anything in it. When the disk fails,
nothing of it is left behind.`,
		Example: `  perigee new mygame`,
		Args:    folders(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			files, err := project.Write(dir, scripts.Starter())
			if errors.Is(err, project.ErrNotEmpty) {
				return usageError{fmt.Errorf("folder %q is not empty: choose another one", dir)}
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), nextSteps, dir, strings.Join(files, ", "), dir, dir)
			return err
		},
	}
}

const nextSteps = `made %s: %s

Next:
  perigee run %s       start it; edit a script and save while it runs
  perigee check %s     look for mistakes without running it
`
