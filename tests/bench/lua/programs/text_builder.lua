-- Lines are built from parts and joined at the end.
return 20000, function()
  local parts = {}
  for i = 1, 20000 do
    parts[#parts + 1] = "unit " .. i .. " at " .. i % 100 .. "," .. i % 37 .. "\n"
  end
  return #table.concat(parts)
end
