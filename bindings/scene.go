package bindings

import (
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// Scenes are the scene files of a host, and the entities that were made of them.
type Scenes interface {
	// Known returns what is wrong with a text as the name of a scene; nil if a file has it. meant
	// proposes a name, here and below, and counts what that takes.
	Known(name string, meant func(name string, among func() []string) string) *diag.Error
	// Prepare reads a scene and finds the first that is wrong with it. loaded says that there is nothing
	// to do. charge gets the steps of the work before it is done. An error has its place in the
	// file, or none if it is the call's own.
	Prepare(name string, charge func(steps int), meant func(name string, among func() []string) string) (loaded bool, err *diag.Error)
	// Loaded reports whether a scene is loaded, or will be between two ticks.
	Loaded(name string) bool
	// Ask asks for a scene to be loaded, or unloaded, between two ticks.
	Ask(script, name string, load bool)
	// Of returns the scene of an entity and its name there, "" for one of no scene.
	Of(e ecs.Entity) (scene, name string)
	// Entity returns the living entity of a name in a scene that is loaded, 0 if there is none.
	Entity(scene, name string) ecs.Entity
}

// sceneFunctions change or ask for scenes.
func sceneFunctions() map[string]func(*args) int {
	return map[string]func(*args) int{
		"load_scene": loadScene, "unload_scene": unloadScene, "scene_of": sceneOf, "scene_entity": sceneEntity,
	}
}

// aScene is the name of a scene file. In a rehearsal nobody knows the files.
func aScene(a *args, i int) {
	name := a.text(i)
	if a.opts.Scenes == nil || a.opts.Scenes.Loaded(name) {
		return
	}
	if err := a.opts.Scenes.Known(name, a.meant); err != nil {
		a.sceneError(i, err)
	}
}

// meant is value.Meant.
func (a *args) meant(name string, among func() []string) string {
	return value.Meant(a.L, name, among())
}

// sceneError raises what is wrong with a scene: in its file, or at the argument.
func (a *args) sceneError(i int, err *diag.Error) {
	if err.Line > 0 {
		fault.Raise(a.L, err)
	}
	a.raise(err.On(a.place(fault.Argument(i))))
}

// scenes returns the scenes of the host.
func (a *args) scenes() Scenes {
	if a.opts.Scenes == nil {
		a.fail("this host has no scenes")
	}
	return a.opts.Scenes
}

// loadScene is ecs.load_scene(name): whether the scene will be loaded between two ticks, false if it
// is already. What is wrong with it is an error here; the request is a command of the call, so that
// it is dropped with the call.
func loadScene(a *args) int {
	c, name := a.changing(), a.text(1)
	s := a.scenes()
	loaded, err := s.Prepare(name, func(steps int) { a.chargeScene(name, steps) }, a.meant)
	switch {
	case err != nil:
		a.sceneError(1, err)
	case loaded:
		return a.truth(false)
	}
	script := c.Script
	c.Tick.Commands.Do(func(*ecs.World) error { s.Ask(script, name, true); return nil })
	return a.truth(true)
}

// chargeScene counts the instructions for which a scene counts, and says what to do where so many are not left.
func (a *args) chargeScene(name string, steps int) {
	left := lua.VM(a.L).Left()
	if int64(steps) <= left {
		value.Charge(a.L, steps)
		return
	}
	value.Take(a.L, steps)
	a.reached("Instructions", "the scene %q is too large for this call: it counts as %s instructions, and %s are left; split it into several files and load one in each tick, or ask the host to load it",
		name, diag.Grouped(int64(steps)), diag.Grouped(left))
}

// unloadScene is ecs.unload_scene(name): whether the scene will be unloaded between two ticks, false
// if it is not loaded.
func unloadScene(a *args) int {
	c, name := a.changing(), a.text(1)
	s := a.scenes()
	if aScene(a, 1); !s.Loaded(name) {
		return a.truth(false)
	}
	script := c.Script
	c.Tick.Commands.Do(func(*ecs.World) error { s.Ask(script, name, false); return nil })
	return a.truth(true)
}

// sceneOf is ecs.scene_of(e): the scene of an entity and its name there; nil for one of no scene.
func sceneOf(a *args) int {
	a.acting()
	scene, name := a.scenes().Of(a.handle(1))
	if scene == "" {
		return a.result(lua.LNil)
	}
	value.ChargeBytes(a.L, len(scene)+len(name))
	a.L.Push(lua.LString(scene))
	a.L.Push(lua.LString(name))
	return 2
}

// sceneEntity is ecs.scene_entity(scene, name): the entity of that name; nil while the scene is not
// loaded, and when the entity has died. A name that no file has is an error.
func sceneEntity(a *args) int {
	a.acting()
	s := a.scenes()
	aScene(a, 1)
	if e := s.Entity(a.text(1), a.text(2)); e != 0 {
		return a.numberResult(float64(e))
	}
	return a.result(lua.LNil)
}
