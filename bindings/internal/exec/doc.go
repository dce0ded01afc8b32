// Package exec runs functions of scripts over rows: each functions, batch functions and
// handlers of events, on the VM or as kernels.
//
// There are four nouns.
//
//   - An [Executor] is what all runners of one Lua state share: the calls, the metatables, the
//     entities that rest because a function has failed for them.
//   - A [System] is a system as a script declared it. A runner is its function, ready to be
//     run once a tick: an [EachRunner], a [Batch], or a plain function.
//   - A [RowTable] is the table that stands for one component of the entity at hand; an
//     array is one field of a batch; a [Context] is ctx. All are loans: tables that a
//     script has for one call.
//   - A kernel ([rows.Kernel]) is an each function that was compiled. Where it stops at a
//     row, the VM runs that row.
//
// # One row after the other
//
// The call of an each function for one row is a transaction inside of the call of its
// system: a row that fails is undone alone, and its entity rests. Rows are undone by the
// columns that were kept for the whole view.
//
// # Invariants
//
//   - A column is kept for the undo before anything is written into it, and at most once for
//     a view: the field Saved of [rows.Column].
//   - A row counts as changed only if a value differs, and only if its turn has succeeded:
//     a column is stamped when the last row of a chunk is done. A batch changes
//     all its rows of a column that it opens to write.
//   - Whatever runs a row, the VM or a kernel, the bytes after it are the same,
//     and so are the stamps.
//   - What a function does to its own row by a command comes before what it leaves in it:
//     the row is then shown aside ([view.Aside]), and what is left is one more command.
//
// # Lifetimes
//
// A runner lives as long as its system. A view is good inside of the function that got it. A
// loan is over when its call is: if the function may have kept it, its content moves to
// another table, and what the script holds says that it is over.
//
// # The walk of a row's write
//
// A field that an each function assigns on the VM:
//
//	bindings/internal/exec   EachRunner.Perform    is what the schedule runs
//	bindings/internal/exec   EachRunner.Run        is the run of a tick, as a call of the script
//	bindings/internal/exec   EachRunner.inOrder    takes one view after the other
//	bindings/internal/view   Viewer.Each           cuts the chunks of the query into views
//	bindings/internal/exec   EachRunner.byLua      has the VM do it
//	bindings/internal/exec   EachRunner.enterVM    enters the VM, unless the run is in it
//	bindings/internal/exec   EachRunner.interpret  goes through the rows of the view
//	bindings/internal/exec   EachRunner.rest       has it run one row after the other
//	bindings/machine         Call.Repeat           calls it without leaving the loop of the VM
//	bindings/machine         Thread.repeat         enters the loop
//	bindings/machine         VM.execute            enters it again after errors
//	bindings/machine         VM.attempt            is the loop
//	bindings/machine         Thread.start          begins what Go has asked for
//	bindings/machine         Thread.again          asks for the arguments of the next call, and gives the results of the last
//	bindings/internal/exec   EachRunner.Turn       ends the turn of a row, and begins that of the next one
//	bindings/internal/exec   EachRunner.end        goes through the tables of the row
//	bindings/internal/exec   EachRunner.leave      goes through the fields of one table that the function may assign
//	bindings/internal/exec   EachRunner.store      stores one of them
//	bindings/internal/exec   EachRunner.storeFloat  compares a number with the field, and sets it in place; value.Differs and value.Store do it for other kinds
//	bindings/internal/exec   EachRunner.change     notes that the row changes the column
//	bindings/internal/tx     Runner.Keep           keeps the column for the undo, the first time
//	bindings/internal/exec   EachRunner.pass       goes on to the next row
//	bindings/internal/exec   EachRunner.passed     ends the turn of the row
//	bindings/internal/tx     Runner.Stamp          marks the chunk as changed, after its last row
//	ecs                      Dates.Column          notes it with the version of the world
//
// # The walk of a kernel run
//
// A run of a system whose each function was compiled:
//
//	bindings/internal/exec           EachRunner.Perform     is what the schedule runs
//	bindings/internal/tx             Runner.PerformOutside  begins a call of the script, and ends it after all that follows
//	bindings/internal/tx             Runner.outside         holds the world, and catches what fails
//	bindings/internal/exec           EachRunner.Run         makes the kernel Ready
//	bindings/internal/exec           EachRunner.inOrder     takes one view after the other
//	bindings/internal/view           Viewer.Each            cuts the chunks of the query into views
//	bindings/internal/exec           EachRunner.compiled    has the kernel do it, but for rows that are the VM's
//	bindings/internal/exec           kernelRunner.prepare   keeps what the kernel may write
//	bindings/internal/exec           kernelRunner.runWatched  looks after some rows whether they have changed anything
//	bindings/internal/exec           kernelRunner.run       asks how many rows the limits leave
//	bindings/internal/exec           kernelRunner.runPortions  gives it fuel, and counts what was used
//	scripting/internal/kernel        Kernel.Run             runs the rows by its own invoker
//	scripting/internal/kernel        invoker.run             puts addresses and numbers on the stack
//	scripting/internal/kernel/engine Invoker.Call            calls the machine code
//	scripting/internal/kernel        invoker.take            reads the row at which it stopped
//	bindings                         KernelHost.End         makes the changes that its rows have noted
//	bindings/internal/exec           kernelRunner.finish    compares what was kept with what is there
//	bindings/internal/tx             Runner.Stamp           marks the chunk as changed, if a value has
//
// # Where code lives
//
//	what all runners share; systems            executor, system
//	each functions, row by row                 each, turns
//	those that only compute, in blocks         blocks
//	tables of rows, and what uses them         row, row_fields, touched
//	what rows and batches write, stored        store
//	batches                                    batch
//	lists of a batch, as scripts have them     array
//	who may have a list beside a function      escape
//	kernels, and the rows that they leave      kernel, kernel_parallel
//	what runs of kernels copy, charged         kernel_copies
//	kernels that are slower than reckoned      tempo
//	kernels made anew for other values         kernel_renewal
//	those that are compiled beside the ticks   kernel_concurrent
//	what it takes to come to rows, charged     enter
//	what ran where, and how long it took       recorder
//	entities that rest after an error          park
//	who rests, captured and restored           kept
//	ecs.update                                 row
//	ctx; tables that scripts have for a call   loan
package exec
