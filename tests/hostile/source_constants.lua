-- Source: a table of more items than a constructor may have.
local t = { @@26000{1,}@@ } ---! "items, more than 25550"
