package saves

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
)

// Extension is what the names of files in a folder end with.
const Extension = ".save"

// Options of a folder. The zero value saves when it is told to.
type Options struct {
	// Every is how many seconds of the simulation are between two saves that the folder makes on its
	// own; 0: it makes none. It is a number that is not negative.
	Every float64
	// Auto is the slot of those saves; "": "auto".
	Auto string
	// Save and Load are what the files have beside the game.
	Save save.Options
	Load save.LoadOptions
	// Wait has [Folder.After] wait for the save that is being written, where another save or a load is due. Then
	// what scripts ask for is done after the tick in which they ask, whatever time the disk takes: the same run
	// comes to the same world. Without it no tick waits for the disk, and what is due comes after a later one.
	Wait bool
	// OnSaved gets each save that has ended, in a call of a method of the folder; err is why there is none.
	// Nil: errors come from [Folder.Wait].
	OnSaved func(slot string, err error)
	// OnLoaded gets each load that a script has asked for. Nil: errors come from [Folder.Wait].
	OnLoaded func(slot string, loaded Loaded, err error)
}

// Folder is a folder of saves of one host. It belongs to the goroutine of the host; files are written
// by another one, one at a time. The errors of a folder that [OpenFolder] has not made wrap [ecs.ErrConflict].
type Folder struct {
	host    *scripting.Host
	dir     string
	options Options
	kept    scripting.Snapshot // used again when nobody writes it
	done    chan error         // nil: nothing is being written
	slot    string             // that is being written
	next    float64            // when the next save is due, in seconds of the simulation
	errs    []error            // that nobody was told
	asked   []scripting.SlotRequest
	late    int // see Late
}

// OpenFolder makes the folder, if there is none, for a host. What writers that were killed have left in it is
// removed when it is older than an hour. The errors are those of package os, or wrap [ecs.ErrConflict], or
// [ecs.ErrRange] for Options.Every.
func OpenFolder(h *scripting.Host, dir string, o Options) (*Folder, error) {
	if h.World() == nil {
		return nil, fmt.Errorf("saves: %w: there is no host", ecs.ErrConflict)
	}
	if !(o.Every >= 0 && o.Every <= math.MaxFloat64) {
		return nil, fmt.Errorf("saves: %w: Options.Every is %v, it is a number of seconds", ecs.ErrRange, o.Every)
	}
	if o.Auto == "" {
		o.Auto = "auto"
	}
	if err := save.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("saves: %w", err)
	}
	f := &Folder{host: h, dir: dir, options: o}
	if _, err := f.Path(o.Auto); err != nil {
		return nil, err
	}
	f.sweep()
	f.schedule()
	return f, nil
}

// made refuses a folder that OpenFolder has not made.
func (f *Folder) made() error {
	if f == nil || f.host == nil {
		return fmt.Errorf("saves: %w: the folder was not opened", ecs.ErrConflict)
	}
	return nil
}

// abandoned is how old a file is that nobody goes on to write.
const abandoned = time.Hour

// sweep removes what [save.ToFile] has left where it was killed. What cannot be removed stays.
func (f *Folder) sweep() {
	entries, _ := os.ReadDir(f.dir)
	for _, e := range entries {
		left, _ := filepath.Match(".*"+Extension+".????????.tmp", e.Name())
		if info, err := e.Info(); left && err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(f.dir, e.Name()))
		}
	}
}

// schedule says when the next save is due.
func (f *Folder) schedule() {
	now, _ := f.host.World().Time()
	f.next = now + f.options.Every
}

// Path returns the file of a slot. Names of slots have up to 100 letters, digits, dots, dashes and
// underscores, and do not begin with a dot; the error for another one wraps [ecs.ErrConflict].
func (f *Folder) Path(slot string) (string, error) {
	if err := f.made(); err != nil {
		return "", err
	}
	odd := strings.Trim(slot, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
	if slot == "" || len(slot) > 100 || odd != "" || slot[0] == '.' || !filepath.IsLocal(slot+Extension) {
		return "", fmt.Errorf("saves: %w: a slot cannot be called %q: use letters, digits, dots, dashes and underscores", ecs.ErrConflict, slot)
	}
	return filepath.Join(f.dir, slot+Extension), nil
}

// Save captures the game, between two steps, and writes it to a slot on another goroutine. If another
// save is being written, it waits for that first. The error is one of the capture, or of the name; what goes wrong
// later comes from OnSaved, or from Wait.
func (f *Folder) Save(slot string) error {
	path, err := f.Path(slot)
	if err != nil {
		return err
	}
	f.finish(true)
	if err := f.host.Update(&f.kept); err != nil {
		return err
	}
	done, kept, options := make(chan error, 1), &f.kept, f.options.Save
	f.done, f.slot = done, slot
	go func() { done <- ToFile(path, kept, options) }()
	return nil
}

// finish takes what the writer reports; with wait it waits for that.
func (f *Folder) finish(wait bool) {
	if f.done == nil {
		return
	}
	var err error
	if wait {
		err = <-f.done
	} else {
		select {
		case err = <-f.done:
		default:
			return
		}
	}
	f.done = nil
	f.saved(f.slot, err)
}

// mostErrors is how many errors are kept that nobody was told.
const mostErrors = 64

// saved reports a save that has ended.
func (f *Folder) saved(slot string, err error) {
	if f.options.OnSaved != nil {
		f.options.OnSaved(slot, err)
	} else {
		f.untold(err)
	}
}

// untold keeps an error for Wait.
func (f *Folder) untold(err error) {
	if err != nil && len(f.errs) < mostErrors {
		f.errs = append(f.errs, err)
	}
}

// After is called after each step: it reports what was written, does what scripts have asked for
// (where [scripting.Options].Slots lets them), and saves when that is due. If the last save is still
// being written then, the next comes later, unless Options.Wait says otherwise. What stands in the way of such a save, such as a
// function in what a script's on_save returns, is for OnSaved, and no error here.
func (f *Folder) After() error {
	if err := f.made(); err != nil {
		return err
	}
	f.finish(false)
	before := len(f.asked)
	for _, r := range f.host.Asked() {
		if !slices.Contains(f.asked, r) && len(f.asked) < 64 {
			f.asked = append(f.asked, r)
		}
	}
	fresh := len(f.asked) - before
	f.answer()
	f.late += min(fresh, len(f.asked)) // those that are left
	now, _ := f.host.World().Time()
	if f.options.Every <= 0 || now < f.next || f.busy() {
		return nil
	}
	f.schedule()
	f.attempt(f.options.Auto)
	return nil
}

// attempt is Save for somebody who does not wait for an answer.
func (f *Folder) attempt(slot string) {
	if err := f.Save(slot); err != nil {
		f.saved(slot, err)
	}
}

// busy reports whether what is due has to come later, since a save is being written.
func (f *Folder) busy() bool { return f.done != nil && !f.options.Wait }

// Late returns how many saves and loads that scripts asked for had to wait for a later tick, because another save was
// being written. The same run may come to another world then. It is 0 with Options.Wait.
func (f *Folder) Late() int {
	if f.made() != nil {
		return 0
	}
	return f.late
}

// answer does what scripts have asked for, in order, as far as nothing is being written, or it may be waited for. A load ends
// what was asked for after it: that is of a game which is not any more.
func (f *Folder) answer() {
	for len(f.asked) > 0 && !f.busy() {
		r := f.asked[0]
		f.asked = f.asked[1:]
		if !r.Load {
			f.attempt(r.Slot)
			continue
		}
		loaded, err := f.Load(r.Slot)
		if err == nil {
			f.asked = nil
			_ = f.host.Asked()
		}
		if f.options.OnLoaded != nil {
			f.options.OnLoaded(r.Slot, loaded, err)
		} else {
			f.untold(err)
		}
	}
}

// Wait waits until nothing is being written, and returns the errors that were not reported.
func (f *Folder) Wait() error {
	if err := f.made(); err != nil {
		return err
	}
	f.finish(true)
	err := errors.Join(f.errs...)
	f.errs = nil
	return err
}

// Load brings the game back that is in a slot; see the function Load. What is being written is waited
// for. The error wraps [os.ErrNotExist] where the slot is empty.
func (f *Folder) Load(slot string) (Loaded, error) {
	path, err := f.Path(slot)
	if err != nil {
		return Loaded{}, err
	}
	f.finish(true)
	file, err := save.OpenFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Loaded{}, &emptySlot{slot, f.slots()}
	}
	if err != nil {
		return Loaded{}, err
	}
	loaded, err := Load(file, f.host, f.options.Load)
	if err == nil {
		f.schedule()
	}
	return loaded, errors.Join(err, file.Close())
}

// emptySlot is the error of a load from a slot without a save.
type emptySlot struct {
	slot string
	full []string // those that have one, the newest first
}

// Error names the slot, and those that may be meant.
func (e *emptySlot) Error() string {
	if len(e.full) == 0 {
		return fmt.Sprintf("saves: slot %q is empty, as no game is saved yet", e.slot)
	}
	full := e.full[:min(len(e.full), mostSlots)]
	text := fmt.Sprintf("saves: slot %q is empty: there are saves in %s", e.slot, strings.Join(full, ", "))
	if n := len(e.full) - len(full); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text + diag.DidYouMean(e.slot, e.full)
}

// Unwrap returns what programs ask for.
func (e *emptySlot) Unwrap() error { return os.ErrNotExist }

// mostSlots is how many slots an error names.
const mostSlots = 10

// slots returns the names of the slots with a save, the newest first.
func (f *Folder) slots() []string {
	list, _ := List(f.dir) // without it the error names none
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// Slot is a save of a folder.
type Slot struct {
	Name     string
	Path     string
	Bytes    int64
	Written  time.Time
	Tick     uint64
	Seconds  float64 // of the simulation
	Entities int
	Tag      uint16
	Err      error // why the rest is not known
}

// List lists the saves of a folder, the newest first. Files with other endings are left out. What is in a
// save is not read, but for its manifest.
func List(dir string) ([]Slot, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("saves: %w", err)
	}
	var list []Slot
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), Extension)
		info, err := os.Stat(filepath.Join(dir, e.Name())) // a link is what it leads to
		if !ok || err != nil || !info.Mode().IsRegular() || strings.HasPrefix(name, ".") {
			continue
		}
		s := Slot{Name: name, Path: filepath.Join(dir, e.Name()), Bytes: info.Size(), Written: info.ModTime()}
		if f, err := save.OpenFile(s.Path); err != nil {
			s.Err = err
		} else {
			s.Tick, s.Seconds = f.Tick()
			s.Entities, s.Tag = f.Entities(), f.Tag()
			s.Err = f.Close()
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b Slot) int { return b.Written.Compare(a.Written) })
	return list, nil
}
