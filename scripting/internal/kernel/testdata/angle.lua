function(e, p, v, ctx)
  -- Both of one angle: one call, in rows and in vectors.
  v.x = math.cos(p.x) * p.y
  v.y = math.sin(p.x) * p.y
end
