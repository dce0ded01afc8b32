//go:build !machine

package unboxed

// Poison fills the registers with what no program has computed: a call must set each
// before it reads it.
func (f *Evaluator) Poison() {
	for i := range f.frame {
		f.regs[i].Set(-7777.25)
	}
}
