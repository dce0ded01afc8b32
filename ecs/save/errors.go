package save

import "errors"

// Errors of this package wrap one of these, or those of package ecs.
var (
	// ErrFormat says that a file is no save.
	ErrFormat = errors.New("not a save")
	// ErrVersion says that a save is of a version of the format that this program does not read.
	ErrVersion = errors.New("unknown version of the format")
	// ErrDamaged says that a save is not what was written: cut, changed, or made by somebody else.
	ErrDamaged = errors.New("damaged save")
	// ErrTooLarge says that something is larger than a limit.
	ErrTooLarge = errors.New("too large")
	// ErrLoss says that a load would lose something: components that are not there any more, fields
	// that do not fit. See [LoadOptions].
	ErrLoss = errors.New("something would be lost")
)
