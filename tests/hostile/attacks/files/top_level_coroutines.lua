---: load
---: saved
local kept = {}
for i = 1, 60 do
  kept[i] = coroutine.create(function() local t = {} for k = 1, 200000 do t[k] = {} end coroutine.yield() return t end)
  coroutine.resume(kept[i])
end
