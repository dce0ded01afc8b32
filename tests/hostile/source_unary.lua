-- Source: signs in front of signs.
local x = @@5000{- }@@1 ---! "nest"
