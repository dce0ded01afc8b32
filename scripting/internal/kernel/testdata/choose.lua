-- Numbers chosen by conditions, with one that costs a call.
function(e, p, v, ctx)
  v.x = p.ok and v.x or p.x > 3 and math.sin(p.x) or 0
  p.x, p.y = p.y, p.x
end
