function(e, spot, drift, ctx) -- precision = "f32"
  if spot.x > 10 then
    spot.x = 0
    return
  end
  spot.x = spot.x + math.abs(drift.x) * ctx.dt
end
