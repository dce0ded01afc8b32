-- Loops: limit Instructions. At the top level: the file is refused.
local n = 0
while true do n = n + 1 end ---! "script ran too long: used "
