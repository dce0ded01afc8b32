package scripting_test

// kind says what an expression gives, and so where it can stand.
type kind uint8

const (
	aNumber kind = iota
	aMaybe       // a number, or nil for some rows
	aTruth
	aRow  // a component, or nil for some rows; of a tag, true or nil
	aName // of an enum
)

// sown is one form of an expression. In its texts $n is any number, $t a truth, $h a
// handle, $m a name of an enum, $3 to $40 a whole number from 1 to that.
type sown struct {
	name  string
	kind  kind
	texts []string
}

// sownRules are the expressions that kernels know. What the sources of the compiler
// list and is missing here fails TestMatrixKnowsTheRules.
var sownRules = []sown{
	{"a numeral", aNumber, []string{"3", "0.5", "255", "1e300", "math.huge", "-1", "(0/0)"}},
	{"a local number", aNumber, []string{"n0"}},
	{"a captured constant", aNumber, []string{"speed", "edge"}},
	{"a captured variable", aNumber, []string{"count", "least"}},
	{"a field of a table", aNumber, []string{"lib.far.limit", "lib.scale", "memory.deep.most", "memory.total"}},
	{"a number of the library", aNumber, []string{"math.pi"}},
	{"dt", aNumber, []string{"ctx.dt"}},
	{"time", aNumber, []string{"ctx.time"}},
	{"tick", aNumber, []string{"ctx.tick"}},
	{"the entity", aNumber, []string{"e % 97", "(e)"}},
	{"f64", aNumber, []string{"a.f", "b.f", "b.h"}},
	{"f32", aNumber, []string{"a.g", "b.g"}},
	{"i8", aNumber, []string{"a.i8"}},
	{"u8", aNumber, []string{"a.u8"}},
	{"i16", aNumber, []string{"a.i16"}},
	{"u16", aNumber, []string{"b.u16"}},
	{"i32", aNumber, []string{"b.i32"}},
	{"u32", aNumber, []string{"b.u32"}},
	{"i64", aNumber, []string{"a.i64"}},
	{"u64", aNumber, []string{"b.u64"}},
	{"a nested field", aNumber, []string{"(of and of.at.x or $n)", "(of and of.at.deep.n or $n)"}},
	{"an element", aNumber, []string{"(og and og.slots[2] or $n)", "(of and of.small[3] or $n)", "(of and of.long[17] or $n)"}},
	{"an element at an index", aMaybe, []string{"(og and og.slots[$n] or m0)", "(of and of.small[$3] or m0)", "(of and of.slots[a.u8 % 6] or m0)"}},
	{"an element of a long array", aNumber, []string{"(of and of.long[$20] or $n)", "(of and of.long[$n] or $n)"}},
	{"how long an array is", aNumber, []string{"(of and #of.long or $n)", "(og and #og.slots or 3)"}},
	{"a field in a pool", aNumber, []string{"(oh and oh.t or $n)", "(oh and oh.n or $n)"}},
	{"an entity in a field", aNumber, []string{"(og and og.mate or e)", "(og and og.mate or 0) % 1000"}},
	{"an item", aNumber, []string{"levels[2]", "memory.deep.list[3]"}},
	{"an item at an index", aNumber, []string{"levels[$4]", "memory.deep.list[$3]"}},
	{"an item that may be missing", aMaybe, []string{"levels[$n]", "long[$n]", "grid[2][$n]"}},
	{"an item of a long list", aNumber, []string{"long[$40]", "long[7]"}},
	{"a field in a list", aNumber, []string{"spots[$5].x", "spots[2].at.n"}},
	{"a list in a list", aNumber, []string{"grid[$4][$3]", "spots[$5].at.row[$3]"}},
	{"how long a list is", aNumber, []string{"#levels", "#long", "#grid[$4]"}},
	{"an item by a name", aNumber, []string{"paces[$m]"}},
	{"a field of a copy", aMaybe, []string{"ecs.get($h, Gear, 'a')", "ecs.get($h, Gear, 'n')", "ecs.get($h, Heat, 't')", "ecs.get($h, Alpha, 'u8')", "(c0 and c0.a)"}},
	{"an element of a copy", aMaybe, []string{"(c1 and c1.long[$20])", "(c1 and c1.slots[$n])", "(c0 and c0.slots[2])"}},
	{"a copy of a component that is there", aNumber, []string{"ecs.get(e, Alpha).f", "ecs.get(e, Beta).u16"}},
	{"a sum", aNumber, []string{"($n + $n)"}},
	{"a difference", aNumber, []string{"($n - $n)"}},
	{"a product", aNumber, []string{"($n * $n)", "(n0 * n0)"}},
	{"a quotient", aNumber, []string{"($n / $n)"}},
	{"a rest", aNumber, []string{"($n % $n)", "(a.u8 % 7)"}},
	{"a power", aNumber, []string{"($n ^ $n)"}},
	{"a square", aNumber, []string{"($n ^ 2)"}},
	{"a root", aNumber, []string{"($n ^ 0.5)", "math.sqrt($n)"}},
	{"minus", aNumber, []string{"-($n)", "-a.f"}},
	{"abs, floor, ceil", aNumber, []string{"math.abs($n)", "math.floor($n)", "math.ceil($n)", "floor($n)"}},
	{"a function of the host", aNumber, []string{
		"math.acos($n)", "math.asin($n)", "math.atan($n)", "math.cos($n)", "math.cosh($n)", "math.deg($n)", "math.exp($n)", "math.log($n)", "math.log10($n)",
		"math.rad($n)", "math.sin($n)", "math.sinh($n)", "math.tan($n)", "math.tanh($n)"}},
	{"a function of the host with two arguments", aNumber, []string{"math.atan2($n, $n)", "math.fmod($n, $n)", "math.ldexp($n, $n)", "math.pow($n, $n)"}},
	{"the first of two results", aNumber, []string{"(math.modf($n))", "(math.frexp($n))", "(three($n))"}},
	{"the greatest", aNumber, []string{"math.max($n, $n)", "math.max($n, $n, 0)", "highest($n, 1)"}},
	{"the least", aNumber, []string{"math.min($n, $n)", "math.min($n, 0, $n)"}},
	{"a random number", aNumber, []string{"ecs.random()", "math.random()"}},
	{"a random whole number", aNumber, []string{"ecs.random(6)", "ecs.random(-2, 4)", "math.random(3)", "math.random(2, 5)", "ecs.random($4)"}},
	{"a call", aNumber, []string{"lib.scaled($n)", "lib.twice($n)", "bump($n)", "lib.past($n, b.u16)", "lib.hold($n)"}},
	{"a call with a row", aNumber, []string{"lib.age(a, ctx)", "(lib.sum(og) or $n)"}},
	{"a call of a function inside", aNumber, []string{"near($n)", "(near($n))"}},
	{"a choice", aNumber, []string{"($t and $n or $n)", "($t and $n or $t and $n or $n)"}},
	{"a number or false", aMaybe, []string{"($t and $n)", "($t and $n or $t and $n)"}},
	{"a number that is asserted", aNumber, []string{"assert($n)", "assert($n, 'no number')"}},
	{"nil", aMaybe, []string{"nil", "lib.none()"}},
	{"a local that may be nil", aMaybe, []string{"m0", "m1"}},
	{"a call that may give nil", aMaybe, []string{"lib.maybe($n)", "(lib.few($n))"}},
	{"a parent", aMaybe, []string{"ecs.parent($h)"}},
	{"one of two that may be nil", aMaybe, []string{"(m0 or lib.maybe($n))", "(m0 and lib.maybe($n))", "(lib.maybe($n) or m1)"}},

	{"true and false", aTruth, []string{"true", "false", "on", "off"}},
	{"a local truth", aTruth, []string{"t0"}},
	{"a captured truth", aTruth, []string{"flag", "memory.on", "lib.far.on"}},
	{"a bool", aTruth, []string{"a.b", "b.b"}},
	{"a truth of a list", aTruth, []string{"ons[2]", "ons[$3]", "bits[$40]", "spots[$5].on"}},
	{"an order", aTruth, []string{"$n < $n", "$n <= $n", "$n > $n", "$n >= $n", "a.i8 > 0"}},
	{"equal numbers", aTruth, []string{"$n == $n", "$n ~= $n", "a.u8 == 5"}},
	{"equal truths", aTruth, []string{"$t == $t", "$t ~= b.b"}},
	{"equal to nil", aTruth, []string{"m0 == nil", "lib.maybe($n) ~= nil", "og == nil", "ecs.get($h, Gear) ~= nil", "m0 == m1", "m0 == $n"}},
	{"an equal name", aTruth, []string{"$m == 'run'", "$m ~= 'idle'", "$m == $m", "(ot and ot.mode) == $m", "w0 == 'high'", "$m == 'fly'", "word == 'run'"}},
	{"an equal entity", aTruth, []string{"$h == e", "$h ~= $h"}},
	{"not", aTruth, []string{"not $t", "not not $t", "not $n", "not m0"}},
	{"a call that gives a truth", aTruth, []string{"lib.is($n, $n)", "when($n)", "lib.same($n, $n)", "sure($n)"}},
	{"has", aTruth, []string{"ecs.has($h, Gear)", "ecs.has($h, Frame)", "ecs.has(e, Tool)"}},
	{"has several", aTruth, []string{"ecs.has($h, Gear, Frame)", "ecs.has($h, Alpha, Heat)"}},
	{"has one in a pool", aTruth, []string{"ecs.has($h, Heat)", "ecs.has($h)"}},
	{"alive", aTruth, []string{"ecs.alive($h)", "ecs.alive(m0)", "ecs.alive(nil)", "ecs.alive(e)"}},
	{"a truth that is asserted", aTruth, []string{"assert($t or b.b or true)"}},

	{"an optional component", aRow, []string{"og", "of", "oh", "ot"}},
	{"a tag", aRow, []string{"red", "ecs.get($h, Red)"}},
	{"a copy", aRow, []string{"ecs.get($h, Gear)", "ecs.get($h, Frame)", "ecs.get($h, Alpha)"}},
	{"a copy of one in a pool", aRow, []string{"ecs.get($h, Heat)"}},
	{"a local copy", aRow, []string{"c0", "c1"}},

	{"a name in a field", aName, []string{"o.mode"}},
	{"a local name", aName, []string{"d0"}},
}

// sownForms are statements. $f is a field of float64 or float32.
var sownForms = []sown{
	{name: "an assignment", texts: []string{"$f = $n", "b.b = $t"}},
	{name: "an assignment to i8", texts: []string{"a.i8 = $w8"}},
	{name: "an assignment to u8", texts: []string{"a.u8 = $wu8"}},
	{name: "an assignment to i16", texts: []string{"a.i16 = a.i8", "a.i16 = a.u8 * 3"}},
	{name: "an assignment to u16", texts: []string{"b.u16 = a.u8", "b.u16 = b.u16 % 77"}},
	{name: "an assignment to i32", texts: []string{"b.i32 = a.i16 * 2", "b.i32 = -a.u8"}},
	{name: "an assignment to u32", texts: []string{"b.u32 = b.u16 + 1"}},
	{name: "an assignment to i64", texts: []string{"a.i64 = b.i32 - 1", "a.i64 = a.i64"}},
	{name: "an assignment to u64", texts: []string{"b.u64 = b.u32 * 2"}},
	{name: "what a field may not hold", texts: []string{"if a.u8 % 16 == 3 then a.i8 = $n end", "if a.u8 % 16 == 5 then b.u32 = $n end"}},
	{name: "several assignments", texts: []string{"$f, $f = $n, $n", "a.f, b.f = b.f, a.f", "n0, a.g = a.g, n0"}},
	{name: "a local is assigned", texts: []string{"n0 = $n", "t0 = $t"}},
	{name: "a local is set to nil", texts: []string{"m0 = nil", "m1 = lib.maybe($n)", "m1 = $n"}},
	{name: "a local is declared", texts: []string{"local v# = $n $f = v# * v#", "local v#, w# = $n, $t b.b = w# and v# > 0", "local v# if $t then v# = $n end $f = v# or $n"}},
	{name: "a local function", texts: []string{"local function g#(x) if $t then return x end return x + $n end $f = g#($n)", "local g# = function(x, y) return y, x end local v#, w# = g#($n, 2) $f = v# - w#"}},
	{name: "fewer results", texts: []string{"local v#, w# = lib.few($n) $f = v# + (w# or 0)", "local function g#() if $t then return 1, 2 end return 3 end local v#, w# = g#() $f = w# or v#", "local function g#() if $t then return nil end return m0 end $f = g#() or 1"}},
	{name: "a text in a local", texts: []string{"local v# = $t and 'a' or 'b' if $t then v# = 'c' end b.b = v# == 'a'", "w0 = $t and 'high' or 'low'", "local function g#(s) return s == 'x' end b.b = g#($t and 'x' or 'y')"}},
	{name: "a nested field is assigned", texts: []string{"if of then of.at.x = $n of.at.deep.n = a.i8 end"}},
	{name: "an element is assigned", texts: []string{"if og then og.slots[2] = $n end", "if of then of.small[1] = a.u8 end", "if of then of.slots[4] = $n end"}},
	{name: "an element at an index is assigned", texts: []string{"if og then og.slots[$4] = $n end", "if of then of.slots[a.u8 % 5 + 1] = $n end", "if of then for i# = 1, #of.slots do of.slots[i#] = i# * $n end end"}},
	{name: "an entity is assigned", texts: []string{"if og then og.mate = e end", "if og then og.mate = $h end", "if og then og.mate = ecs.parent(e) end"}},
	{name: "no entity is assigned", texts: []string{"if ot then ot.mate = nil end", "if ot then ot.mate = 0 end"}},
	{name: "a name is assigned", texts: []string{"if of then of.mode = $t and 'run' or 'idle' end", "if og then og.mode = 'walk' end", "if of and og then of.mode = og.mode end", "if ot then ot.mode = $t and 'swim' or $t and 'walk' or 'idle' end", "if ot and og then og.mode = ot.mode end", "d0 = 'run'"}},
	{name: "a pool is assigned", texts: []string{"if oh then oh.t, oh.n = $n, a.i16 end"}},
	{name: "a captured variable is assigned", texts: []string{"count = count + 1", "least = math.min(least, $n)", "flag = $t"}},
	{name: "a field of a table is assigned", texts: []string{"memory.total = memory.total + $n", "memory.deep.most = $n", "memory.on = $t"}},
	{name: "a block", texts: []string{"do $f = $n end", "do if $t then goto out# end $f = 3 ::out#:: end"}},
	{name: "a loop over numbers", texts: []string{"for i# = 1, $4 do $f = i# end", "for i# = 3, 1, -1 do $f = $f + i# end", "local k# = 0 for i# = $n, $n, $n do k# = k# + 1 if k# > 3 then break end $f = i# end", "for i# = 1, 40 do if $t then break end $f = i# end"}},
	{name: "a loop over a list", texts: []string{"for i#, v# in ipairs(long) do if i# > 3 then break end $f = v# end", "for i#, s# in ipairs(spots) do $f = s#.x + s#.at.n end", "for _, r# in ipairs(grid) do for k#, v# in ipairs(r#) do $f = v# * k# end end"}},
	{name: "while", texts: []string{"local k# = 0 while k# < 3 and $t do k# = k# + 1 $f = k# end"}},
	{name: "repeat", texts: []string{"local k# = 0 repeat k# = k# + 1 local d# = k# > 2 $f = k# until d# or $t"}},
	{name: "a call as a statement", texts: []string{"lib.hold(a.f)", "lib.clear(b, $n)", "bump($n)", "lib.none()", "$f, $f = lib.toward($n, $n, 2)"}},
	{name: "an event", texts: []string{"ecs.emit(Hit { amount = $n, kind = $t and 'soft' or 'hard', on = $t, who = $h })", "ecs.emit(Hit)", "ecs.emit(Hit { n = a.i8 })"}},
	{name: "a change of another", texts: []string{"if $r then ecs.set($h, Gear { a = $n, mode = 'run' }) end", "if $r then ecs.add($h, Heat { t = $n }) end", "if $r then ecs.remove($h, Gear) end"}},
	{name: "a change of its own", texts: []string{"if $r then ecs.set(e, Gear { s = $n, n = a.u8, mate = e }) end", "if $r then ecs.add(e, Red, Tool { mode = 'swim' }) end", "if $r then ecs.remove(e, Heat, Tool) end"}},
	{name: "a spawn", texts: []string{"if $r then ecs.spawn(Bolt, Alpha { f = $n }, Red) end", "if $r then ecs.spawn(Heat { t = $n }) end"}},
	{name: "a despawn", texts: []string{"if $r then ecs.despawn($h) end", "if a.u8 == 9 then ecs.despawn(e) end"}},
	{name: "what may fail", texts: []string{"if a.u8 % 16 == 7 then $f = m0 + 1 end", "if a.u8 % 16 == 8 then $f = og.a end", "if a.u8 % 16 == 4 then assert($t) end"}},
}
