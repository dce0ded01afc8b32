-- Source: calls of what calls return.
local f = print
local x = f@@3000{()}@@ ---! "too long"
