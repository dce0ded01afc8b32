-- Source: a name of a hundred thousand letters.
local @@100000{x}@@ = 1
local y = @@100000{y}@@ ---! "unknown name"
