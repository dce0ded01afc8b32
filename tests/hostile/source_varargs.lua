-- Source: ... where there are none.
local function f() return ... end ---! "..."
