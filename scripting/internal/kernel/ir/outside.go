package ir

import "github.com/perigee-ecs/perigee/ecs"

// Site is a place in the body that asks the host for something: what Op says,
// about the things that the compiler was given under these names. Parts list the
// values that it makes.
type Site struct {
	Op    string
	Line  int
	Parts []Part
}

// Thing is a component in the columns of its entities of which the body reads
// what belongs to others. Its number in the world is a parameter of the kernel.
type Thing struct {
	Name  string
	Thing any
	Size  uint32 // bytes from one row to the next
}

// Memory says where the body finds entities by their handles.
type Memory struct {
	ecs.MemoryMap
	Tag uint8 // of the world: in all of its handles
}

// Part is one thing of a site. Fields says which fields of it the arguments are.
type Part struct {
	Thing  any
	Fields []ecs.Field
}

// About reports whether a change is about an entity, which is its first value.
func (s *Site) About() bool { return s.Op != "spawn" && s.Op != "emit" }

// Kinds lists those of the fields that a site gives values for.
func (s *Site) Kinds() []ecs.Kind {
	var kinds []ecs.Kind
	for i := range s.Parts {
		for k := range s.Parts[i].Fields {
			kinds = append(kinds, s.Parts[i].Fields[k].Kind)
		}
	}
	return kinds
}

// Apart reports whether rows have nothing to do with each other: they leave
// nothing for the next one, ask the host for nothing, and read of other entities
// only components that the kernel does not write. What is left to Lua may do
// anything.
func (f *Func) Apart() bool {
	apart := len(f.Left) == 0
	for i := range f.Inputs {
		apart = apart && !f.Inputs[i].Store
	}
	Exprs(f.Body, func(e *Expr) { apart = apart && !e.Effect() && e.Op != Ask && e.Op != Fetch })
	for i := range f.Fields {
		column := &f.Columns[f.Fields[i].Column]
		for k := range f.Things {
			apart = apart && !(f.Fields[i].Store && column.Name == f.Things[k].Name)
		}
	}
	return apart
}

// NoteSize is how many bytes the note of a change with so many values takes: the
// number of the site in 8 bytes, and 8 for each value.
func NoteSize(values int) int { return 8 + 8*values }

// Noted returns how many bytes the notes of one row take at most; bounded is false
// when a loop makes changes, and nobody knows how many.
func (f *Func) Noted() (bytes int, bounded bool) { return noted(f.Body) }

func noted(stmts []*Stmt) (bytes int, bounded bool) {
	bounded = true
	for _, s := range stmts {
		if s.Value != nil {
			s.Value.Walk(func(e *Expr) {
				if e.Op == Do {
					bytes += NoteSize(len(e.Args))
				}
			})
		}
		then, first := noted(s.Body)
		otherwise, second := noted(s.Else)
		bytes += max(then, otherwise) // one of the arms
		bounded = bounded && first && second && (s.Kind != Loop || then == 0)
	}
	return bytes, bounded
}

// IsOwn reports whether an expression is the handle of the row itself, which is
// alive, or the number that Lua has for it.
func (f *Func) IsOwn(e *Expr) bool {
	if e.Op == Number {
		e = e.Args[0]
	}
	if e.Op != Get {
		return false
	}
	field := f.FieldOf(e.Local)
	return field != nil && f.Columns[field.Column].Term == Entities && !field.Store
}

// Changes reports whether the kernel notes changes.
func (f *Func) Changes() bool {
	changes := false
	Exprs(f.Body, func(e *Expr) { changes = changes || e.Op == Do })
	return changes
}

// Heeds reports whether the kernel asks which entities its run has done something to.
func (f *Func) Heeds() bool {
	heeds := false
	Exprs(f.Body, func(e *Expr) { heeds = heeds || e.Op == Touched })
	return heeds
}

// Looks reports whether the kernel asks about entities what their changes may change.
func (f *Func) Looks() bool {
	looks := false
	Exprs(f.Body, func(e *Expr) { looks = looks || e.Op == Alive || e.Op == Record || e.Op == Fetch || e.Op == Ask })
	return looks
}

// Ends reports whether the kernel despawns entities.
func (f *Func) Ends() bool {
	ends := false
	Exprs(f.Body, func(e *Expr) { ends = ends || f.ends(e) })
	return ends
}

func (f *Func) ends(e *Expr) bool { return e.Op == Do && f.Sites[e.Site].Op == "despawn" }

// Spawns reports whether some row may make an entity.
func (f *Func) Spawns() bool {
	spawns := len(f.Left) > 0
	Exprs(f.Body, func(e *Expr) { spawns = spawns || e.Op == Do && f.Sites[e.Site].Op == "spawn" })
	return spawns
}
