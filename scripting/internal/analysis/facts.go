package analysis

import "github.com/perigee-ecs/perigee/scripting/internal/syntax"

// Facts are what is known of one tree.
type Facts struct {
	Tree *syntax.Tree
	// Each lists the functions over rows, in the order of the text.
	Each []*Each
	// Absent names, for table constructors that look like queries or options, the keys
	// that are written there and may come to nil.
	Absent map[*syntax.Table][]string
	// Fields are the fields of modules that the text names.
	Fields []ModuleField
	// Globals are the uses of global tables of which the text needs a field.
	Globals []GlobalField
	// Calls are the calls that functions make when they run, but for those that may fail.
	Calls []Call
	// Slips are the places of functions that fail whenever a call comes there.
	Slips []Slip
	// Rows are the uses of the fields of rows, of what ecs returns and of contexts.
	Rows []*FieldUse
	// Compared are those that are compared with a text.
	Compared []Compared
	Changes

	*settled
	each    map[syntax.FuncID]*Each
	options map[syntax.FuncID]OptionPlaces
}

// Changes are what a text changes of tables, and the table that it returns. They keep nothing of
// the tree: tables are named by their places.
type Changes struct {
	ByFunctions Assignments
	ByTop       Assignments // by the top level, which may not have run to its end
	// Exports is the table that the text returns, if it is written out and only others get
	// it by require; no place otherwise.
	Exports syntax.Pos
	// Passed are the modules whose tables the text does something else with than to name
	// their fields, as they were required. An empty name stands for all.
	Passed []string
}

// Assignments are the fields of tables that some part of a text assigns.
type Assignments struct {
	// Names are those of the fields, of whichever table.
	Names map[string]bool
	// Computed are the tables of which a field is assigned by a computed name: those that
	// are written out and have a name. No place stands for all that may come from
	// elsewhere, or get there.
	Computed map[syntax.Pos]bool
}

// Of finds out the facts of a tree.
func Of(tree *syntax.Tree) *Facts {
	known := settledIn(tree)
	expected, over := expectErrors(known), overRowsIn(known)
	r := &reacher{settled: known, expected: expected, over: map[syntax.FuncID]bool{}, inGame: inGame(tree), found: map[syntax.Node]reached{}, values: map[*syntax.Variable]bool{}}
	for _, fn := range over {
		r.over[fn.ID] = true
	}
	r.alone = alone(tree)
	r.unsure = yieldsUnsurely(tree)
	r.block(tree.Body)
	r.dots(tree)
	rows := rowsOf(tree, known, r.found)
	f := &Facts{
		Tree: tree, settled: known, Absent: absentKeys(known), Fields: known.moduleFields(r.found), Globals: globalFields(tree, expected), Calls: r.calls, Slips: r.slips, Rows: rows.found, Compared: rows.compared,
		Changes: Changes{ByFunctions: rows.byFunctions, ByTop: rows.byTop}, each: map[syntax.FuncID]*Each{}, options: optionsOf(known),
	}
	if r.returns == 1 && known.exports != nil {
		f.Exports = placeOf(known.own(known.exports))
	}
	f.Passed = known.unheld
	for _, v := range known.modules {
		if known.handed[v] || known.computed[v] {
			f.Passed = append(f.Passed, known.module(v))
		}
	}
	known.nodes, known.fields = nil, nil
	for _, fn := range over {
		each := newEach(tree.Names, fn.Function, r.found, known.sureOf(fn.query))
		f.Each, f.each[fn.ID] = append(f.Each, each), each
	}
	return f
}

// placeOf returns the place of a table, none for nil.
func placeOf(table *syntax.Table) syntax.Pos {
	if table == nil {
		return syntax.Pos{}
	}
	return table.Pos
}

// Own reports whether an expression names a table that is written out and that the text gives
// to nobody.
func (f *Facts) Own(e syntax.Expr) bool { return f.own(e) != nil }

// ValueOf returns what an expression is for good, that of a setting included; nil if nothing
// is known.
func (f *Facts) ValueOf(e syntax.Expr) syntax.Expr { return f.value(e) }

// SureOf says up to which reach a field that a component or an event does not have is a
// mistake.
func (f *Facts) SureOf(e syntax.Expr) Reach { return f.sureOf(e) }

// EachOf returns what is known of a function over rows, nil for other functions.
func (f *Facts) EachOf(id syntax.FuncID) *Each { return f.each[id] }

// OptionsOfFunction returns the places of the options beside a function that is written
// out in the table of a system.
func (f *Facts) OptionsOfFunction(id syntax.FuncID) OptionPlaces { return f.options[id] }
