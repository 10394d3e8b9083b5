#!lua flags=no-writes
-- Reads one job with its note.
--
-- KEYS: the prefix.
-- ARGV: id; or kind, caller, key space and key.
-- Reply: {} or {the job's fields and values, note}.
-- Rules: R6, S8, S9.

local seq
if #ARGV == 1 then
  seq = redis.call('HGET', IDS, ARGV[1])
else
  seq = redis.call('GET', newest_key(ARGV[1], ARGV[2], ARGV[3], ARGV[4]))
end
if not seq then
  return {}
end
local job = redis.call('HGETALL', job_key(seq))
if #job == 0 then
  return {}
end
return { job, redis.call('GET', note_key(seq)) or '' }
