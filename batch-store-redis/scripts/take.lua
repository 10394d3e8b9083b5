#!lua
-- Starts the next target of the session's kind.
--
-- KEYS: the prefix.
-- ARGV: session, ticket, now.
-- Reply: {started, session, job, index, fence, caller, class, tries, busy since, target},
--   {idle, when a waiting job is due} or {gone}.
-- Rules: R2, S2, S4.

local reply = take(ARGV[1], ARGV[2], ARGV[3])
wake()
return reply
