-- Source: hexadecimal numbers of any length are numbers, too.
local long, last = 0x@@50000{F}@@, 0x@@50000{0}@@1
assert(long == math.huge and last == 1)
local bad = 0xG ---! "malformed number"
