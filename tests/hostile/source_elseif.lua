-- Source: a chain of elseif: a tree as high as it is long.
local a = 1
if a == 2 then @@5000{elseif a == 3 then }@@ end ---! "more than 1000 elseif"
