-- Source: methods of what methods return.
local t = {}
local x = t@@3000{:x()}@@ ---! "too long"
