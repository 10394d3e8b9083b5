#!lua flags=no-writes
-- Reads the counts of a kind, and a caller's live jobs.
--
-- KEYS: the prefix.
-- ARGV: kind; perhaps a caller.
-- Reply: {live jobs of the caller, the kind's fields and values}.
-- Rules: S3, S13.

local live = ARGV[2] and caller_live(ARGV[1], ARGV[2]) or 0
return { num(live), redis.call('HGETALL', kind_key(ARGV[1])) }
