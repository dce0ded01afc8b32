-- A list of linked nodes: built, turned round, added up.
return 300000, function()
  local head
  for i = 1, 100000 do head = { value = i, next = head } end
  local turned
  while head do
    local rest = head.next
    head.next = turned
    turned, head = head, rest
  end
  local sum, place = 0, 0
  while turned do
    place = place + 1
    sum = sum + turned.value * (place % 3)
    turned = turned.next
  end
  return sum
end
