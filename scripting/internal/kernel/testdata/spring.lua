function(e, p, v, ctx)
  v.x = (v.x - p.x * speed * ctx.dt) * 0.99
  v.y = (v.y - p.y * speed * ctx.dt) * 0.99
  p.x = math.max(p.x + v.x * ctx.dt, -100)
  p.y = math.max(p.y + v.y * ctx.dt, -100)
  if v.x > 50 then v.x = -v.x end
  if v.y > 50 then v.y = -v.y end
end
