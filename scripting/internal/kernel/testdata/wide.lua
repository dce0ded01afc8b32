-- A product that is rounded as it is stored, and by nobody read: its halves are stored
-- one by one. The zeros of the choice are those with which the truths are compared.
function(e, spot, body, ctx)
  spot.x = body.ok and spot.x * 0.1 or 0
  spot.y = body.ok and spot.y * 0.1 or 0
end
