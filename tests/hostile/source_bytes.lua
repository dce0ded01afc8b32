-- Source: bytes that are no characters.
local x = ÿþ ---! "unexpected"
