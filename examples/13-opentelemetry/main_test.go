package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"
)

// span is what the test reads of a span that the exporter has printed.
type span struct {
	Name               string
	StartTime, EndTime time.Time
	SpanContext        struct{ TraceID, SpanID string }
	Parent             struct{ TraceID, SpanID string }
	Status             struct{ Code string }
	Attributes         []struct {
		Key   string
		Value struct{ Value any }
	}
	Events []struct{ Name string }
}

// attribute returns an attribute of a span.
func (s *span) attribute(key string) any {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.Value
		}
	}
	return nil
}

// TestSpans: three ticks with two systems each, which lie inside of their tick; the second save
// has failed.
func TestSpans(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	ticks, systems := map[string]span{}, []span{}
	for d := json.NewDecoder(&out); ; {
		var s span
		if err := d.Decode(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if s.Name == "tick" {
			ticks[s.SpanContext.SpanID] = s
		} else {
			systems = append(systems, s)
		}
	}
	if len(ticks) != 3 || len(systems) != 6 {
		t.Fatalf("%d ticks, %d systems", len(ticks), len(systems))
	}
	for i, s := range systems {
		tick, ok := ticks[s.Parent.SpanID]
		name := []string{"fall", "save"}[i%2]
		if !ok || s.Name != name || s.SpanContext.TraceID != tick.SpanContext.TraceID || tick.attribute("tick") != float64(i/2+1) {
			t.Errorf("span %d: %+v in %+v", i, s, tick)
		}
		if s.StartTime.Before(tick.StartTime) || s.EndTime.After(tick.EndTime) || s.EndTime.Before(s.StartTime) {
			t.Errorf("span %d is from %v to %v, the tick from %v to %v", i, s.StartTime, s.EndTime, tick.StartTime, tick.EndTime)
		}
		if failed := i == 3; (s.Status.Code == "Error") != failed || (len(tick.Events) > 0) != (i/2 == 1) {
			t.Errorf("span %d: status %q, events of the tick %v", i, s.Status.Code, tick.Events)
		}
		if name == "fall" && (s.attribute("rows") != float64(100) || s.attribute("phase") != "physics") {
			t.Errorf("span %d: %+v", i, s.Attributes)
		}
	}
}
