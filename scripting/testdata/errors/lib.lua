--- Functions in which the scripts beside it fail.
local lib = {}

function lib.outer(x)
  return (lib.inner(x))
end

function lib.inner(x)
  return x.deep.field
end

return lib
