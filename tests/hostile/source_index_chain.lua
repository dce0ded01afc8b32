-- Source: fields of fields.
local t = {}
local x = t@@3000{.x}@@ ---! "too long"
