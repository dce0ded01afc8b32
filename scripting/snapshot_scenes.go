package scripting

import (
	"encoding/hex"
	"errors"
	"math"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/scene"
)

// What a save keeps of scenes, as JSON:
//
//	"scenes":[{"name":"camp","hash":"…","entities":[
//	  {"name":"guard","entity":4294967297,"prefab":"orc","targets":{"ChildOf":"fire"},
//	   "components":{"Health":{"hp":"30"}}}]}]
//
// The values of fields are texts, as package scene writes them: they are compared, and never read.

// appendScenes appends the scenes, if there are any.
func (x *Scripts) appendScenes(to []byte) []byte {
	if len(x.scenes) > 0 {
		to = append(to, `,"scenes":`...)
		to = x.items(to, len(x.scenes), func(to []byte, i int) []byte { return x.appendScene(to, x.scenes[i]) })
	}
	if len(x.asked) > 0 {
		to = append(to, `,"scenes_asked":`...)
		to = x.items(to, len(x.asked), func(to []byte, i int) []byte {
			r := x.asked[i]
			to = x.kept.AppendText(append(to, `{"script":`...), r.script)
			to = x.kept.AppendText(append(to, `,"name":`...), r.name)
			return append(strconv.AppendBool(append(to, `,"load":`...), r.load), '}')
		})
	}
	return to
}

// items appends a list.
func (x *Scripts) items(to []byte, n int, item func(to []byte, i int) []byte) []byte {
	to = append(to, '[')
	for i := range n {
		if i > 0 {
			to = append(to, ',')
		}
		to = item(append(to, '\n'), i)
	}
	return append(to, ']')
}

// pairs appends an object.
func (x *Scripts) pairs(to []byte, n int, item func(i int) (key string, value func(to []byte) []byte)) []byte {
	to = append(to, '{')
	for i := range n {
		if i > 0 {
			to = append(to, ',')
		}
		key, value := item(i)
		to = value(append(x.kept.AppendText(to, key), ':'))
	}
	return append(to, '}')
}

// word appends a text.
func (x *Scripts) word(s string) func([]byte) []byte {
	return func(to []byte) []byte { return x.kept.AppendText(to, s) }
}

func (x *Scripts) appendScene(to []byte, b *scene.Base) []byte {
	to = x.kept.AppendText(append(to, `{"name":`...), b.Name)
	to = append(hex.AppendEncode(append(to, `,"hash":"`...), b.Digest[:]), `","entities":`...)
	to = x.items(to, len(b.Entities), func(to []byte, i int) []byte { return x.appendLoaded(to, &b.Entities[i]) })
	return append(to, '}')
}

func (x *Scripts) appendLoaded(to []byte, l *scene.Loaded) []byte {
	to = x.kept.AppendText(append(to, `{"name":`...), l.Name)
	to = strconv.AppendUint(append(to, `,"entity":`...), uint64(l.Entity), 10)
	if l.Prefab != "" {
		to = x.kept.AppendText(append(to, `,"prefab":`...), l.Prefab)
	}
	if len(l.Links) > 0 {
		to = x.pairs(append(to, `,"targets":`...), len(l.Links), func(i int) (string, func([]byte) []byte) {
			return l.Links[i].Relation, x.word(l.Links[i].Target)
		})
	}
	to = x.pairs(append(to, `,"components":`...), len(l.Components), func(i int) (string, func([]byte) []byte) {
		c := &l.Components[i]
		return c.Name, func(to []byte) []byte {
			return x.pairs(to, len(c.Fields), func(i int) (string, func([]byte) []byte) {
				return c.Fields[i].Path, x.word(c.Fields[i].Text)
			})
		}
	})
	return append(to, '}')
}

// perSceneNote is about what a thing of a scene takes beside its texts.
const perSceneNote = 64

// readScene reads a scene. Known has the names of those before.
func (x *Scripts) readScene(r *bindings.KeptReader, known map[string]bool) error {
	if err := r.Note(4 * perSceneNote); err != nil {
		return err
	}
	b := &scene.Base{}
	err := r.Object(func(key string) (err error) {
		switch key {
		case "name":
			b.Name, err = r.Text()
		case "hash":
			var word string
			if word, err = r.Text(); err == nil {
				var s keptScript
				err = s.readHash(word)
				b.Digest = s.digest
			}
		case "entities":
			return r.List(func() error { return readLoaded(r, b) })
		default:
			err = r.Unknown()
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case !b.Index() || b.Name == "" || known[b.Name]:
		return errors.New("scenes: a name or an entity stands twice, or is missing")
	}
	known[b.Name] = true
	x.scenes = append(x.scenes, b)
	return nil
}

// readLoaded reads an entity of a scene.
func readLoaded(r *bindings.KeptReader, b *scene.Base) error {
	if err := r.Note(4 * perSceneNote); err != nil {
		return err
	}
	var l scene.Loaded
	err := r.Object(func(key string) (err error) {
		switch key {
		case "name":
			l.Name, err = r.Text()
		case "entity":
			var n uint64
			n, err = r.Integer(1, math.MaxUint64)
			l.Entity = ecs.Entity(n)
		case "prefab":
			l.Prefab, err = r.Text()
		case "targets":
			return r.Named(func(relation string) error {
				target, err := readNoted(r)
				l.Links = append(l.Links, scene.LoadedLink{Relation: relation, Target: target})
				return err
			})
		case "components":
			return r.Named(func(name string) error {
				c := scene.LoadedComponent{Name: name}
				if err := r.Note(perSceneNote); err != nil {
					return err
				}
				err := r.Named(func(path string) error {
					text, err := readNoted(r)
					c.Fields = append(c.Fields, scene.LoadedField{Path: path, Text: text})
					return err
				})
				l.Components = append(l.Components, c)
				return err
			})
		default:
			err = r.Unknown()
		}
		return err
	})
	b.Entities = append(b.Entities, l)
	switch {
	case err == nil && (scene.Name(l.Name) != "" || l.Entity == 0):
		return errors.New("scenes: an entity has no name, or is none")
	}
	return err
}

// readNoted reads a text that takes a note.
func readNoted(r *bindings.KeptReader) (string, error) {
	if err := r.Note(perSceneNote); err != nil {
		return "", err
	}
	return r.Text()
}

// readAsked reads what a script has asked for.
func (x *Scripts) readAsked(r *bindings.KeptReader) error {
	if err := r.Note(perSceneNote); err != nil {
		return err
	}
	var q sceneRequest
	err := r.Object(func(key string) (err error) {
		switch key {
		case "script":
			q.script, err = r.Text()
		case "name":
			q.name, err = r.Text()
		case "load":
			q.load, err = r.Truth()
		default:
			err = r.Unknown()
		}
		return err
	})
	x.asked = append(x.asked, q)
	return err
}

// SceneEntity is an entity of a scene that was loaded when [Scripts] were kept.
type SceneEntity struct {
	Scene, Name string
	Prefab      string     // that the scene names for it, "" for none
	Entity      ecs.Entity // it may have died since
	// Components are those that the scene gives it, directly or by its prefab. The game may have removed
	// some, and added others.
	Components []string
}

// SceneEntities lists the entities of all scenes, in the order in which these were loaded. O(entities
// of scenes).
func (x *Scripts) SceneEntities() (list []SceneEntity) {
	if x == nil {
		return nil
	}
	for _, b := range x.scenes {
		for i := range b.Entities {
			l := &b.Entities[i]
			e := SceneEntity{Scene: b.Name, Name: l.Name, Prefab: l.Prefab, Entity: l.Entity}
			for k := range l.Components {
				e.Components = append(e.Components, l.Components[k].Name)
			}
			list = append(list, e)
		}
	}
	return list
}
