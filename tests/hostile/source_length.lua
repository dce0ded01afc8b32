-- Source: the length of the length.
local x = @@5000{#}@@"" ---! "nest"
