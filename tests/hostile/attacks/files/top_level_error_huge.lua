---: names "attack.lua:2"
---: load
error(("x\n\27"):rep(5000000))
