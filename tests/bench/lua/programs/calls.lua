-- A call of a function with one argument: Fibonacci's numbers by their definition.
local function fibonacci(n)
  if n < 2 then return n end
  return fibonacci(n - 1) + fibonacci(n - 2)
end

return 242785, function()
  return fibonacci(25)
end
