-- Sandbox: a script that requires itself.
require "hostile" ---! "require goes in a circle"
