package command

import (
	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
)

// The subcommand schema: what scenes in JSON may say, for editors.

// newSchema makes the subcommand that prints the JSON Schema of scenes.
func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [DIR]",
		Short: "Print the JSON Schema of the scenes of a folder",
		Long: `Schema loads the scripts of the folder DIR (default: the current one), runs no
system, and prints the JSON Schema of its scenes: which components there are,
their fields, the kinds and ranges of these, the prefabs. An editor that knows
the schema proposes names in scenes/*.json and finds mistakes while you write.
Print it again when components have changed.`,
		Example: `  perigee schema mygame > mygame/scene.schema.json`,
		Args:    folders(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			screen := status.NewScreen(cmd.OutOrStdout())
			return withFolder(dir, false, game.Options{}, screen, func(g *game.Game) error {
				text, err := g.SceneSchema()
				if err == nil {
					_, err = cmd.OutOrStdout().Write(text)
				}
				return err
			})
		},
	}
}
