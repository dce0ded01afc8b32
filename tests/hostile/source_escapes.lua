-- Source: escapes that are none.
local x = "\999" ---! "escape"
