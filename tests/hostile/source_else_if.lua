-- Source: if in else in if.
local a = 1
@@1000{if a == 2 then else }@@ @@1000{end }@@ ---! "nest"
