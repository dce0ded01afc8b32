-- Source: and, and, and.
local x = 1 @@10000{and 1 }@@ ---! "too long"
