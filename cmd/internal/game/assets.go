package game

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/perigee-ecs/perigee/ecs/asset"
	"github.com/perigee-ecs/perigee/ecs/sketch"
)

// mediaFile is an asset: what lies in the folder of a game and is no text of it. The command shows PNG and JPEG files, see
// kit.ImageFile, and none of the others, so those are their bytes; a program of one's own makes pictures and sounds of them.
type mediaFile []byte

// mostOfFile bounds a file, in bytes.
const mostOfFile = 64 << 20

// assetNames are the files that a script may ask for.
var assetNames = []string{
	"*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.svg", "*.wav", "*.ogg", "*.mp3", "*.flac", "*.ttf", "*.otf",
	"*.glb", "*.gltf", "*.obj", "*.glsl", "*.txt", "*.bin",
}

// openAssets makes the files of a folder the assets of the game. Problem gets sentences about images that cannot be shown; it may
// be nil.
func (g *Game) openAssets(files fs.FS, problem func(string)) error {
	store, err := asset.Open(g.world, files)
	if err != nil {
		return err
	}
	if err := g.view.ShowImages(store, problem); err != nil {
		return err
	}
	_, err = asset.Register(store, readFile, assetNames...)
	return err
}

// warn logs a sentence.
func (g *Game) warn(text string) { g.options.Log.Warn(text) }

// betweenLooks is how long the files of assets are not looked at again.
const betweenLooks = time.Second

// followAssets loads the assets again whose files have changed, about once a second while a folder is followed and
// somebody looks. Nothing that the game computes depends on what is in them.
func (g *Game) followAssets() {
	if g.watcher == nil || !sketch.Of(g.world).Shown() || time.Since(g.lookedAt) < betweenLooks {
		return
	}
	if _, err := asset.Of(g.world).Reload(); err != nil {
		g.warn(err.Error())
	}
	g.lookedAt = time.Now()
}

// fetchAssets loads the files that a game names which was loaded. What is not there any more is logged.
func (g *Game) fetchAssets() {
	if err := asset.Of(g.world).Fetch(); err != nil {
		g.options.Log.Warn(err.Error())
	}
}

// mediaFolder is a folder on disk as assets see it: the regular files that lie in it. A link that leads out of it is refused, since whoever sees
// the game gets the pictures. Why not one os.Root? A folder that is a link itself may lead to another one by now.
type mediaFolder string

// errOutside and errNoFile say which files are no assets.
var (
	errOutside = errors.New("it is a link that leads out of the folder of the game: put the file itself into the folder")
	errNoFile  = errors.New("it is no file: expected one such as a picture or a sound")
)

// Open implements fs.FS. What is no regular file is not opened: a pipe would wait for somebody who writes.
func (m mediaFolder) Open(name string) (fs.File, error) {
	info, err := m.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errNoFile}
	}
	if err != nil {
		return nil, err
	}
	return os.OpenInRoot(string(m), filepath.FromSlash(name))
}

// Stat implements fs.StatFS.
func (m mediaFolder) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	root, err := os.OpenRoot(string(m))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	local := filepath.FromSlash(name)
	info, err := root.Stat(local)
	if err != nil {
		if _, there := os.Stat(filepath.Join(string(m), local)); there == nil {
			err = &fs.PathError{Op: "open", Path: name, Err: errOutside}
		}
		return nil, err
	}
	return info, nil
}

// mediaOf returns a folder as assets see it, if it lies on disk.
func mediaOf(files fs.FS) fs.FS {
	if on, ok := files.(interface{ Root() string }); ok {
		return mediaFolder(on.Root())
	}
	return files
}

// readFile reads a file, if it is not too large.
func readFile(files fs.FS, name string) (mediaFile, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostOfFile+1))
	if err == nil && len(text) > mostOfFile {
		err = fmt.Errorf("it has more than %d bytes", mostOfFile)
	}
	return text, err
}

// anyFile is a file system in which each file is there, and empty: a recording has the scripts of a game, and not
// its pictures, whose IDs are made of their paths alone.
type anyFile struct{ bytes.Reader }

// Open implements fs.FS.
func (anyFile) Open(string) (fs.File, error) { return &anyFile{}, nil }

// Stat implements fs.File; it is its own description.
func (f *anyFile) Stat() (fs.FileInfo, error) { return f, nil }

// Close implements fs.File.
func (*anyFile) Close() error { return nil }

func (*anyFile) Name() string       { return "" }
func (*anyFile) Mode() fs.FileMode  { return 0o444 }
func (*anyFile) ModTime() time.Time { return time.Time{} }
func (*anyFile) IsDir() bool        { return false }
func (*anyFile) Sys() any           { return nil }
