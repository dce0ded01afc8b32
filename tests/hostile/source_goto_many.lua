-- Source: a thousand labels that lead to each other, and round again.
local n = 0
::top::
@@1000{do n = n + 1 end }@@ ---! "script ran too long"
goto top
