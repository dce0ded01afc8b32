package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// The subcommand save scene: entities of a save as a scene.

// sceneFlags are the flags of perigee save scene.
type sceneFlags struct {
	saves.SceneOptions
	out         string
	json, force bool
}

// newSaveScene makes perigee save scene.
func newSaveScene() *cobra.Command {
	var f sceneFlags
	cmd := &cobra.Command{
		Use:   "scene FILE",
		Short: "Write some of the entities of a save as a scene",
		Long: `Scene writes entities of a save as a scene in Lua or JSON, which ecs.load_scene
makes into entities with the same values: all components with all fields,
parents, relations. The scripts of the game are not needed. Say which entities
with --query, --scene, --entity and --root, each of them as often as you like;
what any of them names is written, once.

Entities of a scene keep their names, if no other one has it; the others are
called entity_1, entity_2 and so on.

What leads to an entity that is not written is left out: a parent, a relation,
a field, which becomes 0. Each is noted on standard error. A value that no scene
can say is refused, such as a whole number beyond 2^53, or one that only the
program can read; with --lose it is left out and noted.

The scene goes to standard output, or with --out to a file, whole or not at all.
A file that exists is replaced with --force only.`,
		Example: `  perigee save scene slots/auto.save --scene camp --out scenes/camp2.lua
  perigee save scene slots/auto.save --query "Position, !Frozen, Health.hp < 50"
  perigee save scene slots/auto.save --root camp:fire --out scenes/fire.json`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSave(args[0], func(file *save.File) error {
				return f.run(file, cmd.OutOrStdout(), cmd.ErrOrStderr())
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Queries, "query", nil, "write what matches this query; \"\" is every entity")
	flags.StringArrayVar(&f.Scenes, "scene", nil, "write the entities of this scene")
	flags.StringArrayVar(&f.Entities, "entity", nil, "write this entity: guard or camp:guard in a scene, its number, or 12v3")
	flags.StringArrayVar(&f.Roots, "root", nil, "write this entity and all below it")
	flags.BoolVar(&f.Children, "with-children", false, "write all below the others as well")
	flags.BoolVar(&f.Prefabs, "prefabs", false, "let entities of scenes keep their prefabs; what is below them and of no scene comes with the prefab, and is not written")
	flags.BoolVar(&f.Lose, "lose", false, "leave out what no scene can say")
	flags.StringVarP(&f.out, "out", "o", "", "write to this file, which ends in .lua or .json")
	flags.BoolVar(&f.json, "json", false, "write JSON to standard output, not Lua")
	flags.BoolVar(&f.force, "force", false, "replace the file of --out if it exists")
	return cmd
}

// check refuses flags that make no sense together, and finds the syntax.
func (f *sceneFlags) check() error {
	if len(f.Queries)+len(f.Scenes)+len(f.Entities)+len(f.Roots) == 0 {
		return usageError{errors.New("say which entities: --query, --scene, --entity or --root")}
	}
	if f.json {
		f.Syntax = scripting.SceneJSON
	}
	if f.out == "" {
		if f.force {
			return usageError{errors.New("--force replaces the file of --out, and there is none")}
		}
		return nil
	}
	switch ending := filepath.Ext(f.out); {
	case ending == ".json":
		f.Syntax = scripting.SceneJSON
	case ending != ".lua":
		return usageError{fmt.Errorf("the file of a scene ends in .lua or .json, and %q does not", f.out)}
	case f.json:
		return usageError{fmt.Errorf("--json, and a file that ends in .lua: %q", f.out)}
	}
	return f.free()
}

// free returns an error if the file may not be written.
func (f *sceneFlags) free() error {
	switch info, err := os.Lstat(f.out); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return usageError{fmt.Errorf("%q is a folder: --out names a file", f.out)}
	case !f.force:
		return fmt.Errorf("%s exists: --force replaces it", f.out)
	}
	return nil
}

// run writes the scene.
func (f *sceneFlags) run(file *save.File, out, notes io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := saves.WriteScene(file, f.SceneOptions)
	if err != nil {
		return err
	}
	printNotes(status.NewScreen(notes), s.Notes)
	if f.out == "" {
		_, err := out.Write(s.Text)
		return err
	}
	if err := f.free(); err != nil { // reading has taken its time
		return err
	}
	err = save.Replace(f.out, func(w io.Writer) error { _, err := w.Write(s.Text); return err })
	if err == nil {
		status.NewScreen(out).Print(fmt.Sprintf("%s: %s", f.out, diag.Count(s.Entities, "entity", "entities")))
	}
	return err
}

// notesShown is how many notes are shown.
const notesShown = 20

// printNotes shows notes.
func printNotes(screen *status.Screen, notes []string) {
	for _, text := range notes[:min(len(notes), notesShown)] {
		screen.Print(text)
	}
	if rest := len(notes) - notesShown; rest > 0 {
		screen.Print(fmt.Sprintf("and %d more", rest))
	}
}
