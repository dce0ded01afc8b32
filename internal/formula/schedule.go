package formula

import "slices"

// This file orders operations. A processor that looks ahead finds by itself which of them can run
// at once, but only among the next hundred or two, and wazero keeps the order that it is given.
// So what others wait for longest should come early, and values should not be alive for long:
// those that have no register take a store and a load each, and registers that a function uses
// beyond the first eight are saved and restored by it. On sin, this order takes 15 % less time
// than that of the description.

// perValue is how many cycles of waiting a free register is worth. It is a measured number: by
// less, tan and powers run out of registers, by more, sin and atan2 wait.
const perValue = 10

// earlyGuard is how many operations lead to a guard that comes before all others. What is behind
// it needs neither the guard nor the arguments for the slow way.
const earlyGuard = 12

// latency is about how many cycles a result takes, in vectors.
func latency(o op) int {
	switch o {
	case add, sub, mul, lt, le, eq, trunc:
		return 3
	case div:
		return 13
	case sqrt:
		return 20
	case shl, shr, choose:
		return 2
	case literal, argument:
		return 0
	}
	return 1
}

// scheduler takes operations one by one, the best of those whose operands are there.
type scheduler struct {
	users   map[*node][]*node // each once
	missing map[*node]int     // operands that are not computed yet
	left    map[*node]int     // users that are not computed yet; results have one more
	height  map[*node]int     // cycles from the beginning of the operation to the end of the program
	list    []*node
}

// schedule orders a list of operations, which is one that can be computed in its order. Of the
// results the guard is the first one, if there is a guard.
func schedule(list, roots []*node) []*node {
	s := newScheduler(list, roots)
	var first []*node
	if roots[0].kind == mask {
		if first = leading(list, roots[0]); len(first) > earlyGuard {
			first = nil
		}
	}
	isFirst := func(n *node) bool { return n.op == argument || slices.Contains(first, n) }
	s.take(slices.DeleteFunc(slices.Clone(list), func(n *node) bool { return !isFirst(n) }))
	s.take(slices.DeleteFunc(slices.Clone(list), isFirst))
	return s.list
}

func newScheduler(list, roots []*node) *scheduler {
	s := &scheduler{map[*node][]*node{}, map[*node]int{}, map[*node]int{}, map[*node]int{}, nil}
	for _, r := range roots {
		if r.kind != mask {
			s.left[r]++
		}
	}
	for _, n := range list {
		for _, a := range operands(n) {
			s.users[a] = append(s.users[a], n)
			s.missing[n]++
			s.left[a]++
		}
	}
	for _, n := range slices.Backward(list) {
		for _, u := range s.users[n] {
			s.height[n] = max(s.height[n], s.height[u])
		}
		s.height[n] += latency(n.op)
	}
	return s
}

// take computes operations, which need none but each other and those that are computed.
func (s *scheduler) take(list []*node) {
	for len(list) > 0 {
		best, most := -1, 0
		for i, n := range list {
			if s.missing[n] > 0 {
				continue
			}
			if worth := s.worth(n); best < 0 || worth > most {
				best, most = i, worth
			}
		}
		s.compute(list[best])
		list = slices.Delete(list, best, best+1)
	}
}

// worth is how good it is to take an operation next: the longer the way to the end, and the more
// values are not needed any more.
func (s *scheduler) worth(n *node) int {
	worth := s.height[n]
	for _, a := range operands(n) {
		if s.left[a] == 1 {
			worth += perValue
		}
	}
	return worth
}

func (s *scheduler) compute(n *node) {
	s.list = append(s.list, n)
	for _, a := range operands(n) {
		s.left[a]--
	}
	for _, u := range s.users[n] {
		s.missing[u]--
	}
}

// operands lists those of an operation that are computed, each once.
func operands(n *node) (list []*node) {
	for _, a := range n.args {
		if a.op != literal && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// leading lists the operations that one needs, and itself.
func leading(list []*node, to *node) []*node {
	needed := map[*node]bool{to: true}
	var found []*node
	for _, n := range slices.Backward(list) {
		if needed[n] {
			found = append(found, n)
			for _, a := range n.args {
				needed[a] = true
			}
		}
	}
	return found
}
