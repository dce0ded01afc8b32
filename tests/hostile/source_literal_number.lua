-- Source: numbers of any length are numbers.
local huge = 1e999999999
local digits, small = @@50000{9}@@, 0.@@50000{0}@@1
assert(huge == math.huge and small == 0)
local bad = 1e ---! "malformed number"
