package kernels_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"slices"
	"strings"
	"testing/fstest"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/hosttest"
	"github.com/perigee-ecs/perigee/scripting"
)

// journal collects what a run did, a line for each fact.
type journal struct{ lines []string }

func (j *journal) add(format string, args ...any) {
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

// The methods make a slog.Handler of a journal.
func (j *journal) Enabled(context.Context, slog.Level) bool { return true }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler       { return j }
func (j *journal) WithGroup(string) slog.Handler            { return j }
func (j *journal) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	j.add("log: %s", text)
	return nil
}

// run is what a program did.
type run struct {
	ticks    [][]string // the facts of each tick; those of the load first
	loaded   bool
	compiled []scripting.KernelStatus
	world    []string // at the end of the last tick; only when it was asked for
}

// options say how a program is run.
type options struct {
	kernels bool
	text    string // instead of the program's own
	upTo    int    // ticks, then the whole world is written down; 0: all, and not
}

// run runs a program in a world of its own.
func (p *program) run(o options) (r run, err error) {
	w, err := newWorld(p.crowd.seed)
	if err != nil {
		return r, err
	}
	defer w.Close()
	j := &journal{}
	host, err := scripting.New(w, scripting.Options{
		NoKernels: !o.kernels,
		Logger:    slog.New(j),
		OnError:   func(e *scripting.Error) { j.fault("told of", e) },
		OnKernel:  func(scripting.KernelStatus) {},
		Limits:    scripting.Limits{LogLines: -1, Time: -1},
	})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	text := o.text
	if text == "" {
		text = p.root.text()
	}
	if err := host.Load(fstest.MapFS{"game.lua": {Data: []byte(text)}}); err != nil {
		j.add("load: %v", err)
		r.ticks = [][]string{j.lines}
		return r, nil
	}
	r.loaded = true
	r.compiled = host.Kernels()
	for _, k := range r.compiled {
		if strings.Contains(k.Reason, "fault of the compiler") {
			return r, fmt.Errorf("%s\n%s", k, text)
		}
	}
	if err := p.crowd.fill(w); err != nil {
		return r, err
	}
	watch := newWatch(w)
	var readers []*ecs.Reader
	names := w.Raw().EventNames()
	for _, name := range names {
		id, _ := w.Raw().EventNamed(name)
		readers = append(readers, w.Raw().Reader(id))
	}
	ticks := p.ticks
	if o.upTo > 0 {
		ticks = o.upTo
	}
	for range ticks {
		j.step(host)
		j.look(w, names, readers)
		j.changes(w, watch)
		r.ticks = append(r.ticks, j.lines)
		j.lines = nil
	}
	if o.upTo > 0 {
		r.world = dump(w)
	}
	return r, nil
}

// step makes one tick and notes what it reports.
func (j *journal) step(host *scripting.Host) {
	err := hosttest.Step(host, 0.25)
	var faults []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		faults = joined.Unwrap()
	} else if err != nil {
		faults = []error{err}
	}
	for _, f := range faults {
		var e *scripting.Error
		if errors.As(f, &e) {
			j.fault("returned", e)
		} else {
			j.add("returned: %v", f)
		}
	}
}

func (j *journal) fault(how string, e *scripting.Error) {
	j.add("%s: %s:%d: system %q, tick %d, entity %v: %s (parked %v, blocked %v, %d times, %d entities, limit %q)",
		how, e.Script, e.Line, e.System, e.Tick, e.Entity, e.Message, e.Parked, e.Blocked, e.Times, e.Entities, e.Limit)
}

// look notes what can be seen of the world after a tick.
func (j *journal) look(w *ecs.World, names []string, readers []*ecs.Reader) {
	for i, name := range names {
		id, _ := w.Raw().EventNamed(name)
		size := w.Raw().EventSchema(id).Size
		for p := range readers[i].Events() {
			j.add("event: %s %x", name, unsafe.Slice((*byte)(p), size))
		}
	}
	j.add("arena: %v", *ecs.Resource[Arena](w))
	j.add("random: %x", w.Random().State())
	j.add("entities: %d", w.Len())
	j.add("components: %x", sums(w))
	j.add("checksum: %x", w.Checksum())
}

// newWatch makes a query for each component, which yields where it was written.
func newWatch(w *ecs.World) (list []*ecs.Query) {
	for _, name := range components {
		if id, ok := w.Raw().ComponentNamed(name); ok {
			list = append(list, w.Query(ecs.Read(id)).Changed(id))
		}
	}
	return list
}

// changes notes of which entities a query for changes tells since the last tick.
func (j *journal) changes(w *ecs.World, watch []*ecs.Query) {
	for _, q := range watch {
		h, n := fnv.New32a(), 0
		for c := range q.Chunks() {
			for _, e := range c.Entities() {
				fmt.Fprintf(h, "%d;", e)
				n++
			}
		}
		j.add("changed: %s of %d entities, %x", w.Raw().Schema(q.Terms()[0].ID()).Name, n, h.Sum32())
	}
}

// sums is a sum for each component over who has it and what it holds, so that the
// bytes are judged in a second way, beside the checksum.
func sums(w *ecs.World) (list []uint32) {
	for _, name := range components {
		id, ok := w.Raw().ComponentNamed(name)
		if !ok {
			continue
		}
		h := fnv.New32a()
		s := w.Raw().Schema(id)
		for e := range w.Entities() {
			p := w.Raw().Pointer(e, id)
			if !w.Raw().Has(e, id) {
				continue
			}
			fmt.Fprintf(h, "%d;", e)
			if name == "Label" {
				fmt.Fprintf(h, "%v", *(*Label)(p))
			} else if s.Size > 0 {
				h.Write(unsafe.Slice((*byte)(p), s.Size))
			}
		}
		list = append(list, h.Sum32())
	}
	return list
}

// dump writes every field of every entity down.
func dump(w *ecs.World) (lines []string) {
	for e := range w.Entities() {
		for _, id := range w.Raw().Components(e, nil) {
			s := w.Raw().Schema(id)
			if s == nil {
				continue
			}
			p := w.Raw().Pointer(e, id)
			lines = append(lines, fmt.Sprintf("%v has %s", e, s.Name))
			for _, f := range s.Fields {
				lines = append(lines, dumpField(fmt.Sprintf("%v %s", e, s.Name), p, f)...)
			}
		}
	}
	return lines
}

func dumpField(before string, p unsafe.Pointer, f ecs.Field) (lines []string) {
	for i := range max(f.Len, 1) {
		at := unsafe.Add(p, f.Offset+uintptr(i)*f.Stride)
		name := before + "." + f.Name
		if f.Len > 0 {
			name += fmt.Sprintf("[%d]", i+1)
		}
		switch f.Kind {
		case ecs.Struct:
			for _, inner := range f.Fields {
				lines = append(lines, dumpField(name, at, inner)...)
			}
		case ecs.Ref:
			lines = append(lines, fmt.Sprintf("%s = %v", name, *(*ecs.Entity)(at)))
		case ecs.String:
			lines = append(lines, fmt.Sprintf("%s = %q", name, *(*string)(at)))
		default:
			lines = append(lines, fmt.Sprintf("%s = %.17g", name, f.Kind.Load(at)))
		}
	}
	return lines
}

// difference is where two runs of a program part.
type difference struct {
	tick int // from 1; 0: at the load
	text string
}

// parts compares the program with kernels and without. Nil means that they do not.
func (p *program) parts() (with run, d *difference, err error) {
	with, err = p.run(options{kernels: true})
	if err != nil {
		return with, nil, err
	}
	without, err := p.run(options{})
	if err != nil {
		return with, nil, err
	}
	for i := range max(len(with.ticks), len(without.ticks)) {
		var a, b []string
		if i < len(with.ticks) {
			a = with.ticks[i]
		}
		if i < len(without.ticks) {
			b = without.ticks[i]
		}
		if !slices.Equal(a, b) {
			tick := i + 1
			if !with.loaded || !without.loaded {
				tick = 0
			}
			return with, &difference{tick, unlike(a, b)}, nil
		}
	}
	return with, nil, nil
}

// unlike shows the first lines that differ.
func unlike(a, b []string) string {
	var out strings.Builder
	shown := 0
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y && shown < 12 {
			shown++
			fmt.Fprintf(&out, "    kernels: %s\n    Lua:     %s\n", x, y)
		}
	}
	return out.String()
}

// show is a difference with the fields that part, for people.
func (p *program) show(d *difference) string {
	out := fmt.Sprintf("tick %d:\n%s", d.tick, d.text)
	if d.tick == 0 {
		return out
	}
	with, err := p.run(options{kernels: true, upTo: d.tick})
	without, err2 := p.run(options{upTo: d.tick})
	if err != nil || err2 != nil {
		return out
	}
	return out + unlike(with.world, without.world)
}
