// Package build says which build of the command is running: its version, its commit and the
// version of Go.
package build

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version writes "perigee v1.2.0 (commit 0123456789ab, modified) go1.26.0 linux/amd64".
// Builds without version control have no commit.
func Version(info *debug.BuildInfo) string {
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
