package fuzz

import "syscall"

// limitAddresses lets the process have 12 GiB of addresses, of which the arenas
// of worlds and the runtime reserve most.
func limitAddresses() {
	const addresses = 9 // RLIMIT_AS
	limit := syscall.Rlimit{Cur: 12 << 30, Max: 12 << 30}
	if err := syscall.Setrlimit(addresses, &limit); err != nil {
		panic(err)
	}
}
