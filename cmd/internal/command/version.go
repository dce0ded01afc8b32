package command

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/internal/build"
)

// The subcommand version. What a version consists of is in package build.

// newVersion makes the subcommand that prints the version.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Version prints the version, the commit if it is known, and the version of Go
that built it.`,
		Example: `  perigee version`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok { // built without modules
				info = &debug.BuildInfo{}
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), build.Version(info))
			return err
		},
	}
}
