-- Source: constructors in each other.
local x = @@2000{{}@@@@2000{}}@@ ---! "nest"
