// Package asset keeps what many entities share, and what no world should hold itself: pictures, sounds, meshes,
// levels. Components hold an ID, four bytes that Lua sees as a number; the value is loaded once, from a
// file, and all who have the ID get the same one.
//
//	store, err := asset.Open(world, os.DirFS("art"))
//	pictures, err := asset.Register(store, decodePNG, "*.png")     // func(fs.FS, string) (*Picture, error)
//	ship, err := pictures.Load("ships/scout.png")                  // asset.ID[*Picture]
//	sprite.Set(e, Sprite{Picture: ship})
//	…
//	picture, ok := pictures.Get(sprite.Picture)                    // on any goroutine
//
// There are four nouns.
//
//   - A Store is what one world has: a file system, and caches. It lives as long as the world.
//   - A [Cache] has the values of one Go type, and knows how they are loaded.
//   - An [ID] stands for one value of a cache. It is made of the path alone.
//   - [Paths] is the resource of the world that says of each ID which path it is of. It is what a snapshot, a save
//     and a recording have of the assets.
//
// # IDs are the same everywhere
//
// An ID is the 32-bit FNV-1a hash of the path. So it is the same in each run of the program, in saves,
// on other machines and in replicas, in whatever order things are loaded, and a world has the same
// checksum. Two paths with the same ID are refused when the second one is used: one of the two files
// needs another name. With a thousand assets that happens once in ten thousand games.
//
// # Lifetimes
//
// [Cache.Load] loads a value if it is not there, and holds it until [Cache.Release] is called as often.
// [Store.Collect] lets values go that nobody holds and no component names. It looks at all fields of
// four unsigned bytes, those of ID and those of scripts: a number that happens to be an ID keeps its value. What
// a script has got from ecs.asset is held for as long as the store lives.
//
// # After a load
//
// A world that was loaded from a save names values that nobody has loaded yet. [Store.Fetch] loads
// them, and says which files are not there any more; [Store.Rename] says what has a new path. Until
// then Get says that the value is not there.
//
// # Files that change
//
// [Store.Reload] looks at the files of all values that are loaded, and loads those again that have changed. The ID stays, Get
// returns the new value, and [Cache.Version] is larger: who has made something of the value, such as
// a texture, makes it again. A file that cannot be loaded leaves the old value, and its error is
// returned.
//
// # Goroutines
//
// Get, Version, Path and Find may be called from any goroutine at any time. All else belongs to the
// goroutine of the world, between two steps; files are read there. A loader may load other values. What is to be read on
// another goroutine, the program reads itself, and gives it to [Cache.Put].
//
// # Files that cannot be trusted
//
// The paths of a save may be anything. They name files below the root of the file system that a
// cache's pattern fits, or nothing, and there are at most 65,536 of them, of 1,024 bytes. What a loader
// makes of a file is its own business; if it panics, that is an error.
//
// # Cost
//
//	Get, Version      a lock for readers, and a map: 20 ns; nothing is allocated
//	Load, Release     the same, once the value is there; before, what the loader takes
//	Collect           O(values of all components)
//	Reload           O(loaded values) looks at the file system
//
// # Where code lives
//
//	the store, its paths      store
//	a cache, its values       cache
package asset
