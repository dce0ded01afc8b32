package machine

// Function is a function of Lua or of Go.
type Function struct{}
