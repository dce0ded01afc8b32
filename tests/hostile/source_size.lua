-- Source: more than 256 KiB of text.
-- @@300000{x}@@
local x = 1 ---! file "more than 262,144 (Limits.FileBytes)"
