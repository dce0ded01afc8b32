--- a local of the script that never changes
u.x = speed
--- a boolean that never changes
u.on = on
--- a local that changes is an input
u.x = count
--- a local that is assigned is a result
count = count + u.x
--- a boolean that is assigned
flag = u.on
--- a field of a table
u.x = tuning.speed + tuning.deep.most
--- a field of a table that is assigned
tuning.speed = u.x
--- a text in a table
u.mode = tuning.name
--- a table with a field for each name
u.x = paces[u.mode]
--- an item at a constant index
u.x = levels[2]
--- an item at an index of the row
u.x = levels[u.n]
--- an item of a long list
u.x = long[u.n]
--- a boolean of a list
u.on = ons[u.n]
--- a field of an item
u.x = spots[u.n].x
--- a boolean of an item
u.on = spots[u.n].on
--- a deep field of an item
u.x = spots[u.n].at.n
--- an item of an item
u.x = grid[u.n][2]
--- a list in an item
u.x = spots[u.n].at[1]
--- whether there is an item
u.on = spots[u.n] ~= nil
--- whether there is a table
u.on = tuning ~= nil
--- a name that is nil
u.x = §missing
--- a table as a number
u.x = §tuning
--- a missing field
u.x = tuning.§none
--- a table without numbers
u.x = tuning§[u.n]
--- values of several kinds
u.x = mixed§[u.n]
--- other things than numbers
u.x = words§[u.n]
--- a field that not all items have
u.x = uneven[u.n].§x
--- lists of several lengths
u.x = ragged[u.n]§[1]
--- the length of lists of several lengths
u.x = §#ragged[u.n]
--- an item as a number
u.x = spots§[u.n]
--- an assignment to a list
levels§[1] = 2
--- an assignment to an item
spots[u.n].§x = 1
--- an assignment of text to a number
§word = "y"
--- an assignment to a field that is no number
tuning.§name = "run"
--- an assignment to a field that a copy of a list may hold, too
tuning.§on = u.on
u.on = spots[u.n].on
--- the length of the lists in a list of which the first is empty
u.x = §#hollow[u.n]
--- more items than there is room for
u.x = vast[u.n].§x
--- items that are not all tables
u.on = torn§[u.n] ~= nil
--- a number of the host's
u.x = clock.hour
--- an assignment to a number of the host's
clock.§hour = 1
--- an assignment to a component
§Unit = 1
