-- An integer field that needs no check, and work that is the same for all rows.
function(e, p, v, ctx)
  local drag = 1 - speed * ctx.dt
  p.n = floor(math.max(0, math.min(255, p.n * drag)))
end
