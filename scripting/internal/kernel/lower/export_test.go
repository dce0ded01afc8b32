package lower

// Used returns how much of a budget is used.
func (b *CompileBudget) Used() int64 { return b.used }

// Spend uses some of a budget.
func (b *CompileBudget) Spend(time int64) { b.spend(time) }
