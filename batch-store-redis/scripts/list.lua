#!lua flags=no-writes
-- Reads jobs in their order, whatever they are: whoever asks filters them.
--
-- KEYS: the prefix.
-- ARGV: order (sequence, or rotation and its kind behind a colon), behind which score, how
--   many.
-- Reply: a list of {score, the job's fields and values}.
-- Rules: S4, S8.

local order = ARGV[1]
local key = order == 'sequence' and JOBS or rotation_key(string.sub(order, 10))
local found = redis.call('ZRANGEBYSCORE', key, '(' .. ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0,
  ARGV[3])
local jobs = {}
for at = 1, #found, 2 do
  local job = redis.call('HGETALL', job_key(found[at]))
  if #job == 0 then
    corrupt('an index entry without its job')
  end
  jobs[#jobs + 1] = { num(tonumber(found[at + 1])), job }
end
return jobs
