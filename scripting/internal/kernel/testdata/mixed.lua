-- Numbers of both widths, of which either is chosen by what the other is, and whole ones.
function(e, spot, body, ctx) -- precision = "f32"
  if spot.x > 1 then body.x = body.x + 1 end
  if spot.y >= 1 then body.y = body.y + 1 end
  if body.x == 5 then spot.x = 0 end
  if body.y ~= 5 and spot.x == spot.y then spot.y = 0 end
  body.n = (spot.x ~= spot.y or body.x <= body.y) and 1 or 2
end
