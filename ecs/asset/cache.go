package asset

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
)

// ID stands for a value of type T in a cache. It is a number that components hold and scripts see;
// 0 stands for nothing.
type ID[T any] uint32

// IDOf returns the ID of a path, whether there is such a file or not.
func IDOf[T any](name string) ID[T] { return ID[T](idOf(name)) }

// Cache has the values of one type.
type Cache[T any] struct {
	store    *Store
	loader   func(fs.FS, string) (T, error)
	patterns []string
	values   map[uint32]*cached[T]
}

// cached is a value that was loaded.
type cached[T any] struct {
	value   T
	holds   int
	version uint64
	size    int64
	time    time.Time
}

// Register adds a cache to a store: load makes a value of a file, and patterns say of which files, as
// [path.Match] has them for the last name of a path ("*.png"). The value is shared: nobody changes it
// after load has returned it. The error wraps [ecs.ErrConflict] for a nil store or function, no pattern, a bad one,
// or a type that has a cache.
func Register[T any](s *Store, load func(files fs.FS, name string) (T, error), patterns ...string) (*Cache[T], error) {
	if s == nil || load == nil || len(patterns) == 0 {
		return nil, fmt.Errorf("asset: %w: a cache needs a store, a function and a pattern", ecs.ErrConflict)
	}
	for _, p := range patterns {
		if _, err := path.Match(p, "x"); err != nil {
			return nil, fmt.Errorf("asset: %w: pattern %q: %w", ecs.ErrConflict, p, err)
		}
	}
	t := &Cache[T]{store: s, loader: load, patterns: patterns, values: map[uint32]*cached[T]{}}
	for _, other := range s.caches {
		if other.typeOf() == t.typeOf() {
			return nil, fmt.Errorf("asset: %w: there is a cache of %s", ecs.ErrConflict, t.typeOf())
		}
	}
	s.caches = append(s.caches, t)
	return t, nil
}

// Load loads the value of a path if it is not there, and holds it. The error wraps ErrNone for a path
// that the patterns do not fit, ErrTooMany, [ecs.ErrConflict] for one that has the ID of another, or it is one of
// the file system or of the loader; then nothing is held.
func (t *Cache[T]) Load(name string) (ID[T], error) {
	id, err := t.hold(name)
	if err != nil {
		return 0, fmt.Errorf("asset: %w", err)
	}
	return ID[T](id), nil
}

// hold is Load without the name of the package in errors.
func (t *Cache[T]) hold(name string) (uint32, error) {
	id, err := t.claim(name)
	if err != nil {
		return 0, err
	}
	if err := t.load(name, id, true); err != nil {
		return 0, err
	}
	t.store.paths.add(name)
	return id, nil
}

// Put makes a value that the program has made itself, or has read on another goroutine, the value of a path, and holds it.
// An older value is replaced, as by [Store.Reload]. There need not be such a file. The error is one of Load.
func (t *Cache[T]) Put(name string, v T) (ID[T], error) {
	id, err := t.claim(name)
	if err != nil {
		return 0, fmt.Errorf("asset: %w", err)
	}
	now := &cached[T]{value: v, holds: 1, version: 1, size: -1}
	if info, err := fs.Stat(t.store.files, name); err == nil {
		now.size, now.time = info.Size(), info.ModTime()
	}
	if old := t.at(id); old != nil {
		now.holds, now.version = old.holds+1, old.version+1
	}
	t.put(id, now)
	t.store.paths.add(name)
	return ID[T](id), nil
}

// claim notes a path that the cache takes.
func (t *Cache[T]) claim(name string) (uint32, error) {
	id, err := t.store.claim(name)
	if err == nil && !t.fits(name) {
		err = fmt.Errorf("%w: the cache of %s takes no %q", ErrNone, t.typeOf(), cut(name))
	}
	return id, err
}

// Release ends a hold of Load or Put, and reports whether there was one. The value stays until
// [Store.Collect].
func (t *Cache[T]) Release(id ID[T]) bool {
	v := t.at(uint32(id))
	if v == nil || v.holds == 0 {
		return false
	}
	v.holds--
	return true
}

// Get returns the value of an ID, if it is loaded.
func (t *Cache[T]) Get(id ID[T]) (T, bool) {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	if v := t.values[uint32(id)]; v != nil {
		return v.value, true
	}
	var none T
	return none, false
}

// Version says how often the value was loaded: 1 at first, one more after each Reload that has found
// the file changed, 0 for one that is not loaded.
func (t *Cache[T]) Version(id ID[T]) uint64 {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	if v := t.values[uint32(id)]; v != nil {
		return v.version
	}
	return 0
}

// Len returns how many values are loaded.
func (t *Cache[T]) Len() int {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return len(t.values)
}

// read loads a file. A loader that panics has failed.
func (t *Cache[T]) read(name string) (v *cached[T], err error) {
	if t.store.loading[name] {
		return nil, fmt.Errorf("%w: %q loads itself, by way of others", ecs.ErrConflict, cut(name))
	}
	t.store.loading[name] = true
	defer delete(t.store.loading, name)
	info, err := fs.Stat(t.store.files, name)
	if err != nil {
		return nil, err
	}
	v = &cached[T]{version: 1, size: info.Size(), time: info.ModTime()}
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, fmt.Errorf("%q: the loader of %s panics: %v", cut(name), t.typeOf(), p)
		}
	}()
	if v.value, err = t.loader(t.store.files, name); err != nil {
		return nil, fmt.Errorf("%q: %w", cut(name), err)
	}
	return v, nil
}

// at returns what is loaded of an ID, nil for nothing.
func (t *Cache[T]) at(id uint32) *cached[T] {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return t.values[id]
}

// put makes something the value of an ID; nil takes it away.
func (t *Cache[T]) put(id uint32, v *cached[T]) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if v == nil {
		delete(t.values, id)
		return
	}
	t.values[id] = v
}

// The methods of anyCache, for the goroutine of the world.

func (t *Cache[T]) typeOf() reflect.Type  { return reflect.TypeFor[T]() }
func (t *Cache[T]) fits(name string) bool { return matches(t.patterns, name) }

// load loads a value if it is not there, and holds it if it is to be counted.
func (t *Cache[T]) load(name string, id uint32, count bool) error {
	v := t.at(id)
	if v == nil {
		var err error
		if v, err = t.read(name); err != nil {
			return err
		}
		t.put(id, v)
	}
	if count {
		v.holds++
	}
	return nil
}

// loaded lists the values.
func (t *Cache[T]) loaded() []uint32 {
	t.store.mu.RLock()
	defer t.store.mu.RUnlock()
	return slices.Sorted(maps.Keys(t.values))
}

// reload loads a value again if its file has changed, and reports whether it has.
func (t *Cache[T]) reload(id uint32, name string) (bool, error) {
	v := t.at(id)
	info, err := fs.Stat(t.store.files, name)
	switch {
	case err != nil && v.size < 0:
		return false, nil // this was said
	case err != nil:
		v.size = -1
		return false, err
	case info.Size() == v.size && info.ModTime().Equal(v.time):
		return false, nil
	}
	now, err := t.read(name)
	if v.size, v.time = info.Size(), info.ModTime(); err != nil {
		return false, err
	}
	now.holds, now.version = v.holds, v.version+1
	t.put(id, now)
	return true, nil
}

// drop lets a value go, unless somebody holds it.
func (t *Cache[T]) drop(id uint32) bool {
	if t.at(id).holds > 0 {
		return false
	}
	t.put(id, nil)
	return true
}
