-- lib/geometry.lua: distances and directions, for every module that aims or steers.

local cos, sin, sqrt = math.cos, math.sin, math.sqrt

local geometry = {}

--- The vector of the given length that points from (x, y) to (to_x, to_y).
--- Two equal points have no direction: the answer is 0, 0.
function geometry.toward(x, y, to_x, to_y, length)
  local dx, dy = to_x - x, to_y - y
  local distance = sqrt(dx * dx + dy * dy)
  if distance == 0 then
    return 0, 0
  end
  return dx * length / distance, dy * length / distance
end

--- The point on a circle around (x, y). Angles are in radians.
function geometry.on_circle(x, y, radius, angle)
  return x + radius * cos(angle), y + radius * sin(angle)
end

--- The entry of a list of { x =, y = } that lies nearest to a point, and its
--- squared distance; nil for an empty list.
function geometry.nearest(list, x, y)
  local best, best_square
  for i = 1, #list do
    local dx, dy = list[i].x - x, list[i].y - y
    local square = dx * dx + dy * dy
    if not best or square < best_square then
      best, best_square = list[i], square
    end
  end
  return best, best_square
end

return geometry
