---: names "in a circle"
---: load
return require "attack"
