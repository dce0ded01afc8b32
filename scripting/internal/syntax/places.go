package syntax

import lua "github.com/yuin/gopher-lua"

// A placeTable is what the compilation knows of the nodes of gopher-lua's tree. Those
// nodes have one integer of our choice, which the compiler takes for their line and
// writes beside each instruction. So it is the number of a place in this table, and
// [unit.finish] turns it back into a line and a column.
//
// Numbers are even: the compiler adds one in two places (for the end of the text, and
// in what it says of labels), and an odd number means the line after that of the place
// before it. Number 0 is no place.
//
// Is nothing in the compiler decided by lines? Only that a last line which is 0 is
// taken from the first one, so numbers of places that exist are never 0.
type placeTable struct{ list []place }

// A place is a position in the text, and what is to be known of the node there when it
// has become instructions. Only add makes places without more than a position.
type place struct {
	pos Pos
	// function is that which begins here, 0 if there is none: the text as a whole
	// begins nowhere.
	function FuncID
	// loads is what the instruction loads in the place of a global, nil for all others.
	// See [unit.load].
	loads lua.LValue
	// keepsUpvalues marks a goto that leaves no captured local: the instruction in
	// front of its jump would close those of all outer blocks.
	keepsUpvalues bool
}

// add returns the number of a new place; 0 if the node has none.
func (p *placeTable) add(pos Pos) int {
	if pos == (Pos{}) {
		return 0
	}
	return p.put(place{pos: pos})
}

// addFunction returns the number of a place at which a function begins.
func (p *placeTable) addFunction(fn *Function) int { return p.put(place{pos: fn.Pos, function: fn.ID}) }

// put returns the number of a new place: even, and at least 2.
func (p *placeTable) put(place place) int {
	p.list = append(p.list, place)
	return 2 * len(p.list)
}

// addKeeping is add for a goto that leaves no captured local.
func (p *placeTable) addKeeping(pos Pos) int { return p.put(place{pos: pos, keepsUpvalues: true}) }

// at returns the place with a number.
// An odd number has a line and no column, and none of what the place says of its
// node: the compiler has made the number, so no node stands there.
func (p *placeTable) at(number int) place {
	if number < 2 {
		return place{}
	}
	found := p.list[number/2-1]
	if number%2 != 0 {
		return place{pos: At(found.pos.Line()+1, 0)}
	}
	return found
}
