-- lib/turns.lua: lets the batches of one system take turns.
--
-- A system over ten thousand entities is called with some fifty batches in each
-- run. Work that need not be done for everyone every time is spread: each batch
-- does it in every n-th run, and each run has only an n-th of the work.

local turns = {}

--- A counter to be called once in each batch. It answers which batch of this run
--- it is, and which run, both from 1. The second function answers the run so far and,
--- called with a number, goes on from there: for saved games.
function turns.counter()
  local batch, run, last_tick = 0, 0, -1
  return function(tick)
    if tick ~= last_tick then
      batch, run, last_tick = 0, run + 1, tick
    end
    batch = batch + 1
    return batch, run
  end, function(from)
    if from then
      batch, run, last_tick = 0, from, -1
    end
    return run
  end
end

--- A function to be called once in each batch: is it the turn of this one? The second
--- function is that of the counter.
function turns.every(n)
  local count, runs = turns.counter()
  return function(tick)
    local batch, run = count(tick)
    return (batch + run) % n == 0
  end, runs
end

return turns
