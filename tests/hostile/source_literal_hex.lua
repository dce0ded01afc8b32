-- Source: a hexadecimal number that no number can hold.
local long = 0x@@50000{F}@@ ---! "malformed number"
