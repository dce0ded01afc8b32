---: names "attack.lua:4"
---: load
---: saved
error(("x\n\27"):rep(5000000))
