-- Ways out of a block and out of the row, and what goes row by row after them.
function(e, p, v, ctx)
  do
    if p.ok then goto out end
    if v.x > 3 then
      p.x = 1
      return
    end
    p.y = 2
    ::out::
  end
  if v.x < 0 then return end
  if v.y > 7 then v.y = math.random() end
  v.x = v.x + 1
end
