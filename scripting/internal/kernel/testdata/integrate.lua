function(e, p, v, ctx)
  p.x = p.x + v.x * ctx.dt
  p.y = p.y + v.y * ctx.dt
end
