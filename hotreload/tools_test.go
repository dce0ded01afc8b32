package hotreload

import (
	"maps"
	"os"
	"os/exec"
	"testing"
)

// A tool saves f.lua with commands that are really run, each one in the watched
// folder. The paths tmp/… are outside of it.
type tool struct {
	name     string
	prepare  [][]string
	commands [][]string
	want     outcome
}

func tools() []tool {
	saved := outcome{"f.lua": "changed"}
	vim := func(set string) [][]string {
		// With its default backupskip, vim writes in place below a temporary folder.
		return [][]string{{"vim", "-u", "NONE", "-i", "NONE", "-N", "-e", "-s",
			"-c", "set backupskip= " + set, "-c", "%s/1/2/", "-c", "wq", "f.lua"}}
	}
	git := func(args ...string) []string {
		return append([]string{"git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"}, args...)
	}
	repository := [][]string{
		git("init", "-q"), git("add", "f.lua"), git("commit", "-q", "-m", "one"), git("branch", "one"),
		{"sed", "-i", "s/1/2/", "f.lua"}, {"cp", "f.lua", "g.lua"}, git("add", "."), git("commit", "-q", "-m", "two"),
	}
	return []tool{
		{"vim", nil, vim("backupcopy=auto writebackup"), saved},
		{"vim backupcopy=yes", nil, vim("backupcopy=yes writebackup"), saved},
		{"vim with backup and swap file", nil, vim("backup backupdir=. updatecount=1 directory=."), saved},
		{"sed -i", nil, [][]string{{"sed", "-i", "s/1/2/", "f.lua"}}, saved},
		{"cp", [][]string{{"cp", "f.lua", "../new"}, {"sed", "-i", "s/1/2/", "../new"}}, [][]string{{"cp", "../new", "f.lua"}}, saved},
		{"cp -p", [][]string{{"cp", "-p", "f.lua", "../new"}, {"sed", "-i", "s/1/22/", "../new"}}, [][]string{{"cp", "-p", "../new", "f.lua"}}, saved},
		{"mv", [][]string{{"cp", "f.lua", "../new"}, {"sed", "-i", "s/1/2/", "../new"}}, [][]string{{"mv", "../new", "f.lua"}}, saved},
		{"git checkout", repository, [][]string{git("checkout", "-q", "one")}, outcome{"f.lua": "changed", "g.lua": "removed"}},
		{"git checkout file", append(repository, []string{"cp", "f.lua", "h.lua"}), [][]string{git("checkout", "one", "f.lua")}, saved},
		{"git stash", append(repository, []string{"sed", "-i", "s/2/3/", "f.lua"}), [][]string{git("stash", "-q")}, saved},
		{"rm", nil, [][]string{{"rm", "f.lua"}}, outcome{"f.lua": "removed"}},
		{"touch", nil, [][]string{{"touch", "f.lua"}}, outcome{}},
	}
}

func (d disk) command(args []string) {
	d.t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		d.t.Skipf("the tool itself is needed: %v", err)
	}
	cmd := exec.CommandContext(d.t.Context(), args[0], args[1:]...)
	cmd.Dir = d.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// onlyAgain saves one more file and demands that no set before it holds anything but what was
// expected. That may come again: a tool may be held up between two writes of one file for
// longer than a save takes to settle.
func (r rig) onlyAgain(want outcome) {
	r.t.Helper()
	r.write("zz.lua", "return 1")
	got := maps.Clone(want)
	for got["zz.lua"] == "" {
		got.add((<-r.sets).Change)
	}
	delete(got, "zz.lua")
	if !maps.Equal(got, want) {
		r.t.Fatalf("the sets amount to %v, want %v", got, want)
	}
}

func TestRealTools(t *testing.T) {
	t.Parallel()
	for _, tool := range tools() {
		t.Run(tool.name, func(t *testing.T) {
			bothWays(t, func(t *testing.T, opts Options) {
				d := newDisk(t)
				for _, args := range tool.prepare {
					d.command(args)
				}
				r := watching(d, opts)
				defer r.close()
				for _, args := range tool.commands {
					r.command(args)
				}
				r.await(tool.want)
				r.onlyAgain(tool.want)
			})
		})
	}
}
