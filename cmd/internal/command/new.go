package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/project"
	"github.com/perigee-ecs/perigee/scripts"
)

// The subcommand new: which names of folders it takes, and what it tells the user to
// type next. Writing is all or nothing, see package project.

// newNew makes the subcommand that writes a project to start from.
func newNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new DIR",
		Short: "Make a project to start from",
		Long: `New writes a small project into the folder DIR. You can run it at once. New
makes the folder if there is none, and refuses a folder that is not empty. If
it cannot write all files, it leaves nothing there.`,
		Example: `  perigee new mygame`,
		Args:    folders(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if err := projectName(dir); err != nil {
				return usageError{err}
			}
			files, err := project.Write(dir, scripts.Starter())
			if errors.Is(err, project.ErrNotEmpty) {
				return usageError{fmt.Errorf("folder %q is not empty: choose another one", dir)}
			}
			if err != nil {
				return err
			}
			typed := argument(dir)
			_, err = fmt.Fprintf(cmd.OutOrStdout(), nextSteps, dir, strings.Join(files, ", "), command(), typed, command(), typed)
			return err
		},
	}
}

// projectName refuses names of folders that would make trouble later: on another operating
// system, on a command line, or in a message.
func projectName(dir string) error {
	name := filepath.Base(filepath.Clean(dir))
	stem, _, _ := strings.Cut(name, ".")
	switch {
	case dir == "":
		return errors.New("the folder has no name: give one, such as mygame")
	case diag.OneLine(dir) != dir || strings.Contains(dir, "\t"):
		return fmt.Errorf("%q has characters that cannot be seen: choose another name", dir)
	case strings.TrimSpace(name) != name:
		return fmt.Errorf("%q begins or ends with a space: choose another name", dir)
	case device(stem):
		return fmt.Errorf("%q is the name of a device on Windows: choose another name", dir)
	}
	return nil
}

// device reports whether Windows reserves a name, with any extension. A project should run
// on every system.
func device(stem string) bool {
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	numbered := len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT")
	return numbered && stem[3] >= '1' && stem[3] <= '9'
}

// argument writes a folder as it has to be typed on a command line, in quotes if need be,
// so that the printed commands can be copied.
func argument(dir string) string {
	if strings.HasPrefix(dir, "-") {
		dir = "./" + dir
	}
	plain := func(r rune) bool {
		return r >= 0x80 || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`/._-+:\@,`, r)
	}
	if strings.ContainsFunc(dir, func(r rune) bool { return !plain(r) }) {
		return "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return dir
}

// nextSteps is what perigee new prints when it has made a project.
const nextSteps = `made %s: %s

Next:
  %s run %s       start it; edit a script and save while it runs
  %s check %s     look for mistakes without running it
`

// command returns what has to be typed for this program. One that go run has built is gone
// when it ends.
func command() string {
	_, err := exec.LookPath("perigee")
	switch {
	case err == nil:
		return "perigee"
	case strings.Contains(os.Args[0], "go-build"):
		return "go run ./cmd/perigee"
	}
	return argument(os.Args[0])
}
