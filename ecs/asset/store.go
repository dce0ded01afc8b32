package asset

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/schema"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// Errors of this package wrap one of these, those of package ecs, or what a file system or a loader says.
var (
	// ErrNone says that no cache takes files of such a name, or that a text is no path.
	ErrNone = errors.New("no asset")
	// ErrTooMany says that a world would have more paths than 65,536, or a longer one than 1,024 bytes.
	ErrTooMany = errors.New("too many assets")
)

// The resources of a world, whose names no type can have.
const (
	storeName = "asset.store"
	pathsName = "asset.paths"
)

const (
	mostPaths   = 1 << 16
	longestPath = 1 << 10
	mostErrors  = 100
)

// Paths is the resource "asset.paths", which says what a world has used: the sorted paths, relative to the root
// of the file system and with slashes. It belongs to the store.
type Paths struct{ Paths []string }

// Clone implements snapshot.Cloner.
func (p Paths) Clone() Paths { return Paths{slices.Clone(p.Paths)} }

// add notes a path, and reports whether it is new.
func (p *Paths) add(name string) bool {
	i, found := slices.BinarySearch(p.Paths, name)
	if !found {
		p.Paths = slices.Insert(p.Paths, i, name)
	}
	return !found
}

// Store is the assets of one world.
type Store struct {
	world *ecs.World
	files fs.FS
	paths *Paths

	caches  []anyCache
	renamed map[uint32]string // by the ID of the old path, the new path
	held    map[string]bool   // what scripts have asked for
	loading map[string]bool   // whose loaders run

	// mu guards what may be asked from any goroutine: byID, and the values of the caches. It is not held
	// while a loader runs, which may load other values.
	mu   sync.RWMutex
	byID map[uint32]string // the path of each ID that was used since the last Fetch, has a value, or is named by the world
}

// anyCache is a Cache of any type.
type anyCache interface {
	typeOf() reflect.Type
	fits(name string) bool
	load(name string, id uint32, count bool) error
	loaded() []uint32
	reload(id uint32, name string) (bool, error)
	drop(id uint32) bool
}

// Open makes the store of a world, whose files are below the root of a file system. It provides
// itself and its [Paths] in the world. The error wraps [ecs.ErrConflict] for a nil world or file system, and for a world
// that has a store, and [ecs.ErrClosed].
func Open(w *ecs.World, files fs.FS) (*Store, error) {
	if w == nil || files == nil {
		return nil, fmt.Errorf("asset: %w: the world or the file system is nil", ecs.ErrConflict)
	}
	if err := w.Raw().Ready(); errors.Is(err, ecs.ErrClosed) {
		return nil, fmt.Errorf("asset: %w", err)
	}
	if Of(w) != nil {
		return nil, fmt.Errorf("asset: %w: the world has a store", ecs.ErrConflict)
	}
	s := &Store{world: w, files: files, byID: map[uint32]string{}, renamed: map[uint32]string{}, held: map[string]bool{}, loading: map[string]bool{}}
	if err := snapshot.Leave[Store](w); err != nil {
		return nil, fmt.Errorf("asset: %w", err)
	}
	s.paths = &Paths{}
	for name, resource := range map[string]any{pathsName: s.paths, storeName: s} {
		if err := w.Raw().ProvideNamed(name, resource); err != nil {
			return nil, fmt.Errorf("asset: %w", err)
		}
	}
	return s, nil
}

// Of returns the store of a world, nil if it has none.
func Of(w *ecs.World) *Store {
	if w == nil {
		return nil
	}
	s, _ := w.Raw().ResourceNamed(storeName).(*Store)
	return s
}

// idOf is the ID of a path, which is not 0.
func idOf(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return max(h.Sum32(), 1)
}

// claim checks a path and notes it with its ID.
func (s *Store) claim(name string) (uint32, error) {
	switch {
	case !fs.ValidPath(name) || name == ".":
		return 0, fmt.Errorf("%w: %q is no path: it has names and slashes between them, as in ships/scout.png", ErrNone, cut(name))
	case len(name) > longestPath:
		return 0, fmt.Errorf("%w: a path of %d bytes, %d are possible", ErrTooMany, len(name), longestPath)
	}
	id := idOf(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, ok := s.byID[id]; ok && other != name {
		return 0, fmt.Errorf("%w: %q and %q have the same ID; one of the files needs another name", ecs.ErrConflict, other, name)
	}
	if len(s.byID) >= mostPaths && s.byID[id] == "" {
		return 0, fmt.Errorf("%w: %d are possible", ErrTooMany, mostPaths)
	}
	s.byID[id] = name
	return id, nil
}

// cut shortens a text for an error.
func cut(name string) string {
	if len(name) <= 80 {
		return name
	}
	return strings.ToValidUTF8(name[:80], "") + " …"
}

// cacheOf returns the cache that takes files of a name.
func (s *Store) cacheOf(name string) (anyCache, error) {
	for _, t := range s.caches {
		if t.fits(name) {
			return t, nil
		}
	}
	return nil, fmt.Errorf("%w: no cache takes %q", ErrNone, cut(name))
}

// LoadAny is Cache.Load for the cache that takes files of this name, for who does not know its type, such as a script:
// it returns the ID as a number. The first cache counts whose pattern fits. What is loaded is held for
// as long as the store lives; a second call for a path costs a look into a map. The error wraps ErrNone, ErrTooMany,
// [ecs.ErrConflict], or is one of the file system or of the loader.
func (s *Store) LoadAny(name string) (uint32, error) {
	if s.held[name] {
		return idOf(name), nil
	}
	id, err := s.loadAny(name)
	if err != nil {
		return 0, fmt.Errorf("asset: %w", err)
	}
	s.held[name] = true
	return id, nil
}

// loadAny loads a value.
func (s *Store) loadAny(name string) (uint32, error) {
	id, err := s.claim(name)
	if err != nil {
		return 0, err
	}
	t, err := s.cacheOf(name)
	if err != nil {
		return 0, err
	}
	if err := t.load(name, id, false); err != nil {
		return 0, err
	}
	s.paths.add(name)
	return id, nil
}

// Find returns the ID of a path without loading the value, for who only wants to know whether that would go: there is
// a cache that takes the file, and there is the file. It may be called from any goroutine, once all caches
// are registered. The error is one of LoadAny.
func (s *Store) Find(name string) (uint32, error) {
	id, err := s.claim(name)
	if err == nil {
		_, err = s.cacheOf(name)
	}
	if err == nil {
		_, err = fs.Stat(s.files, name)
	}
	if err != nil {
		return 0, fmt.Errorf("asset: %w", err)
	}
	return id, nil
}

// Paths returns the paths of all values that the world names, sorted.
func (s *Store) Paths() []string { return slices.Clone(s.paths.Paths) }

// Path returns the path of an ID; "" for one that nobody has used, or that Fetch has forgotten.
func (s *Store) Path(id uint32) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byID[id]
}

// Rename says that what an older save calls by one path has another now: components that hold the ID of the old path get
// the value of the new one. The error wraps ErrNone for what is no path.
func (s *Store) Rename(old, now string) error {
	if !fs.ValidPath(old) || !fs.ValidPath(now) || old == "." || now == "." {
		return fmt.Errorf("asset: %w: %q or %q is no path", ErrNone, cut(old), cut(now))
	}
	s.renamed[idOf(old)] = now
	return nil
}

// file returns the path at which the file of an ID lies now.
func (s *Store) file(id uint32, name string) string {
	if now, ok := s.renamed[id]; ok {
		return now
	}
	return name
}

// Fetch loads all values that the world's Paths name and that are not there: after a load, and after
// a restore. Paths that the world does not name any more, and that have no value, are forgotten. It returns the errors,
// each with its path, of at most 100 paths. What failed is tried again by the next call. O(paths).
func (s *Store) Fetch() error {
	if len(s.paths.Paths) > mostPaths {
		return fmt.Errorf("asset: %w: the world names %d, %d are possible", ErrTooMany, len(s.paths.Paths), mostPaths)
	}
	s.forget()
	var errs []error
	failed := 0
	for _, name := range s.paths.Paths {
		if err := s.fetch(name); err != nil {
			if failed++; failed <= mostErrors {
				errs = append(errs, fmt.Errorf("asset: %q: %w", cut(name), err))
			}
		}
	}
	if failed > mostErrors {
		errs = append(errs, fmt.Errorf("asset: and %d more", failed-mostErrors))
	}
	return errors.Join(errs...)
}

// forget makes room for other paths, after the world has become another one.
func (s *Store) forget() {
	kept := map[uint32]bool{}
	for _, t := range s.caches {
		for _, id := range t.loaded() {
			kept[id] = true
		}
	}
	for _, name := range s.paths.Paths {
		kept[idOf(name)] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.byID, func(id uint32, _ string) bool { return !kept[id] })
}

// fetch loads one value.
func (s *Store) fetch(name string) error {
	id, err := s.claim(name)
	if err != nil {
		return err
	}
	from := s.file(id, name)
	t, err := s.cacheOf(from)
	if err != nil {
		return err
	}
	return t.load(from, id, false)
}

// Reload loads the values again whose files have another size or time than when they were loaded, and returns
// their paths, sorted. A file that cannot be read or loaded leaves the old value; the errors are returned, each
// with its path, once for each version of the file.
func (s *Store) Reload() (changed []string, err error) {
	var errs []error
	for _, t := range s.caches {
		for _, id := range t.loaded() {
			name := s.file(id, s.Path(id))
			was, err := t.reload(id, name)
			if err != nil {
				errs = append(errs, fmt.Errorf("asset: %q: %w", name, err))
			} else if was {
				changed = append(changed, name)
			}
		}
	}
	slices.Sort(changed)
	return changed, errors.Join(errs...)
}

// Collect lets all values go that nobody holds and no component names, and returns their paths,
// sorted. The values of prefabs count, too. O(values of all components).
func (s *Store) Collect() (gone []string) {
	named := s.named()
	for _, t := range s.caches {
		for _, id := range t.loaded() {
			if name := s.Path(id); !named[id] && !s.held[name] && t.drop(id) {
				gone = append(gone, name)
			}
		}
	}
	slices.Sort(gone)
	s.paths.Paths = slices.DeleteFunc(s.paths.Paths, func(name string) bool {
		_, found := slices.BinarySearch(gone, name)
		return found
	})
	return gone
}

// named returns the numbers that components hold.
func (s *Store) named() map[uint32]bool {
	raw, named := s.world.Raw(), map[uint32]bool{}
	places := map[ecs.ComponentID][]uintptr{}
	for id := range raw.ComponentCount() {
		c := ecs.ComponentID(id)
		if list := numbersIn(nil, raw.Schema(c).Fields, 0); len(list) > 0 {
			places[c] = list
		}
	}
	var ids []ecs.ComponentID
	for slot := range raw.Slots() {
		e := raw.At(uint32(slot))
		if e == 0 {
			continue
		}
		ids = raw.Components(e, ids[:0])
		for _, c := range ids {
			if list := places[c]; list != nil {
				value := raw.Pointer(e, c)
				for _, at := range list {
					named[*(*uint32)(unsafe.Add(value, at))] = true
				}
			}
		}
	}
	return named
}

// numbersIn lists the places of the fields that may hold an ID.
func numbersIn(list []uintptr, fields []schema.Field, base uintptr) []uintptr {
	for i := range fields {
		f := &fields[i]
		for j := range max(f.Len, 1) {
			at := base + f.Offset + uintptr(j)*f.Stride
			switch f.Kind {
			case schema.U32:
				list = append(list, at)
			case schema.Struct:
				list = numbersIn(list, f.Fields, at)
			}
		}
	}
	return list
}

// matches reports whether the last name of a path fits one of some patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, path.Base(name))
		return ok
	})
}
