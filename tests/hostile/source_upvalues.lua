-- Source: more outer locals than a function can reach.
@@150{local a = 1 }@@
local function f()
@@150{local b = 1 }@@
  return function() return a, b end
end
local @@100{c, }@@d ---! file "more than 200 locals"
