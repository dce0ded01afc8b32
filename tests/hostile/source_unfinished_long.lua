-- Source: a long text without an end.
local x = [==[ @@1000{]=] }@@
---! place "hostile.lua"
