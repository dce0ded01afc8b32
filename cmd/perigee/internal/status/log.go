package status

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// NewLogger returns a logger whose records become lines of the screen, script
// and line number first, as every editor understands them:
//
//	waves.lua:14: wave 3 begins
//	waves.lua:20: warning: the arena is full
func NewLogger(s *Screen) *slog.Logger { return slog.New(&handler{screen: s}) }

// handler is a slog.Handler for people.
type handler struct {
	screen *Screen
	attrs  []slog.Attr
	group  string
}

// Enabled leaves out what is meant for those who debug Perigee itself.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle prints the record.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	var script, line, rest string
	note := func(a slog.Attr) bool {
		switch a.Key {
		case "script":
			script = a.Value.String() + ":"
		case "line":
			if line = a.Value.String() + ":"; line == "0:" {
				line = ""
			}
		default:
			rest += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		}
		return true
	}
	for _, a := range h.attrs {
		note(a)
	}
	r.Attrs(note)
	where := script + line
	if script == "" {
		where = ""
	}
	h.screen.Print(diag.OneLine(strings.TrimSpace(where + " " + severity(r.Level) + r.Message + rest)))
	return nil
}

// severity names a level as it stands at the beginning of a line.
func severity(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error: "
	case level >= slog.LevelWarn:
		return "warning: "
	}
	return ""
}

// WithAttrs returns a handler that adds attributes to each record.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	n := *h
	n.attrs = append([]slog.Attr(nil), h.attrs...)
	for _, a := range attrs {
		a.Key = h.group + a.Key
		n.attrs = append(n.attrs, a)
	}
	return &n
}

// WithGroup returns a handler that puts a name before the keys of attributes
// added later; those of the records keep theirs.
func (h *handler) WithGroup(name string) slog.Handler {
	n := *h
	n.group += name + "."
	return &n
}
