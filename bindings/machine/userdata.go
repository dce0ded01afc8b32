package machine

// Userdata is a value of Go in the hands of a script.
type Userdata struct {
	Value any
	meta  *Table
	mark  uint32
}

// NewUserdata makes a userdata around a value of Go.
func NewUserdata(v any) *Userdata { return &Userdata{Value: v} }

// Metatable returns the metatable, or nil.
func (u *Userdata) Metatable() *Table { return behindGate(u.meta) }

// SetMetatable replaces the metatable; nil removes it.
func (u *Userdata) SetMetatable(m *Table) {
	if r := u.ruled(); r != nil {
		r.SetMetatable(m)
		return
	}
	u.meta = m
}
