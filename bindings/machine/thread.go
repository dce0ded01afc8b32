package machine

// Thread is a coroutine.
type Thread struct{}
