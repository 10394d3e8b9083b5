#!lua flags=allow-oom
-- Frees targets of a kind's terminal jobs until the rest fits, one bounded step.
--
-- KEYS: the prefix.
-- ARGV: kind, the bytes that may stay, how many jobs to free.
-- Reply: {more (1 or 0), jobs, bytes}.
-- Rules: S7.

local kind_name, max_bytes, max = ARGV[1], tonumber(ARGV[2]), math.max(tonumber(ARGV[3]), 1)
local kind = load_kind(kind_name)
local jobs, bytes = 0, 0
if kind.bytes <= max_bytes then
  return { 0, '0', '0' }
end

local function evict(job)
  jobs, bytes = jobs + 1, bytes + job.bytes
  job.evicted, job.bytes = '1', 0
  kind.jobs_evicted = kind.jobs_evicted + 1
  keep(job, kind)
  free(job.rows)
end

-- The last freeable job is the one with the newest lease: it stays.
local oldest = redis.call('ZRANGE', freeable_key(kind_name), 0, max + 1)
local freeable = #oldest - 1
for at = 1, math.min(freeable, max) do
  if kind.bytes <= max_bytes then
    break
  end
  local job = load_job(num(tonumber(string.sub(oldest[at], 21))))
  if job then
    evict(job)
  else
    redis.call('ZREM', freeable_key(kind_name), oldest[at])
  end
end
local more = freeable > max and kind.bytes > max_bytes
return { more and 1 or 0, num(jobs), num(bytes) }
