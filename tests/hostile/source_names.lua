-- Source: a name of a hundred thousand letters.
local @@100000{x}@@ = 1 ---! "name is 100000 letters long, more than 255"
local y = @@100000{y}@@ ---! "name is 100000 letters long, more than 255"
