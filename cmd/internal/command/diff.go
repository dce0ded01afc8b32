package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// The subcommand diff: what is different in two saves.

// newDiff makes the subcommand that compares saves.
func newDiff() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff FILE FILE",
		Short: "Show what is different in two saves of a game",
		Long: `Diff compares two saves of the same game, the older one first: which entities
are gone or new, which components these have lost or got, which fields have
changed, the resources, the events that wait, what scripts keep, and how far
systems and readers of events have come. Numbers are compared bit for bit. In
which order values are stored does not matter.

The exit code is 0 when the saves are the same, and 1 when they differ.`,
		Example: `  perigee diff slots/monday.save slots/auto.save
  perigee diff a.save b.save --component Health --all
  perigee diff a.save b.save --json | wc -l`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("diff compares two saves, and got %s", diag.Count(len(args), "file", "files"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSave(args[0], func(a *save.File) error {
				return withSave(args[1], func(b *save.File) error { return f.run(cmd.OutOrStdout(), a, b) })
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "show each difference, not five of a kind")
	flags.BoolVar(&f.json, "json", false, "print each difference as a JSON object on a line of its own")
	flags.StringVar(&f.component, "component", "", "show this component, event, resource or section only")
	return cmd
}

// diffFlags are the flags of perigee diff.
type diffFlags struct {
	all, json bool
	component string
}

// run compares two saves.
func (f *diffFlags) run(out io.Writer, a, b *save.File) error {
	screen := status.NewScreen(out)
	l := &diffList{screen: screen, all: f.all, by: map[string]*diffGroup{}}
	told := 0
	err := save.Diff(a, b, func(x save.Difference) error {
		if f.component != "" && x.Name != f.component {
			return nil
		}
		told++
		if f.json {
			return printJSON(out, jsonOf(x))
		}
		l.add(x)
		return nil
	})
	if err != nil {
		return err
	}
	if err := f.known(told, a, b); err != nil {
		return err
	}
	if told == 0 {
		if !f.json {
			screen.Print("there is no difference")
		}
		return nil
	}
	l.print()
	return exitFailure{}
}

// known refuses a name that neither of the saves has, about which nothing was said.
func (f *diffFlags) known(told int, files ...*save.File) error {
	if f.component == "" || told > 0 {
		return nil
	}
	for _, file := range files {
		names, err := file.Names()
		if err != nil {
			return err
		}
		if slices.Contains(names, f.component) {
			return nil
		}
	}
	return usageError{fmt.Errorf("neither of the saves has a component, event, resource or section %q", f.component)}
}

// jsonOf is a difference as JSON has it: what does not apply is left out.
func jsonOf(x save.Difference) any {
	v := struct {
		Topic  string  `json:"topic"`
		Entity *uint64 `json:"entity,omitempty"`
		Number *uint64 `json:"number,omitempty"`
		Name   string  `json:"name,omitempty"`
		Field  string  `json:"field,omitempty"`
		Gone   bool    `json:"gone,omitempty"`
		New    bool    `json:"new,omitempty"`
		Was    *string `json:"was,omitempty"`
		Is     *string `json:"is,omitempty"`
	}{Topic: x.Topic.String(), Name: x.Name, Field: x.Field, Gone: x.Gone, New: x.New}
	if x.Entity != 0 {
		v.Entity = new(uint64(x.Entity))
	}
	if x.Topic == save.OfEvent {
		v.Number = &x.Number
	}
	if x.Topic != save.OfEntity && x.Topic != save.OfComponent {
		if !x.New {
			v.Was = &x.Was
		}
		if !x.Gone {
			v.Is = &x.Is
		}
	}
	return v
}

// diffShown is how many differences of a kind are shown.
const diffShown = 5

// diffList sums up differences, for people.
type diffList struct {
	screen *status.Screen
	all    bool
	order  []*diffGroup
	by     map[string]*diffGroup
}

// diffGroup is the differences of one component, event, resource or section.
type diffGroup struct {
	name               string
	gone, new, changed int
	fields             []string // without indices, in the order in which they came
	of                 map[string]int
	lines              []string
	last               uint64 // the entity that was counted last
}

// add takes a difference over.
func (l *diffList) add(x save.Difference) {
	name := x.Name
	switch x.Topic {
	case save.OfWorld:
		name = "world"
	case save.OfEntity:
		name = "entities"
	case save.OfEvent:
		name = "event " + x.Name
	case save.OfProgress:
		name = "progress of " + x.Name
	}
	g := l.by[name]
	if g == nil {
		g = &diffGroup{name: name, of: map[string]int{}}
		l.by[name], l.order = g, append(l.order, g)
	}
	whole := x.Topic == save.OfEntity || x.Topic == save.OfComponent || x.Topic == save.OfEvent && x.Field == ""
	switch {
	case whole && x.Gone:
		g.gone++
	case whole && x.New:
		g.new++
	default:
		if x.Topic != save.OfField || g.last != uint64(x.Entity) {
			g.changed++
		}
		g.last = uint64(x.Entity)
		field, _, _ := strings.Cut(x.Field, "[")
		if g.of[field] == 0 {
			g.fields = append(g.fields, field)
		}
		g.of[field]++
	}
	if l.all || len(g.lines) < diffShown {
		g.lines = append(g.lines, lineOf(x))
	}
}

// lineOf shows a difference.
func lineOf(x save.Difference) string {
	text := x.Field
	switch x.Topic {
	case save.OfEntity, save.OfComponent:
		text = x.Entity.String()
	case save.OfField:
		text = strings.TrimRight(x.Entity.String()+" "+x.Field, " ")
	case save.OfEvent:
		text = strings.TrimRight(fmt.Sprintf("number %d %s", x.Number, x.Field), " ")
	}
	whole := x.Topic == save.OfEntity || x.Topic == save.OfComponent
	switch {
	case x.Gone && whole:
		return text + " is gone"
	case x.New && whole:
		return text + " is new"
	case x.Gone:
		return text + " is gone: it was " + x.Was
	case x.New:
		return text + " is new: " + x.Is
	}
	return text + ": " + x.Was + " → " + x.Is
}

// print prints the groups.
func (l *diffList) print() {
	for _, g := range l.order {
		var parts []string
		for _, p := range []struct {
			n    int
			what string
		}{{g.gone, "gone"}, {g.new, "new"}, {g.changed, "changed"}} {
			if p.n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
			}
		}
		line := g.name + ": " + strings.Join(parts, ", ")
		var fields []string
		for i, name := range g.fields {
			if i == 8 {
				fields = append(fields, "…")
				break
			}
			fields = append(fields, fmt.Sprintf("%s %d", name, g.of[name]))
		}
		if g.changed > 0 && g.fields[0] != "" && g.last != 0 {
			line += " (" + strings.Join(fields, ", ") + ")"
		}
		l.screen.Print(line)
		for _, text := range g.lines {
			l.screen.Print("  " + text)
		}
		if rest := g.total() - len(g.lines); rest > 0 {
			l.screen.Print(fmt.Sprintf("  and %d more: --all shows them", rest))
		}
	}
}

// total is how many differences there are.
func (g *diffGroup) total() int {
	n := g.gone + g.new
	for _, of := range g.of {
		n += of
	}
	return n
}
