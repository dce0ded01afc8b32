-- What is rounded once is the same in float32. A sum with a product rounds twice: it
-- is compared as float64.
function(e, spot, drift, ctx)
  if spot.x + drift.x * ctx.dt > 300 then drift.x = -drift.x end
  if spot.y + drift.y * ctx.dt > 300 then drift.y = -drift.y end
  spot.x = math.max(spot.x + drift.x, 0)
  spot.y = math.max(spot.y + drift.y, 0)
end
