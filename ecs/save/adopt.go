package save

import (
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// adopts reports whether a component of the save that this world does not have is to be defined in it. What only a Go
// type could say cannot be: it stays lost. A component that has another name in this world is no such one.
func (l *saveLoader) adopts(e *componentEntry) bool {
	if l.options.Adopts == nil || e.Name == "" || e.Entities == 0 || e.Mark || e.Relation || e.onHeap() || e.Hidden > 0 || l.find(e, e.Name) >= 0 {
		return false
	}
	if now := l.renamed(e); now != "" && l.find(e, now) >= 0 {
		return false
	}
	return l.options.Adopts(e.Name, false)
}

// adopt makes a component one of the state.
func (l *saveLoader) adopt(e *componentEntry, saved *ecs.Schema) error {
	s, err := definable(saved)
	if err != nil {
		return err
	}
	kept := capture.InChunks
	if e.Kept == capture.InArenaPool.String() {
		kept = capture.InArenaPool
	}
	l.state.Components = append(l.state.Components, capture.Component{Schema: s, Kept: kept, New: true})
	l.adopted = true
	return nil
}

// adoptsEvent is adopts for an event.
func (l *saveLoader) adoptsEvent(e *eventEntry) bool {
	return l.options.Adopts != nil && e.Name != "" && e.Waiting > 0 && e.Hidden == 0 && l.options.Adopts(e.Name, true)
}

// adoptEvent is adopt for an event.
func (l *saveLoader) adoptEvent(saved *ecs.Schema) error {
	s, err := definable(saved)
	if err == nil {
		l.state.Streams = append(l.state.Streams, capture.Stream{Schema: s, Absent: true, New: true})
	}
	return err
}

// definable returns a schema of a save as one that is defined at run time.
func definable(saved *ecs.Schema) (*ecs.Schema, error) {
	s := ecs.Schema{Name: saved.Name, Version: saved.Version, Fields: saved.Fields}
	return &s, s.Layout()
}
