-- Sandbox: require knows the files of the folder and no others.
local ok, why = pcall(require, "/etc/passwd")
assert(not ok)
for _, name in ipairs { "../../etc/passwd", "..", ".", "", "/", "//", "./../../x", "io", "os", "hostile/../../../x", "\0", ("x/"):rep(1000), ("../"):rep(1000) } do
  assert(not pcall(require, name), name)
end
require "../../../../etc/passwd" ---! "not found"
