package syntax

// The tree of a text: nodes with places, and nothing else. What is learned about a node
// is kept beside the tree, by the node's address or the FuncID, such as in Names. So many can read one tree at the same time.

// A Pos is a place in a text: a line, and a column in bytes, both counted from 1.
// The zero Pos is no place.
type Pos struct{ line, column int32 }

// At returns the place with a line and a column. Column 0 means the line as a whole.
func At(line, column int) Pos { return Pos{int32(line), int32(column)} }

// Line returns the line, 0 if there is none.
func (p Pos) Line() int { return int(p.line) }

// Column returns the column in bytes, 0 if it is unknown.
func (p Pos) Column() int { return int(p.column) }

// Position returns the place itself: nodes embed it.
func (p Pos) Position() Pos { return p }

// A FuncID names a function of one text: 0 is the text as a whole, the others are
// numbered by where the keyword function stands. It survives compilation, see
// [Program].
type FuncID int

// A Node is a part of the tree: an [Expr] or a [Stmt].
type Node interface {
	Line() int
	Column() int
	Position() Pos
}

// An Expr is an expression.
type Expr interface {
	Node
	// Unexported, so that no other package adds an expression which the switches here
	// do not know.
	expr()
}

// A Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Literals, and `...`.
type (
	// Nil is nil.
	Nil struct{ Pos }
	// True is true.
	True struct{ Pos }
	// False is false.
	False struct{ Pos }
	// Number is a numeral, in the form that gopher-lua's compiler reads as its value.
	Number struct {
		Pos
		Value string
	}
	// String is a text, without its quotes and escapes.
	String struct {
		Pos
		Value string
	}
	// Vararg is `...`.
	Vararg struct {
		Pos
		Single bool // it stands in parentheses: its first value alone
	}
)

// Names, fields and calls. The place of an index is that of the name after the dot,
// or of the bracket; that of a call is the end of what is called.
type (
	// Name is a local, an upvalue or a global where it is used, and a local or a
	// parameter where it is declared.
	Name struct {
		Pos
		Value string
	}
	// Index is Object.key or Object[Key].
	Index struct {
		Pos
		Object, Key Expr
	}
	// Call is Func(Args), or Receiver:Method(Args) when Func is nil.
	Call struct {
		Pos
		Func     Expr
		Receiver Expr
		Method   string
		Args     []Expr
		Single   bool // it stands in parentheses: its first value alone
	}
)

// Function is a function's parameters and body. Its place is that of the keyword
// function, its End that of the keyword end.
type Function struct {
	Pos
	End    Pos
	ID     FuncID
	LastID FuncID  // the functions inside of it have the numbers from ID+1 to LastID
	Params []*Name // without the self of a method
	Vararg bool    // it takes `...`
	Self   bool    // a method: self is its first parameter
	Body   []Stmt
}

// Table is a table constructor.
type Table struct {
	Pos
	End    Pos
	Fields []*Field
}

// Field is an item of a constructor: Key is nil for an item of the list.
type Field struct{ Key, Value Expr }

// Operators. The place is that of the operator.
type (
	// Logical is `and` and `or`.
	Logical struct {
		Pos
		Operator string
		Lhs, Rhs Expr
	}
	// Comparison is <, >, <=, >=, == and ~=.
	Comparison struct {
		Pos
		Operator string
		Lhs, Rhs Expr
	}
	// Concat is `..`; a run of them leans to the right.
	Concat struct {
		Pos
		Lhs, Rhs Expr
	}
	// Arithmetic is +, -, *, /, % and ^.
	Arithmetic struct {
		Pos
		Operator string
		Lhs, Rhs Expr
	}
	// Minus is -Expr.
	Minus struct {
		Pos
		Expr Expr
	}
	// Not is `not Expr`.
	Not struct {
		Pos
		Expr Expr
	}
	// Length is #Expr.
	Length struct {
		Pos
		Expr Expr
	}
)

// Simple statements.
type (
	// Assign sets names and fields.
	Assign struct {
		Pos
		Lhs, Rhs []Expr
	}
	// Local declares locals, visible after the values.
	Local struct {
		Pos
		Names []*Name
		Exprs []Expr
	}
	// LocalFunction is `local function`: the function sees its own name.
	LocalFunction struct {
		Pos
		Name *Name
		Func *Function
	}
	// FunctionStmt is `function Target()`, or `function Receiver:Method()` when Target
	// is nil.
	FunctionStmt struct {
		Pos
		Target   Expr // a *Name or an *Index
		Receiver Expr
		Method   string
		Func     *Function
	}
	// CallStmt is a call that stands alone.
	CallStmt struct {
		Pos
		Call Expr // a *Call
	}
	// Return leaves the function.
	Return struct {
		Pos
		Exprs []Expr
	}
	// Break leaves the innermost loop.
	Break struct{ Pos }
	// Goto goes to a label.
	Goto struct {
		Pos
		Label string
	}
	// Label is where a goto goes to.
	Label struct {
		Pos
		Name string
	}
)

// Statements with blocks. End is the place of the keyword that ends the last of them.
type (
	// Do is a block of its own.
	Do struct {
		Pos
		End  Pos
		Body []Stmt
	}
	// While is a while loop.
	While struct {
		Pos
		End       Pos
		Condition Expr
		Body      []Stmt
	}
	// Repeat is a repeat loop; End is the place of its condition, which sees the locals
	// of the body.
	Repeat struct {
		Pos
		End       Pos
		Condition Expr
		Body      []Stmt
	}
	// If is an if; an elseif is the only statement of the Else, and has no End.
	If struct {
		Pos
		End        Pos
		Condition  Expr
		Then, Else []Stmt
	}
	// NumberFor counts; Step may be nil.
	NumberFor struct {
		Pos
		End               Pos
		Name              *Name
		Init, Limit, Step Expr
		Body              []Stmt
	}
	// GenericFor asks an iterator.
	GenericFor struct {
		Pos
		End   Pos
		Names []*Name
		Exprs []Expr
		Body  []Stmt
	}
)

func (*Nil) expr()        {}
func (*True) expr()       {}
func (*False) expr()      {}
func (*Number) expr()     {}
func (*String) expr()     {}
func (*Vararg) expr()     {}
func (*Name) expr()       {}
func (*Index) expr()      {}
func (*Call) expr()       {}
func (*Function) expr()   {}
func (*Table) expr()      {}
func (*Logical) expr()    {}
func (*Comparison) expr() {}
func (*Concat) expr()     {}
func (*Arithmetic) expr() {}
func (*Minus) expr()      {}
func (*Not) expr()        {}
func (*Length) expr()     {}

func (*Assign) stmt()        {}
func (*Local) stmt()         {}
func (*LocalFunction) stmt() {}
func (*FunctionStmt) stmt()  {}
func (*CallStmt) stmt()      {}
func (*Return) stmt()        {}
func (*Break) stmt()         {}
func (*Goto) stmt()          {}
func (*Label) stmt()         {}
func (*Do) stmt()            {}
func (*While) stmt()         {}
func (*Repeat) stmt()        {}
func (*If) stmt()            {}
func (*NumberFor) stmt()     {}
func (*GenericFor) stmt()    {}

// Texts returns the names as texts.
func Texts(names []*Name) []string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = name.Value
	}
	return texts
}
