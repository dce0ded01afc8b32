package build

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef"}
	edited := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"", nil, "perigee (devel) go"},
		{"v1.2.0", nil, "perigee v1.2.0 go"},
		{"v1.2.0", []debug.BuildSetting{commit}, "perigee v1.2.0 (commit 0123456789ab) go"},
		{"", []debug.BuildSetting{commit, edited}, "perigee (devel) (commit 0123456789ab, modified) go"},
		{"", []debug.BuildSetting{edited}, "perigee (devel) go"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := Version(info); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
