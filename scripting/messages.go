package scripting

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// ErrLimit is what errors.Is finds in an error that says that a limit was
// reached; [Error].Limit says which.
var ErrLimit = diag.ErrLimit

// reword says which limit was reached when the VM has ended a call by a limit of its own,
// and cuts a message that is too long.
func reword(e *Error, limits *Limits) {
	e.Message = shorten(e.Message)
	switch e.Kind {
	case diag.Overflow:
		depth := int64(limits.Depth)
		e.Limit = "Depth"
		e.Message = fmt.Sprintf("stack overflow: %s of %s calls in each other (Limits.Depth)", diag.Grouped(depth+1), diag.Grouped(depth))
	case diag.Registers:
		e.Message = fmt.Sprintf("stack overflow: the calls in each other hold more than %s values", diag.Grouped(registers))
	}
}
