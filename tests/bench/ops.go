package main

// The operations, by the names that contenders are asked for.
const (
	opChunks      = "iterate columns"
	opRows        = "iterate rows"
	opOne         = "query of one"
	opSpread32    = "32 archetypes"
	opSpread256   = "256 archetypes"
	opBeside      = "1 of 257 archetypes"
	opGet         = "random get"
	opCreate      = "create"
	opCreateAll   = "create, batch"
	opAddRemove   = "add and remove"
	opExchangeAll = "add and remove, batch"
	opDestroy     = "destroy"
	opDestroyAll  = "destroy, batch"
	opWorld       = "new world"
)

// operations in the order in which they run, with the targets.
var operations = []operation{
	{name: opChunks, most: 1, slow: 1.05},
	{name: opRows, most: 0.8},
	{name: opOne, n: 1, each: 1000, most: 1},
	{name: opSpread32, most: 1},
	{name: opSpread256, most: 1},
	{name: opBeside, most: 1},
	{name: opGet, most: 1},
	{name: opCreate, most: 1},
	{name: opCreateAll, most: 0.8},
	{name: opAddRemove, most: 0.9},
	{name: opExchangeAll, most: 0.6},
	{name: opDestroy, most: 1},
	{name: opDestroyAll, most: 1},
	{name: opWorld, n: 1, each: 10, most: 1},
}

// contenders in the order in which they take turns. The first is ours.
func contenders() []contender {
	return []contender{perigee(), plain(), arkPeer(), voltPeer(), unitoftimePeer(), donburiPeer(), ggecsPeer()}
}

// shuffled returns 0 to n-1 in an order without pattern, the same every time.
func shuffled(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	state := uint64(1)
	for i := n - 1; i > 0; i-- {
		state = state*6364136223846793005 + 1442695040888963407
		j := int((state >> 33) % uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}
