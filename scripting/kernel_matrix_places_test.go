package scripting_test

// The places where an expression can stand. X is the expression.

// sownJoins are the sides of the operators that it may stand on.
var sownJoins = []struct{ name, text string }{
	{"alone", "X"}, {"left of and", "X and $t"}, {"right of and", "$t and X"}, {"left of or", "X or $t"}, {"right of or", "$t or X"},
}

// sownDecisions are what a condition C is asked for. $s is any simple statement.
var sownDecisions = []struct{ name, text string }{
	{"if", "if C then $s else $s end"},
	{"elseif", "if $t then $s elseif C then $s end"},
	{"return", "if C then return end $s"},
	{"break", "for i# = 1, $k do if C then break end $s end"},
	{"goto", "for i# = 1, $k do if C then goto next# end $s ::next#:: end"},
	{"while", "local k# = 0 while C do k# = k# + 1 if k# > 3 then break end $s end"},
	{"until", "local k# = 0 repeat k# = k# + 1 if k# > 3 then break end $s until C"},
	{"value", "b.b = not not (C) $f = (C) and 2 or 3"},
	{"argument", "$f = (three((C) and 1 or 11))"},
}

// sownUses are the places of numbers.
var sownUses = []struct{ name, text string }{
	{"into f64", "b.f = X"}, {"into f32", "a.g = X"}, {"into an integer", "a.u8 = floor(math.max(0, math.min(255, X)))"},
	{"into a captured variable", "least = X"}, {"into a table", "memory.deep.most = X"}, {"into a local", "local v# = X b.h = v# + v# b.f = v#"},
	{"left of +", "$f = (X) + $n"}, {"right of +", "$f = $n + (X)"}, {"left of -", "$f = (X) - $n"}, {"right of -", "$f = $n - (X)"},
	{"factor", "$f = (X) * $n"}, {"left of /", "$f = (X) / $n"}, {"right of /", "$f = $n / (X)"}, {"left of %", "$f = (X) % $n"}, {"right of %", "$f = $n % (X)"},
	{"left of ^", "$f = (X) ^ $n"}, {"right of ^", "$f = $n ^ (X)"}, {"behind minus", "$f = -(X)"},
	{"less", "b.b = (X) < $n"}, {"at least", "b.b = $n <= (X)"}, {"equal", "b.b = (X) == $n"},
	{"of max", "$f = math.max($n, X)"}, {"of floor", "$f = math.floor(X)"}, {"of the host", "$f = math.sin(X)"},
	{"of a call", "$f = lib.scaled(X)"}, {"of a function inside", "$f = near(X)"}, {"an index", "$f = levels[X] or 2"}, {"an index of a long list", "$f = long[X] or 2"},
	{"from", "for i# = X, 3 do $f = i# break end"}, {"to", "for i# = 1, X do $f = i# if i# > 2 then break end end"}, {"by", "for i# = 1, 3, X do $f = i# break end"},
	{"returned", "local function r#() if $t then return X end return 1 end $f = r#()"}, {"chosen", "$f = $t and (X) or $n"}, {"a default", "$f = m0 or (X)"},
	{"in an event", "ecs.emit(Hit { amount = X })"}, {"a handle", "b.b = ecs.alive(X)"}, {"one of several", "b.f, b.h = X, $n"},
}

// sownNames are the places of names of an enum.
var sownNames = []struct{ name, text string }{
	{"into a field", "if of then of.mode = X end"}, {"compared with a text", "b.b = X == 'walk'"}, {"compared with another", "b.b = X ~= d0"},
	{"an index", "$f = paces[X]"}, {"of a call", "$f = lib.pace(X)"}, {"into a local", "local v# = X b.b = v# == 'run'"},
}

// sownAround is what stands around a statement S.
var sownAround = []struct{ name, text string }{
	{"the function", "S"}, {"a branch", "if $t then S end"}, {"the other branch", "if $t then $s else S end"}, {"a block", "do S end"},
	{"a short loop", "for i# = 1, 3 do S end"}, {"a loop that ends at zero", "for n0 = 2, 0, -1 do S end"}, {"a long loop", "for i# = 1, 20 do do S end if i# > 2 then break end end"},
	{"while", "local k# = 0 while k# < 3 do k# = k# + 1 S end"}, {"repeat", "local k# = 0 repeat k# = k# + 1 do S end until k# > 2"},
	{"a list", "for i#, v# in ipairs(levels) do S end"}, {"loops", "for i# = 1, 2 do for j# = 1, i# do S end end"},
	{"where a component is", "if og then S end"}, {"behind a guard", "if $t then return end S"}, {"a function inside", "local function z#() S end z#()"},
}
