-- Source: a jump into the scope of a local.
goto past ---! "past"
local x = 1
::past::
print(x)
