-- Reading and writing rows, and the indexes that follow from them.
--
-- A row is a table with numbers where Rust has counts and text everywhere else; `was`
-- is the row as it was read. Saving writes the fields that changed.

local LIVE = { queued = true, running = true }

local JOB_COUNTS = { 'width', 'max_losses', 'total', 'next', 'done', 'failed', 'running',
  'parked', 'bytes', 'pos' }

local KIND_COUNTS = { 'turn', 'sessions', 'live', 'queued', 'running', 'done', 'partial',
  'failed', 'cancelled', 'bytes', 'jobs_submitted', 'jobs_swept', 'jobs_evicted',
  'jobs_done', 'jobs_partial', 'jobs_failed', 'jobs_cancelled', 'targets_done',
  'targets_failed', 'targets_retried_later', 'sessions_reaped' }

local function copied(row)
  local copy = {}
  for field, value in pairs(row) do
    copy[field] = value
  end
  return copy
end

-- A hash as a table; nil when there is none.
local function load(key, counts)
  local flat = redis.call('HGETALL', key)
  if #flat == 0 then
    return nil
  end
  local row = {}
  for at = 1, #flat, 2 do
    row[flat[at]] = flat[at + 1]
  end
  for _, field in ipairs(counts) do
    row[field] = tonumber(row[field] or '0') or corrupt('a number that is none')
  end
  return row
end

-- Writes the fields that differ from what was read.
local function save(key, row, was)
  local pairs_of = {}
  for field, value in pairs(row) do
    if was[field] ~= value and field ~= 'was' and field ~= 'index' then
      pairs_of[#pairs_of + 1] = field
      pairs_of[#pairs_of + 1] = type(value) == 'number' and num(value) or value
    end
  end
  if #pairs_of > 0 then
    redis.call('HSET', key, unpack(pairs_of))
  end
end

-- The entries of a job, by the index that each is in: score and member.
local function entries(job)
  local behind = pad(job.seq)
  local found = { [EXPIRIES] = { '0', job.expiry .. behind } }
  if job.place == 'ready' then
    local place = { num(job.pos), job.seq }
    found[ready_key(job.kind, job.pin)] = place
    found[rotation_key(job.kind)] = place
  elseif job.place == 'waiting' then
    found[waiting_key(job.kind, job.pin)] = { '0', job.due .. behind }
  end
  if job.pin ~= '' and LIVE[job.status] then
    found[pinned_key(string.sub(job.pin, 2))] = { job.seq, job.seq }
  end
  if not LIVE[job.status] and job.evicted ~= '1' and job.running == 0 then
    found[freeable_key(job.kind)] = { '0', job.lease .. behind }
  end
  return found
end

-- Moves a job from its old entries to its new ones.
local function reindex(old, new)
  for key, entry in pairs(old) do
    if not new[key] or new[key][2] ~= entry[2] then
      redis.call('ZREM', key, entry[2])
    end
  end
  for key, entry in pairs(new) do
    if not old[key] or old[key][1] ~= entry[1] or old[key][2] ~= entry[2] then
      redis.call('ZADD', key, entry[1], entry[2])
    end
  end
end

-- Jobs that became takeable in this script and were not taken in it: their kinds.
local woken = {}

-- Tells idle runners, on every host, of the kinds that have a job to take (R2.6).
-- Nothing depends on it: a server that forbids it changes nothing.
local function wake()
  local told = {}
  for _, kind in pairs(woken) do
    if not told[kind] then
      told[kind] = true
      redis.pcall('PUBLISH', WAKE, kind)
    end
  end
end

local function load_job(seq)
  local job = load(job_key(seq), JOB_COUNTS)
  if job then
    if not tonumber(job.lease) or not tonumber(job.ttl) then
      corrupt('a time that is none')
    end
    job.seq = seq
    job.was = copied(job)
    job.index = entries(job)
  end
  return job
end

local function load_job_of(id)
  local seq = redis.call('HGET', IDS, id)
  if not seq then
    return nil
  end
  return load_job(seq) or corrupt('an id without its job')
end

local function save_job(job)
  local new = entries(job)
  if job.place ~= 'ready' then
    woken[job.seq] = nil
  elseif job.was.place ~= 'ready' then
    woken[job.seq] = job.kind
  end
  save(job_key(job.seq), job, job.was)
  reindex(job.index, new)
  job.was, job.index = nil, nil
  job.was, job.index = copied(job), new
end

-- A kind, which need not exist yet.
local function load_kind(kind)
  local row = load(kind_key(kind), KIND_COUNTS)
  local known = row ~= nil
  row = row or {}
  for _, field in ipairs(KIND_COUNTS) do
    row[field] = row[field] or 0
  end
  row.was = copied(row)
  return row, known
end

-- Whether neither a job nor a session keeps it (S13).
local function is_empty(kind)
  return kind.sessions + kind.queued + kind.running + kind.done + kind.partial
    + kind.failed + kind.cancelled == 0
end

local function save_kind(name, kind)
  save(kind_key(name), kind, kind.was)
  redis.call('ZADD', KINDS, 0, name)
  if is_empty(kind) then
    redis.call('HSET', kind_key(name), 'turn', num(kind.turn))
    redis.call('ZADD', EMPTY_KINDS, 0, name)
  elseif is_empty(kind.was) then
    redis.call('ZREM', EMPTY_KINDS, name)
  end
  kind.was = nil
  kind.was = copied(kind)
end

local function remove_kind(name)
  redis.call('DEL', kind_key(name), callers_key(name))
  redis.call('ZREM', KINDS, name)
  redis.call('ZREM', EMPTY_KINDS, name)
end

-- Bytes of url and options of a target that is kept: all behind its second colon.
local function target_bytes(target)
  local _, head = string.find(target or '', '^[^:]*:[^:]*:')
  return #target - (head or corrupt('a target that cannot be read'))
end

-- The live jobs of a caller.
local function caller_live(kind, caller)
  return tonumber(redis.call('HGET', callers_key(kind), caller) or '0') or 0
end

local function one_live_less(kind, caller)
  local live = caller_live(kind, caller) - 1
  if live > 0 then
    redis.call('HSET', callers_key(kind), caller, num(live))
  else
    redis.call('HDEL', callers_key(kind), caller)
  end
end

-- Whether a session exists and is not being reaped.
local function is_live(session)
  local found = redis.call('HMGET', session_key(session), 'beat', 'dead')
  return found[1] and found[2] ~= '1'
end

-- The latest start of an open target; nil when it is not open.
local function load_open(rows, index)
  local packed = redis.call('HGET', opens_key(rows), index)
  return packed and cmsgpack.unpack(packed) or nil
end

local function held_entry(rows, index, open)
  return ordered(open.ticket) .. rows .. ':' .. index
end

-- Takes a start out of the index that it is in.
local function unfile_open(rows, index, open)
  if open.due then
    redis.call('ZREM', parked_key(rows), open.due .. pad(index))
  elseif open.ticket then
    redis.call('ZREM', held_key(open.session), held_entry(rows, index, open))
  end
end

local function put_open(rows, index, open)
  redis.call('HSET', opens_key(rows), index, cmsgpack.pack(open))
  if open.due then
    redis.call('ZADD', parked_key(rows), 0, open.due .. pad(index))
  elseif open.ticket then
    redis.call('ZADD', held_key(open.session), 0, held_entry(rows, index, open))
  end
end

local function remove_open(rows, index, open)
  unfile_open(rows, index, open)
  redis.call('HDEL', opens_key(rows), index)
end

-- When the first parked targets of a job are due, and which they are.
local function parked(rows, max)
  local found = redis.call('ZRANGE', parked_key(rows), 0, max - 1)
  for at, member in ipairs(found) do
    found[at] = { due = string.sub(member, 1, 20), index = num(tonumber(string.sub(member, 21))) }
  end
  return found
end

-- Where the start of an entry of held starts is.
local function held_at(entry)
  local mark = string.find(entry, '%z%z')
  local rows, index = string.match(string.sub(entry, mark + 2), '^(%d+):(%d+)$')
  return rows, index
end

-- Draws the next number of the sequence; the check comes before every write.
local function may_draw()
  may_follow(tonumber(redis.call('GET', SEQUENCE) or '0'))
end

local function draw()
  return num(redis.call('INCR', SEQUENCE))
end

local function remove_stage(id, stage)
  redis.call('DEL', stage_key(id))
  redis.call('ZREM', stages_key(stage.session), id)
  redis.call('ZREM', STAGES, stage.last .. id)
end
