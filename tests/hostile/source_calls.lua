-- Source: calls in the arguments of calls.
local f = print
local x = @@3000{f(}@@@@3000{)}@@ ---! "nest"
