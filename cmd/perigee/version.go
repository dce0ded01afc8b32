package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

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
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version(info))
			return err
		},
	}
}

// version writes "perigee v1.2.0 (commit 0123456789ab, modified) go1.26.0 linux/amd64".
// Builds without version control have no commit.
func version(info *debug.BuildInfo) string {
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = " (commit " + s.Value[:min(len(s.Value), 12)] + ")"
		case s.Key == "vcs.modified" && s.Value == "true" && commit != "":
			commit = commit[:len(commit)-1] + ", modified)"
		}
	}
	return fmt.Sprintf("perigee %s%s %s %s/%s",
		cmp.Or(info.Main.Version, "(devel)"), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
