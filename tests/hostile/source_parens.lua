-- Source: parentheses in each other.
local x = @@2000{(}@@1@@2000{)}@@ ---! "nest"
