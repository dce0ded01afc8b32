-- Errors that are raised and caught.
local function check(n)
  if n % 2 == 0 then error("even", 0) end
  return n
end

return 50000, function()
  local failed = 0
  for i = 1, 50000 do
    local ok, why = pcall(check, i)
    if not ok and why == "even" then failed = failed + 1 end
  end
  return failed
end
