-- A stack: a list that grows and shrinks at its end.
return 400000, function()
  local stack, sum = {}, 0
  for i = 1, 200000 do
    stack[#stack + 1] = i
    if i % 4 == 0 then
      for _ = 1, 3 do
        sum = sum + stack[#stack]
        stack[#stack] = nil
      end
    end
  end
  while #stack > 0 do
    sum = sum + stack[#stack]
    stack[#stack] = nil
  end
  return sum
end
