---: load
return require "attack"
