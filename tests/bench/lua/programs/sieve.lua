-- The primes below a million: a list of a million booleans.
return 1000000, function()
  local last, prime, count = 1000000, {}, 0
  for i = 2, last do
    prime[i] = true
  end
  for i = 2, last do
    if prime[i] then
      count = count + 1
      for k = i * i, last, i do
        prime[k] = false
      end
    end
  end
  return count
end
