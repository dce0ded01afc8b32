package scripting

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/scene"
)

// Scenes are data files in the folder scenes: see package scene, which reads them and knows the rule
// by which they are loaded. Here is what the host adds: where the files come from, when scenes are
// loaded and unloaded, and how a file that is saved reaches the scene that is loaded.
//
// A scene is loaded between two ticks. Scripts ask for it in a tick, by a command: what is wrong
// with the file or its names is an error of the call, and the entities come when the host's step has
// made the tick, all of them or none.

// sceneFolder is where scenes lie.
const sceneFolder = "scenes/"

// isScene reports whether a path names a scene.
func isScene(path string) bool {
	return strings.HasPrefix(path, sceneFolder) && isDataFile(path) && !strings.HasSuffix(path, ".csv")
}

// sceneHint returns what was meant by a name: " (did you mean …?)", or nothing.
type sceneHint = func(name string, among func() []string) string

// sceneRequest is what a script has asked for.
type sceneRequest struct {
	script, name string
	load         bool
}

// sceneSet are the scenes of a host.
//
// Invariant: loaded is in the order of loading, without a name twice, and nothing in it is changed;
// files has the source of each that is loaded by a file of this folder.
type sceneSet struct {
	h      *Host
	loaded []*scene.Base
	files  map[string]*source // that were read, by path: with what is in them, or with problems
	queue  []sceneRequest
	stale  bool // a snapshot has brought scenes whose files may be others by now
	fresh  bool // files were read that goroutines which stage do not know of
}

// Known implements [bindings.Scenes].
func (s *sceneSet) Known(name string, meant sceneHint) *diag.Error {
	_, err := s.file(name, meant)
	return err
}

// Loaded implements [bindings.Scenes]: what was asked for counts.
func (s *sceneSet) Loaded(name string) bool {
	loaded := s.find(name) != nil
	for _, r := range s.queue {
		if r.name == name {
			loaded = r.load
		}
	}
	return loaded
}

// find returns a scene that is loaded, or nil.
func (s *sceneSet) find(name string) *scene.Base {
	for _, b := range s.loaded {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// Ask implements [bindings.Scenes].
func (s *sceneSet) Ask(script, name string, load bool) {
	if s.Loaded(name) != load {
		s.queue = append(s.queue, sceneRequest{script, name, load})
	}
}

// Of implements [bindings.Scenes].
func (s *sceneSet) Of(e ecs.Entity) (string, string) {
	for _, b := range s.loaded {
		if name := b.NameOf(e); name != "" {
			return b.Name, name
		}
	}
	return "", ""
}

// Entity implements [bindings.Scenes].
func (s *sceneSet) Entity(name, entity string) ecs.Entity {
	if e := s.find(name).Find(entity); e != nil && s.h.world.Alive(e.Entity) {
		return e.Entity
	}
	return 0
}

// Prepare implements [bindings.Scenes].
func (s *sceneSet) Prepare(name string, charge func(steps int), meant sceneHint) (loaded bool, err *diag.Error) {
	if s.Loaded(name) {
		return true, nil
	}
	f, err := s.file(name, meant)
	if err != nil {
		return false, err
	}
	if f.data != nil {
		charge(stepsPerSceneValue * f.data.Values)
	}
	if _, problems := s.plan(f, 1, meant); len(problems) > 0 {
		problem := *problems[0]
		return false, &problem
	}
	return false, nil
}

// stepsPerSceneValue is what it counts as to hold a value of a scene against the world, here and when the scene
// is made after the tick, and to spawn what has it.
const stepsPerSceneValue = 60

// paths are the files that a scene may be.
func scenePaths(name string) []string {
	return []string{sceneFolder + name + ".lua", sceneFolder + name + ".json"}
}

// sceneName is the name of the scene in a file.
func sceneName(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(file, sceneFolder), path.Ext(file))
}

// file returns the file of a scene, read. It may have problems.
func (s *sceneSet) file(name string, meant sceneHint) (*source, *diag.Error) {
	if len(name) > longestDataName || !isScene(scenePaths(name)[0]) || !nameable(name) || !fs.ValidPath(name) {
		return nil, diag.New("%q is no name of a scene: write that of a file in the folder scenes, without .lua or .json", diag.Cut(name))
	}
	var found *source
	for _, file := range scenePaths(name) {
		f := s.read(file)
		switch {
		case f == nil:
		case found != nil:
			return nil, diag.New("there are two files of the scene %q, %s and %s: remove one of them", name, found.name, f.name)
		default:
			found = f
		}
	}
	if found == nil {
		return nil, diag.New("the folder scenes has no scene %q%s", diag.Cut(name), meant(name, s.names))
	}
	return found, nil
}

// read returns a file of the folder, nil if it does not exist.
func (s *sceneSet) read(file string) *source {
	if f := s.files[file]; f != nil {
		return f
	}
	f := s.h.dataFolder.read(file)
	if f.data == nil && len(f.problems) == 0 {
		return nil
	}
	s.keep(file, f)
	return f
}

// keep keeps a file that was read. When they are many, those are let go of that are not loaded.
func (s *sceneSet) keep(file string, f *source) {
	bytes := int64(len(f.text))
	for _, other := range s.files {
		bytes += int64(len(other.text))
	}
	l := s.h.limits
	if l.Files > 0 && len(s.files) >= l.Files || l.FolderBytes > 0 && bytes > l.FolderBytes {
		maps.DeleteFunc(s.files, func(file string, _ *source) bool { return s.find(sceneName(file)) == nil })
	}
	s.files[file], s.fresh = f, true
}

// tell tells goroutines that stage which files there are.
func (s *sceneSet) tell() {
	if !s.fresh {
		return
	}
	s.fresh = false
	s.h.publishScenes()
}

// readAll reads all scenes of the folder, so that whoever records a game has their texts. What is wrong
// with one is said to who asks for it.
func (s *sceneSet) readAll() {
	for _, file := range s.h.dataFolder.scenes() {
		s.read(file)
	}
}

// names lists the scenes of the files that were read: Load reads all. To look into the folder would take a step as long
// as there are files.
func (s *sceneSet) names() []string {
	names := make([]string, 0, len(s.files))
	for file := range s.files {
		names = append(names, sceneName(file))
	}
	return names
}

// plan holds a file against the world. It looks for so many problems, zero for as many as one reads, and asks what was
// meant by names.
func (s *sceneSet) plan(f *source, most int, meant sceneHint) (*scene.Proposal, []*Error) {
	if len(f.problems) > 0 {
		return nil, f.problems
	}
	read, problems := scene.Read(f.data)
	if len(problems) > 0 {
		return nil, problems
	}
	ground := s.world()
	ground.Problems, ground.Meant = most, meant
	return scene.NewPlan(read, ground)
}

// world is what scenes are held against.
func (s *sceneSet) world() scene.Ground {
	h := s.h
	return scene.Ground{
		Raw: h.world.Raw(), ChildOf: h.world.ChildOf(), Entities: h.limits.Spawned, Bytes: h.limits.CommandBytes,
		Prefab:  func(name string) (*bindings.Template, *diag.Error) { return h.binding.Prefab(h.declared(), name) },
		Prefabs: func() []string { return bindings.PrefabNames(h.declared()) },
	}
}

// sceneStep is one scene that is to become what its file says.
type sceneStep struct {
	name   string
	plan   *scene.Proposal // nil: it is unloaded
	digest [32]byte
}

// step plans a scene of a file, see plan.
func (s *sceneSet) step(f *source, most int, meant sceneHint) (sceneStep, []*Error) {
	plan, problems := s.plan(f, most, meant)
	return sceneStep{sceneName(f.name), plan, sha256.Sum256(f.text)}, problems
}

// make brings scenes to what their files say: all of them, or none if the world refuses one. The first
// error says why; others are what observers and systems of the host have done wrong then.
func (s *sceneSet) make(steps ...sceneStep) (all []scene.Outcome, refused, others error) {
	next := make([]*scene.Base, len(steps))
	all = make([]scene.Outcome, len(steps))
	others = s.h.world.Raw().RunClaimed("scenes", func(t *ecs.Tick) (err error) {
		for i, step := range steps {
			if next[i], all[i], err = scene.Load(t.Commands, s.world(), s.find(step.name), step.plan); err != nil {
				refused = fmt.Errorf("the scene %q: %w", step.name, err)
				return refused
			}
		}
		return nil
	})
	if refused == nil && others != nil && s.unfinished(next) {
		s.takeBack(next)
		refused = others
	}
	if refused != nil {
		return nil, refused, nil
	}
	for i, step := range steps {
		s.adopt(step, next[i])
	}
	return all, nil, others
}

// unfinished reports whether entities that a load has made are not there, for want of memory.
func (s *sceneSet) unfinished(next []*scene.Base) bool {
	for _, b := range next {
		for i := range b.Entities {
			e := b.Entities[i].Entity
			if s.find(b.Name).NameOf(e) == "" && !s.h.world.Alive(e) {
				return true
			}
		}
	}
	return false
}

// takeBack ends the entities that a load has made.
func (s *sceneSet) takeBack(next []*scene.Base) {
	for _, b := range next {
		for i := range b.Entities {
			if e := b.Entities[i].Entity; s.find(b.Name).NameOf(e) == "" && s.h.world.Alive(e) {
				_ = s.h.world.Despawn(e)
			}
		}
	}
}

// adopt puts a base in force.
func (s *sceneSet) adopt(step sceneStep, next *scene.Base) {
	at := slices.IndexFunc(s.loaded, func(b *scene.Base) bool { return b.Name == step.name })
	s.loaded = slices.Clone(s.loaded) // a snapshot may have the old list
	if step.plan == nil {
		s.loaded = slices.Delete(s.loaded, at, at+1)
		return
	}
	next.Name, next.Digest = step.name, step.digest
	if at >= 0 {
		s.loaded[at] = next
	} else {
		s.loaded = append(s.loaded, next)
	}
}

// serve does what scripts have asked for since the last time, and returns what of it has failed as the
// host's own.
func (s *sceneSet) serve() (own []error) {
	queue := s.queue
	if s.queue = nil; len(queue) == 0 {
		return nil
	}
	defer s.tell()
	spawned, meant := 0, new(diag.Quota).DidYouMean
	for _, r := range queue {
		if r.load == (s.find(r.name) != nil) {
			continue
		}
		step := sceneStep{name: r.name}
		if r.load {
			f, err := s.file(r.name, meant)
			var problems []*Error
			if err == nil {
				step, problems = s.step(f, 1, meant)
			} else {
				problems = []*Error{err}
			}
			if len(problems) > 0 { // the file has changed since
				s.fault(r, problems[0])
				continue
			}
			if spawned += step.plan.Size; s.h.limits.TickSpawned > 0 && spawned > s.h.limits.TickSpawned {
				s.fault(r, diag.Reached("TickSpawned", "the scenes of this tick have %s entities", diag.Grouped(int64(spawned))))
				continue
			}
		}
		_, refused, others := s.make(step)
		if refused != nil {
			e := diag.New("%s", refused)
			e.Err = refused
			s.fault(r, e)
		}
		own = append(own, s.h.failed(others)...)
	}
	return own
}

// fault reports that what a script has asked for is not done.
func (s *sceneSet) fault(r sceneRequest, e *Error) {
	problem := *e
	if problem.Script == "" {
		problem.Script, problem.Message = r.script, diag.Format("ecs.load_scene(%q): ", r.name)+problem.Message
	}
	_, problem.Tick = s.h.world.Time()
	s.h.note(&problem)
}

// LoadScene reads the scene of a name, scenes/NAME.lua or scenes/NAME.json in the folder of the
// scripts, and makes its entities, all of them or none. Call it between two steps, after Load. A scene
// that is loaded already stays as it is.
//
// The error is a *[LoadError] with all that is wrong with the file, each with its line and column:
// components, fields, prefabs and relations that do not exist, values of other types, names that lead
// to no entity, circles of parents, more entities than Limits.Spawned. Or it wraps what the world
// says, [ecs.ErrEntityLimit] for example; [ecs.ErrUnknown] if there is no such scene; [ErrClosed].
// What observers of the host do wrong then comes back, too, with the scene loaded; what those of
// scripts do is a fault.
func (h *Host) LoadScene(name string) error {
	return h.changeScene("LoadScene", name, func(s *sceneSet) (*sceneStep, error) {
		if s.find(name) != nil {
			return nil, nil
		}
		f, err := s.file(name, new(diag.Quota).DidYouMean)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", ecs.ErrUnknown, err.Message)
		}
		step, problems := s.step(f, 0, nil)
		if len(problems) > 0 {
			return nil, h.loadError(problems)
		}
		return &step, nil
	})
}

// UnloadScene despawns the entities of a scene, with all below them, whatever the game has made of
// them. The error wraps [ecs.ErrUnknown] if no scene of the name is loaded, [ecs.ErrConflict] if a
// relation forbids the end of an entity; then nothing has changed.
func (h *Host) UnloadScene(name string) error {
	return h.changeScene("UnloadScene", name, func(s *sceneSet) (*sceneStep, error) {
		if s.find(name) == nil {
			return nil, fmt.Errorf("%w: no scene %q is loaded", ecs.ErrUnknown, diag.Cut(name))
		}
		return &sceneStep{name: name}, nil
	})
}

// loadError makes the error of a file.
func (h *Host) loadError(problems []*Error) error {
	h.interpreter.complete(problems)
	return &LoadError{sortProblems(slices.Clone(problems))}
}

// changeScene does one thing between two steps. plan returns no step if there is nothing to do.
func (h *Host) changeScene(method, name string, plan func(*sceneSet) (*sceneStep, error)) error {
	if err := h.enter(changingScene); err != nil {
		return err
	}
	defer h.leave()
	if err := h.world.Raw().Ready(); err != nil {
		return fmt.Errorf("scripting: %s: %w", method, err)
	}
	step, err := plan(&h.scenes)
	if err == nil && step != nil {
		h.limiter.newTick(len(h.live)) // observers have what calls of a tick have
		var others error
		_, err, others = h.scenes.make(*step)
		h.scenes.tell()
		h.binding.Settle()
		err = errors.Join(append([]error{err}, h.failed(others)...)...)
	}
	if err != nil {
		if l, ok := err.(*LoadError); ok {
			return l
		}
		return fmt.Errorf("scripting: %s: %w", method, err)
	}
	return nil
}

// Scenes returns the names of the scenes that are loaded, in the order in which they were.
func (h *Host) Scenes() (names []string) {
	if h.gone() {
		return nil
	}
	for _, b := range h.scenes.loaded {
		names = append(names, b.Name)
	}
	return names
}

// SceneOf returns the scene that an entity was loaded with, and its name there; "" for an entity of
// no scene, as those below a prefab are.
func (h *Host) SceneOf(e ecs.Entity) (scene, name string) {
	if h.gone() {
		return "", ""
	}
	return h.scenes.Of(e)
}

// SceneEntity returns the entity of a name in a scene, 0 if the scene is not loaded, has no such
// entity, or the entity has died.
func (h *Host) SceneEntity(scene, name string) ecs.Entity {
	if h.gone() {
		return 0
	}
	return h.scenes.Entity(scene, name)
}

// SceneSyntax is how [Host.WriteScene] writes.
type SceneSyntax = scene.Syntax

// The syntaxes of scenes.
const (
	SceneLua  = scene.Lua
	SceneJSON = scene.JSON
)

// WriteScene writes the entities that a query finds as a scene, in the query's order: all of their
// components with all fields that scripts see, parents, relations, and references to each other by
// name. Loaded again, it makes entities that are equal but for what left lists. Those of a scene keep their names. left lists
// what a scene cannot say: what leads to entities that the query does not find, fields of Go types such as maps, whole numbers beyond
// 2⁵³, texts that are no UTF-8, parents where more than 500 entities are above each other. Nothing is changed. The error wraps [ecs.ErrConflict] for a query of
// another world, [ErrClosed] or [ecs.ErrIterating].
func (h *Host) WriteScene(q *ecs.Query, syntax SceneSyntax) (text []byte, left []string, err error) {
	if err := h.enter(writingScene); err != nil {
		return nil, nil, err
	}
	defer h.leave()
	if err := h.world.Raw().Ready(); err != nil {
		return nil, nil, fmt.Errorf("scripting: WriteScene: %w", err)
	}
	if q == nil || syntax > SceneJSON {
		return nil, nil, fmt.Errorf("scripting: WriteScene: %w: no query, or no syntax", ecs.ErrConflict)
	}
	var list []ecs.Entity
	for c := range q.Chunks() {
		list = append(list, c.Entities()...)
	}
	for _, e := range list {
		if !h.world.Alive(e) {
			return nil, nil, fmt.Errorf("scripting: WriteScene: %w: the query is of another world", ecs.ErrConflict)
		}
	}
	known := func(e ecs.Entity) string { _, name := h.scenes.Of(e); return name }
	text, omitted := scene.Write(h.scenes.world(), list, scene.Writing{Syntax: syntax, Name: known})
	for _, o := range omitted {
		left = append(left, o.Text)
	}
	return text, left, nil
}

// SceneSchema returns the JSON Schema of scenes, of the draft 2020-12, as the world is now: for
// editors of scenes in JSON. The error wraps [ErrClosed].
func (h *Host) SceneSchema() ([]byte, error) {
	if h.gone() {
		return nil, fmt.Errorf("scripting: SceneSchema: %w", ErrClosed)
	}
	return scene.JSONSchema(h.scenes.world()), nil
}

// checkFiles reads all scenes of the folder, and all data files in the folder data, and returns what is
// wrong with them.
func (h *Host) checkFiles() (problems []*Error) {
	names := h.dataFolder.names()
	slices.Sort(names)
	seen := map[string]string{}
	for _, file := range names {
		switch {
		case isScene(file):
			if other := seen[sceneName(file)]; other != "" {
				problems = append(problems, &Error{Script: file, Line: 1, Column: 1, Message: "the scene has another file, " + other + ": remove one of them"})
			}
			seen[sceneName(file)] = file
			if f := h.scenes.read(file); f != nil {
				_, list := h.scenes.plan(f, 0, nil)
				problems = append(problems, list...)
			}
		case strings.HasPrefix(file, "data/") && h.dataFiles[file] == nil:
			problems = append(problems, h.dataFolder.read(file).problems...)
		}
	}
	h.interpreter.complete(problems)
	return sortProblems(slices.Clone(problems))
}

// takeStaged takes the files of scenes out of a set that was staged. A file that scripts read with
// ecs.data stays in the set, too.
func (s *sceneSet) takeStaged(p *pending) map[string]*source {
	staged := map[string]*source{}
	asked := p.seen.asked()
	for name, f := range p.texts {
		if !isScene(name) {
			continue
		}
		staged[name] = f
		if !asked[name] {
			delete(p.texts, name)
		}
	}
	return staged
}

// reload brings the scenes of files that were saved to what these say now: all of them, or none.
func (s *sceneSet) reload(staged map[string]*source) (r Reload) {
	began := time.Now()
	defer func() { r.Held = time.Since(began); r.Took = r.Held }()
	r = newReload(staged)
	r.ofScenes = true
	var steps []sceneStep
	var problems []*Error
	meant := new(diag.Quota).DidYouMean
	for _, file := range slices.Concat(r.Removed, r.Changed) {
		f, name := staged[file], sceneName(file)
		b := s.find(name)
		switch {
		case b == nil: // it is held against the world when somebody asks for it
			r.Notes = append(r.Notes, fmt.Sprintf("scene %s is not loaded", name))
		case f.removed && s.replaced(name, staged):
		case f.removed:
			steps = append(steps, sceneStep{name: name})
		default:
			step, list := s.step(f, 0, meant)
			steps, problems = append(steps, step), append(problems, list...)
		}
	}
	if len(problems) > 0 {
		r.Err = s.h.loadError(problems)
		return r
	}
	all, refused, others := s.make(steps...)
	if refused != nil {
		r.Err = &LoadError{[]*Error{{Script: r.first(), Message: refused.Error(), Err: refused}}}
		return r
	}
	s.h.swapErrors = append(s.h.swapErrors, others)
	for file, f := range staged {
		if delete(s.files, file); !f.removed {
			s.keep(file, f)
		}
	}
	r.Scenes = len(steps)
	for i, c := range all {
		r.Notes = append(r.Notes, fmt.Sprintf("scene %s: %s", steps[i].name, sayChanges(c)))
	}
	return r
}

// replaced reports whether the other file of a scene, in the other syntax, comes with the same set.
func (s *sceneSet) replaced(name string, staged map[string]*source) bool {
	return slices.ContainsFunc(scenePaths(name), func(file string) bool { return staged[file] != nil && !staged[file].removed })
}

// first names a file of the verdict.
func (r *Reload) first() string { return append(slices.Clone(r.Changed), r.Removed...)[0] }

// sayChanges says what a load has done.
func sayChanges(c scene.Outcome) string {
	text := fmt.Sprintf("%s spawned, %d despawned, %s changed", diag.Plural(c.Spawned, "entity"), c.Despawned, diag.Plural(c.Set, "value"))
	if c.Kept > 0 {
		text += fmt.Sprintf(", %d kept as the game has made them", c.Kept)
	}
	return text
}

// catchUp stages the files of scenes that a snapshot has brought, if they say something else than they
// did at the capture.
func (s *sceneSet) catchUp() map[string]*source {
	if !s.stale {
		return nil
	}
	s.stale = false
	changed := map[string]*source{}
	for _, b := range s.loaded {
		if f, err := s.file(b.Name, new(diag.Quota).DidYouMean); err == nil && sha256.Sum256(f.text) != b.Digest {
			changed[f.name] = f
		}
	}
	return changed
}
