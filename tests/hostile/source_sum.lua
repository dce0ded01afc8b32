-- Source: a sum of ten thousand terms.
local x = 1 @@10000{+ 1}@@ ---! "too long"
