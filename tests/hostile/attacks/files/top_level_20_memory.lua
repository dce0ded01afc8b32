---: load
---: copies 20
KEPT = {}
for k = 1, 14 do KEPT[k] = ("x"):rep(16000000) .. k end
