---: load
for i = 1, 1e9 do pcall(require, ("../"):rep(5000) .. "x") end
