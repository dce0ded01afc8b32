package main

import "slices"

// arrows counts the arrows between the files of a package. An arrow from a to b says
// that a mentions something which b declares. The files stand in an order in which
// few arrows run backwards; those that do are what a reader has to keep in mind all
// at once.
//
// How good is the order? To find the best one is hard (it is the feedback arc set
// problem), so files are first taken off greedily, sinks and sources before the
// others, as P. Eades, X. Lin and W. F. Smyth describe it (1993), and then moved one
// by one as long as that helps.
func (p *pkg) arrows() (forward, backward int) {
	order := p.order()
	at := map[string]int{}
	for i, f := range order {
		at[f] = i
	}
	for _, u := range p.uses {
		if at[u.from] < at[u.to] {
			forward++
		} else {
			backward++
		}
	}
	return forward, backward
}

// order returns the files from those that lean on others to those on which others
// lean.
func (p *pkg) order() []string {
	out, in := map[string][]string{}, map[string][]string{}
	left := map[string]bool{}
	for _, u := range p.uses {
		out[u.from], in[u.to] = append(out[u.from], u.to), append(in[u.to], u.from)
		left[u.from], left[u.to] = true, true
	}
	count := func(list []string) (n int) {
		for _, f := range list {
			if left[f] {
				n++
			}
		}
		return n
	}
	var first, last []string
	for len(left) > 0 {
		best, lean, sink := "", 0, false
		for _, f := range sorted(left) {
			o, i := count(out[f]), count(in[f])
			if o == 0 {
				best, sink = f, true
				break
			}
			if best == "" || o-i > lean {
				best, lean = f, o-i
			}
		}
		delete(left, best)
		if sink {
			last = append(last, best)
		} else {
			first = append(first, best)
		}
	}
	slices.Reverse(last)
	return improve(append(first, last...), p.uses)
}

// improve moves single files to where fewest arrows run backwards, until none gains.
func improve(order []string, uses []use) []string {
	leans := map[use]int{}
	for _, u := range uses {
		leans[u]++
	}
	for gained := true; gained; {
		gained = false
		for i := range order {
			f, best, to, gain := order[i], 0, i, 0
			for j := i - 1; j >= 0; j-- { // f passes order[j] on its way up
				gain += leans[use{f, order[j]}] - leans[use{order[j], f}]
				if gain > best {
					best, to = gain, j
				}
			}
			gain = 0
			for j := i + 1; j < len(order); j++ { // and on its way down
				gain += leans[use{order[j], f}] - leans[use{f, order[j]}]
				if gain > best {
					best, to = gain, j
				}
			}
			if best > 0 {
				order = slices.Insert(slices.Delete(order, i, i+1), to, f)
				gained = true
			}
		}
	}
	return order
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for f := range set {
		list = append(list, f)
	}
	slices.Sort(list)
	return list
}
