-- Source: a text literal as long as a file may be is no problem; it is one too many for a text.
local x = "@@200000{x}@@"
local s = x:rep(6) ---! "(Limits.String)"
