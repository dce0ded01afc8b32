---: load
for i = 1, 1e9 do pcall(require, "x" .. i) end
