package save

import (
	"fmt"
	"strings"
)

// Report says what a load changes, or would change.
type Report struct {
	Entities int      // that are in the save, and will be in the world
	Before   int      // that are in the world, and are replaced
	Changes  []Effect // in the order of the save
}

// Effect is something that is not in the world as it was in the save.
type Effect struct {
	Name     string // of the component, event or resource
	Entities int    // or events, that have it
	Lost     bool   // something is gone
	Text     string // "Health: 120 entities, new field shield"
}

// Loses returns the texts of the changes that lose something.
func (r *Report) Loses() (list []string) {
	if r == nil {
		return nil
	}
	for _, c := range r.Changes {
		if c.Lost {
			list = append(list, c.Text)
		}
	}
	return list
}

// String shows the report, a line for each change.
func (r *Report) String() string {
	if r == nil {
		return "nothing was loaded"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s in the save replace %d", count(r.Entities, "entity", "entities"), r.Before)
	for _, c := range r.Changes {
		b.WriteString("\n" + c.Text)
		if c.Lost && !strings.Contains(c.Text, "lost") {
			b.WriteString(" (lost)")
		}
	}
	return b.String()
}

// mostSaid bounds what an error says of what a load would lose, in bytes. The report says all of it.
const mostSaid = 4 << 10

// inOneError puts texts together for an error, as far as there is room for them.
func inOneError(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		if i > 0 && b.Len()+len(text) > mostSaid {
			return b.String() + fmt.Sprintf("; and %d more", len(texts)-i)
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(shortened(text, mostSaid))
	}
	return b.String()
}

// count says how many there are of something.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
