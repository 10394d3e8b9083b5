#!lua
-- Answers a start and takes the next target: finish, then take, in one step.
--
-- KEYS: the prefix.
-- ARGV: those of finish, then those of take.
-- Reply: both replies.
-- Rules: R2.7, S2.

local finished = finish(finish_call(1))
local taken = take(ARGV[11], ARGV[12], ARGV[13])
wake()
return { finished, taken }
