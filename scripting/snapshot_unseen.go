package scripting

import (
	"encoding/hex"
	"errors"
	"slices"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings"
)

// Unseen reports whether a component, or an event, was one of a script that was gone at the capture, and had
// values all the same, or events that waited. No file declares it then, so whoever loads such a
// save declares it, as package saves does; what a file or the program declared at the capture is never unseen.
func (x *Scripts) Unseen(name string, event bool) bool {
	return x != nil && slices.Contains(x.unseen, bindings.Unseen{Event: event, Name: name})
}

// appendGone appends the scripts that are gone and the unseen types, if there are any.
func (x *Scripts) appendGone(to []byte) []byte {
	if len(x.gone) > 0 {
		to = x.items(append(to, `,"gone":`...), len(x.gone), func(to []byte, i int) []byte {
			s := &x.gone[i]
			to = s.appendStarted(x.kept.AppendText(append(to, `{"name":`...), s.name))
			if s.digest != [32]byte{} {
				to = append(hex.AppendEncode(append(to, `,"hash":"`...), s.digest[:]), '"')
			}
			if s.went > 0 {
				to = strconv.AppendUint(append(to, `,"went":`...), s.went, 10)
			}
			return append(to, '}')
		})
	}
	if len(x.unseen) == 0 {
		return to
	}
	return x.items(append(to, `,"unseen":`...), len(x.unseen), func(to []byte, i int) []byte {
		to = x.kept.AppendText(append(to, `{"name":`...), x.unseen[i].Name)
		return append(strconv.AppendBool(append(to, `,"event":`...), x.unseen[i].Event), '}')
	})
}

// readGone reads a script that is gone.
func (x *Scripts) readGone(r *bindings.KeptReader) error {
	var s goneScript
	err := s.read(r, func(key string) (err error) {
		if key != "went" {
			return r.Unknown()
		}
		s.went, err = r.Integer(0, mostCount)
		return err
	})
	x.gone = append(x.gone, s)
	return err
}

// readUnseen reads one.
func (x *Scripts) readUnseen(r *bindings.KeptReader) error {
	if err := r.Note(perSceneNote); err != nil {
		return err
	}
	var u bindings.Unseen
	err := r.Object(func(key string) (err error) {
		switch key {
		case "name":
			u.Name, err = r.Text()
		case "event":
			u.Event, err = r.Truth()
		default:
			err = r.Unknown()
		}
		return err
	})
	if err == nil && u.Name == "" {
		err = errors.New("expected a name")
	}
	x.unseen = append(x.unseen, u)
	return err
}
