---: load
---: saved
while true do end
