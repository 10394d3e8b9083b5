#!lua flags=allow-oom
-- Frees what is past its ttl, over all kinds, one bounded step; each job whole or not.
--
-- KEYS: the prefix.
-- ARGV: now, an hour ago, how many jobs, stages and kinds to look at.
-- Reply: {more (1 or 0), jobs that are gone, expired}, each expired job {id, kind, status,
--   created}.
-- Rules: S1, S6, S13, R1.10.

local now, hour_ago = ARGV[1], ARGV[2]
local left = math.max(tonumber(ARGV[3]), 1)
local SHORTEST = string.rep('0', 19) .. '1'
local gone, expired = 0, {}

local function file_again(job, expiry)
  job.expiry = expiry
  save_job(job)
end

local function remove_key(job)
  local newest = newest_key(job.kind, job.caller, job.key_space, job.key)
  if redis.call('GET', newest) == job.seq then
    redis.call('DEL', newest)
  end
end

-- Takes a terminal job away, with all that is its own.
local function remove(job)
  local kind = load_kind(job.kind)
  kind.bytes = math.max(0, kind.bytes - job.bytes)
  kind.jobs_swept = kind.jobs_swept + 1
  kind[job.status] = math.max(0, kind[job.status] - 1)
  remove_key(job)
  redis.call('DEL', job_key(job.seq), note_key(job.seq))
  redis.call('HDEL', IDS, job.id)
  redis.call('ZREM', JOBS, job.seq)
  reindex(job.index, {})
  read_jobs[job.seq] = nil
  if job.evicted ~= '1' then
    free(job.rows)
  end
  if is_empty(kind) then
    remove_kind(job.kind)
  else
    save_kind(job.kind, kind)
  end
  gone = gone + 1
end

local function expire(job)
  local kind = load_kind(job.kind)
  end_job(job, 'failed', 'expired', { sort = 'expiry' }, now)
  expired[#expired + 1] = told(job)
  keep(job, kind)
end

-- S6: gone, expired, or looked at again when its own time comes.
local function sweep_job(entry)
  local seq = num(tonumber(string.sub(entry, 21)))
  local job = load_job(seq)
  if not job then
    redis.call('ZREM', EXPIRIES, entry)
    redis.call('ZREM', JOBS, seq)
  elseif job.running > 0 then
    file_again(job, after(now, later(job.ttl, SHORTEST)))
  elseif after(job.lease, job.ttl) > now then
    file_again(job, after(job.lease, job.ttl))
  elseif LIVE[job.status] then
    expire(job)
  else
    remove(job)
  end
end

-- R1.10: an hour after its last chunk a stage is given up.
local function give_up_stage()
  local first = redis.call('ZRANGE', STAGES, 0, 0)[1]
  if not first or string.sub(first, 1, 20) > hour_ago then
    return false
  end
  local id = string.sub(first, 21)
  local stage = load(stage_key(id), {})
  if stage then
    free(stage.rows)
    remove_stage(id, stage)
  end
  redis.call('ZREM', STAGES, first)
  return true
end

local function remove_empty_kind()
  local first = redis.call('ZRANGE', EMPTY_KINDS, 0, 0)[1]
  if first then
    remove_kind(first)
  end
  return first ~= nil
end

-- A colon sorts behind every digit: up to and with this time.
local due = redis.call('ZRANGEBYLEX', EXPIRIES, '-', '(' .. now .. ':', 'LIMIT', 0, left)
for _, entry in ipairs(due) do
  sweep_job(entry)
end
left = left - #due
while left > 0 and give_up_stage() do
  left = left - 1
end
while left > 0 and remove_empty_kind() do
  left = left - 1
end
return { left == 0 and 1 or 0, gone, expired }
