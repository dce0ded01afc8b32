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
	// Rows are the uses of the fields of rows, of what ecs returns and of contexts.
	Rows []*FieldUse
	// Assigned are the names of fields that functions assign, of whichever table.
	Assigned map[string]bool
	// Computed are the tables of which functions assign a field by a computed name: those
	// that are written out and have a name, and under nil all others.
	Computed map[*syntax.Table]bool

	modules modules
	each    map[syntax.FuncID]*Each
	options map[syntax.FuncID]OptionPlaces
}

// Of finds out the facts of a tree.
func Of(tree *syntax.Tree) *Facts {
	known, expected := settledIn(tree), expectErrors(tree)
	reach := reachOf(known, expected, tree.Body)
	f := &Facts{
		Tree: tree, Each: eachFunctions(tree, known, expected), Absent: absentKeys(tree), modules: modulesOf(tree, reach), Globals: globalFields(tree), Calls: callsOf(tree, reach), Rows: rowsOf(tree.Names, reach, tree.Body),
		each: map[syntax.FuncID]*Each{}, options: optionsOf(tree),
	}
	f.Assigned, f.Computed = assignedInside(tree)
	f.Fields = f.modules.fields()
	for _, each := range f.Each {
		f.each[each.Function.ID] = each
	}
	return f
}

// EachOf returns what is known of a function over rows, nil for other functions.
func (f *Facts) EachOf(id syntax.FuncID) *Each { return f.each[id] }

// Scalars returns the second forms of functions over rows.
func (f *Facts) Scalars() map[syntax.FuncID]*syntax.Function {
	forms := map[syntax.FuncID]*syntax.Function{}
	for _, each := range f.Each {
		if each.Form != nil {
			forms[each.Function.ID] = each.Form
		}
	}
	return forms
}

// OptionsOfFunction returns the places of the options beside a function that is written
// out in the table of a system.
func (f *Facts) OptionsOfFunction(id syntax.FuncID) OptionPlaces { return f.options[id] }
