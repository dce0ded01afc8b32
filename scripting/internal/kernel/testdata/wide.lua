-- A product that is rounded as it is stored. The zeros with which the truths are compared
-- are for nothing else.
function(e, spot, body, ctx)
  local x, y = spot.x, spot.y
  spot.x = body.ok and math.abs(x) * 0.1 or y
  spot.y = body.ok and math.abs(y) * 0.1 or x
end
