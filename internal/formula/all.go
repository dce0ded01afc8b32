package formula

// All lists the formulas, in the order of the file that is generated from them.
var All = []Formula{
	{Name: "Sin", Params: 1, Results: 1, describe: sin, Doc: "returns the sine of the angle x in radians."},
	{Name: "Cos", Params: 1, Results: 1, describe: cos, Doc: "returns the cosine of the angle x in radians."},
	{Name: "Sincos", Params: 1, Results: 2, describe: sincos, Doc: "returns Sin(x) and Cos(x), which share the reduction of the angle."},
	{Name: "Tan", Params: 1, Results: 1, describe: tan, Doc: "returns the tangent of the angle x in radians."},
	{Name: "Asin", Params: 1, Results: 1, describe: asin, Doc: "returns the angle from -π/2 to π/2 whose sine is x, and NaN beyond 1."},
	{Name: "Acos", Params: 1, Results: 1, describe: acos, Doc: "returns the angle from 0 to π whose cosine is x, and NaN beyond 1."},
	{Name: "Atan", Params: 1, Results: 1, describe: atan, Doc: "returns the angle from -π/2 to π/2 whose tangent is x."},
	{Name: "Atan2", Params: 2, Results: 1, describe: atan2, Doc: "returns the angle of the point (y, x), from -π to π, given x = y and y = x of\nthe plane: the first argument is the point's y."},
	{Name: "Sinh", Params: 1, Results: 1, describe: sinh, Doc: "returns the hyperbolic sine of x."},
	{Name: "Cosh", Params: 1, Results: 1, describe: cosh, Doc: "returns the hyperbolic cosine of x."},
	{Name: "Tanh", Params: 1, Results: 1, describe: tanh, Doc: "returns the hyperbolic tangent of x."},
	{Name: "Exp", Params: 1, Results: 1, describe: exp, Doc: "returns e to the power x."},
	{Name: "Log", Params: 1, Results: 1, describe: log, Doc: "returns the natural logarithm of x: -Inf for 0, and NaN below."},
	{Name: "Log10", Params: 1, Results: 1, describe: log10, Doc: "returns the logarithm of x to the base 10: -Inf for 0, and NaN below."},
	{Name: "Pow", Params: 2, Results: 1, describe: pow, Doc: "returns x to the power y. Whole powers of whole numbers are exact as long as they\nare below 2^53. Special cases are those of C99 and math.Pow."},
	{Name: "ordinaryPow", Of: "Pow", Params: 2, Results: 1, describe: ordinaryPow, Doc: "returns x to the power y, for a y of which OrdinaryPower is true."},
	{Name: "Mod", Params: 2, Results: 1, describe: mod, Doc: "returns the exact remainder of x/y, with the sign of x: C's fmod, and math.Mod."},
	{Name: "Modulo", Params: 2, Results: 1, describe: modulo, Doc: "returns the remainder of x/y on the side of y: x - floor(x/y)*y, rounded\nonce. It is the operator % of Lua. A remainder of 0 is never -0, and 5 % Inf is 5."},

	{Name: "sineOf", Params: 2, Results: 1, describe: sineOf, Doc: "returns the sine of x - y, |x| ≤ π/4, where y is what x exceeds by."},
	{Name: "cosineOf", Params: 2, Results: 1, describe: cosineOf, Doc: "returns the cosine of x - y, |x| ≤ π/4, where y is what x exceeds by."},
	{Name: "tangentOf", Params: 3, Results: 1, describe: tangentOf, Doc: "returns the tangent of x - y + z·π/2, |x| ≤ π/4, where z is 0 or 1."},
	{Name: "logOf", Params: 2, Results: 1, describe: logOf, Doc: "returns the logarithm of x·2^y, for normal x."},
	{Name: "log10Of", Params: 2, Results: 1, describe: log10Of, Doc: "returns the logarithm of x·2^y to the base 10, for normal x."},
	{Name: "powerOf", Params: 3, Results: 2, describe: powerOf, Doc: "returns (x·2^z)^y as r·2^k: r and k, for normal x > 0."},
}
