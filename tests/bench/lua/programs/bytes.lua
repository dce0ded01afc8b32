-- A checksum over the bytes of a text, and the letters of another one.
local text = ("The quick brown fox jumps over the lazy dog. "):rep(20)

return 2 * #text * 20, function()
  local sum, letters = 0, 0
  for _ = 1, 20 do
    for i = 1, #text do
      sum = (sum * 31 + text:byte(i)) % 65521
    end
    for i = 1, #text do
      if text:sub(i, i) ~= " " then letters = letters + 1 end
    end
  end
  return sum + letters
end
