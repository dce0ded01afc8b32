// Package scripts carries the Lua that ships with Perigee, embedded so that a
// single binary has a game to run and a project to start from.
//
// There are two folders, each a complete set of modules for one world. The demo
// is a small game of about ten thousand entities. The starter is what a new
// project begins with. README.md beside them is the handbook of the Lua side.
package scripts

import (
	"embed"
	"io/fs"
)

// Why two embeds and not one "all:."? So that the handbook, the tests and
// whatever else comes to lie in this folder never end up in a user's project.

//go:embed demo
var demo embed.FS

//go:embed starter
var starter embed.FS

// Demo returns the modules of the demo game, rooted at its own folder.
func Demo() fs.FS { return rooted(demo, "demo") }

// Starter returns the files of a new project, rooted at their own folder.
func Starter() fs.FS { return rooted(starter, "starter") }

func rooted(files embed.FS, folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // only for a folder name that is not a valid path
	}
	return sub
}
