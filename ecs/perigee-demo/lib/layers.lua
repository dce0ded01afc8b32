-- lib/layers.lua: the groups that colliders belong to.
--
-- `layer` says what a collider is and `mask` what it looks for; layers may be
-- added up: mask = layers.swarm + layers.loot. Looking costs time and being found
-- does not, so the few look for the many.

return {
  swarm = 1,
  tower = 2,
  carrier = 4,
  bullet = 8,
  loot = 16,
}
