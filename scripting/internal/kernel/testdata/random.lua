-- A variable that is nil at first, random numbers, and a row that Lua may have to run.
function(e, p, v, ctx)
  local kick
  if p.ok then kick = math.random() end
  v.x = v.x + (kick or 0)
  v.y = kick
end
