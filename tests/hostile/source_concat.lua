-- Source: a run of joined texts that is too long.
local x = "a" @@6000{.. "a"}@@ ---! "more than 190 texts"
