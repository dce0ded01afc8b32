-- Source: not not.
local x = @@5000{not }@@true ---! "nest"
