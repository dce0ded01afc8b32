-- A subtraction where something holds: of what was computed, and of what may be any bits.
function(e, p, v, ctx)
  p.x = p.x + v.x * ctx.dt
  p.y = p.y + v.y * ctx.dt
  if p.x > 100 then p.x = p.x - 100 end
  if p.y > 100 then p.y = p.y - 100 end
  v.x = math.abs(v.x)
  v.y = math.abs(v.y)
  if v.x > 5 then v.x = v.x - 5 end
  if v.y > 5 then v.y = v.y - 5 end
end
