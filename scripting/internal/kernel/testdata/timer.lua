function(e, p, v, ctx)
  v.x = v.x - ctx.dt
  if v.x < 0 then
    v.x = v.x + math.random()
  end
end
