-- Source: powers associate to the right, and recurse.
local x = 1 @@5000{^ 1}@@ ---! "nest"
