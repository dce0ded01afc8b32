-- Source: indices in indices.
local t = {}
local x = @@3000{t[}@@1@@3000{]}@@ ---! "nest"
