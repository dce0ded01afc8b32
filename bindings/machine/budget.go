package machine

// Overseer is who bounds what a machine does. The machine counts by itself, and asks the overseer
// at points that depend on nothing but the count.
type Overseer interface {
	// Look is called after about so many steps as the last call has returned, at the next
	// jump, call or return. An error stops the script, and every attempt to go on.
	Look(th *Thread) (steps int64, err error)
	// Spent returns the error of a script that has used up its steps, or its bytes.
	Spent(th *Thread) error
}

// budget counts the steps and the bytes of a call from the host: one for each instruction of
// the bytecode that is executed, and what natives charge.
type budget struct {
	taken int64
}

// Start begins a new count. The script stops before the instruction that would be number
// steps + 1; no bytes bound the call where bytes is 0.
func (vm *VM) Start(steps, bytes int64, m Overseer) { panic("to be written") }

// Steps returns how many were counted since Start.
func (vm *VM) Steps() int64 { return vm.taken }

// Bytes returns how many were counted since Start.
func (vm *VM) Bytes() int64 { panic("to be written") }

// Charge counts steps of a native, and raises the error of a spent budget.
func (vm *VM) Charge(th *Thread, steps int) { panic("to be written") }

// Alloc counts bytes of a text, with the steps to fill them.
func (vm *VM) Alloc(th *Thread, bytes int) { panic("to be written") }

// Grow counts bytes of small values.
func (vm *VM) Grow(th *Thread, bytes int64) { panic("to be written") }
