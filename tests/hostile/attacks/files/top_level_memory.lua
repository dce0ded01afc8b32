---: load
---: saved
local t = {}
for k = 1, 1000 do t[k] = ("x"):rep(16000000) .. k end
