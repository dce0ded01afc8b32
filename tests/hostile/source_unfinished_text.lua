-- Source: a text without an end.
local x = "abc --
---! place "hostile.lua"
