-- Reading and writing rows, and the indexes that follow from them.
--
-- A row is a table with numbers where Rust has counts and text everywhere else; `was`
-- is the row as it was read or saved last. Saving writes the fields that changed. A row
-- that a script reads twice is the same table.

local LIVE = { queued = true, running = true }

-- The fields of a job that are numbers.
local JOB_COUNTS = { width = true, max_losses = true, total = true, next = true, done = true,
  failed = true, running = true, parked = true, bytes = true, pos = true }

-- Every field of a kind is a number; one that was never written is zero.
local KIND_COUNTS = setmetatable({}, { __index = function() return true end })
local ZEROS = { __index = function() return 0 end }

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
  local row, was = {}, {}
  for at = 1, #flat, 2 do
    local field, value = flat[at], flat[at + 1]
    if counts[field] then
      value = tonumber(value) or corrupt('a number that is none')
    end
    row[field], was[field] = value, value
  end
  row.was = was
  return row
end

-- Writes the fields that differ from what was read or saved last.
local function save(key, row)
  local was, changed = row.was, {}
  for field, value in pairs(row) do
    if was[field] ~= value and field ~= 'was' and field ~= 'index' then
      changed[#changed + 1] = field
      changed[#changed + 1] = type(value) == 'number' and num(value) or value
      was[field] = value
    end
  end
  if #changed > 0 then
    redis.call('HSET', key, unpack(changed))
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

-- Jobs and kinds that this script has read.
local read_jobs, read_kinds = {}, {}

local function load_job(seq)
  if read_jobs[seq] then
    return read_jobs[seq]
  end
  local job = load(job_key(seq), JOB_COUNTS)
  if not job then
    return nil
  end
  for field in pairs(JOB_COUNTS) do
    if not job[field] then
      corrupt('a job without its counts')
    end
  end
  if not tonumber(job.lease) or not tonumber(job.ttl) then
    corrupt('a time that is none')
  end
  job.seq = seq
  job.index = entries(job)
  read_jobs[seq] = job
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
  save(job_key(job.seq), job)
  reindex(job.index, new)
  job.index = new
end

-- A kind, which need not exist yet.
local function load_kind(name)
  local kind = read_kinds[name]
  if not kind then
    kind = load(kind_key(name), KIND_COUNTS)
    local known = kind ~= nil
    kind = setmetatable(kind or { was = {} }, ZEROS)
    setmetatable(kind.was, ZEROS)
    -- Beside the counts: whether it is there.
    kind.was.known, kind.known = known, known
    read_kinds[name] = kind
  end
  return kind
end

-- Whether neither a job nor a session keeps it (S13).
local function is_empty(kind)
  return kind.sessions + kind.queued + kind.running + kind.done + kind.partial
    + kind.failed + kind.cancelled == 0
end

local function save_kind(name, kind)
  local was_empty, is_new = is_empty(kind.was), not kind.known
  kind.known = true
  kind.was.known = true
  save(kind_key(name), kind)
  if is_new then
    redis.call('HSET', kind_key(name), 'turn', num(kind.turn))
    redis.call('ZADD', KINDS, 0, name)
  end
  if is_empty(kind) then
    redis.call('ZADD', EMPTY_KINDS, 0, name)
  elseif was_empty then
    redis.call('ZREM', EMPTY_KINDS, name)
  end
end

local function remove_kind(name)
  read_kinds[name] = nil
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

-- Takes an entry from the running starts of a session.
local function let_go(session, entry)
  redis.call('ZREM', held_key(session), entry)
  if #redis.call('ZRANGE', held_key(session), 0, 0) == 0 then
    redis.call('ZREM', HOLDERS, session)
  end
end

-- Takes a start out of the index that it is in.
local function unfile_open(rows, index, open)
  if open.due then
    redis.call('ZREM', parked_key(rows), open.due .. pad(index))
  elseif open.ticket then
    let_go(open.session, held_entry(rows, index, open))
  end
end

local function put_open(rows, index, open)
  redis.call('HSET', opens_key(rows), index, cmsgpack.pack(open))
  if open.due then
    redis.call('ZADD', parked_key(rows), 0, open.due .. pad(index))
  elseif open.ticket then
    redis.call('ZADD', held_key(open.session), 0, held_entry(rows, index, open))
    redis.call('ZADD', HOLDERS, 0, open.session)
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

-- Frees all rows of a job at once; the server does it beside its work.
local function free(rows)
  redis.call('UNLINK', targets_key(rows), opens_key(rows), parked_key(rows),
    outcomes_key(rows), ordinals_key(rows))
end
