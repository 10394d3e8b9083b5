#!lua
-- Makes a job, or answers with the one that the same request made before.
--
-- KEYS: the prefix.
-- ARGV: id, kind, caller, class, key space, key, digest, reuse (1 or 0), width, halt,
--   halt at, pin (empty, or @ and the session), ttl, max losses, rerun of (empty, or @ and
--   the id), note, total, targets (inline, not-yet, staged), bytes of the inline targets,
--   whether these are too many (1 or 0), jobs per caller, jobs in all, now, how long a stage
--   lives; then the targets.
-- Reply: {created, seq}, {reused, id, status}, {conflict, id}, or the name of a refusal.
-- Rules: R1.3 to R1.7, R1.10, S2, S3, S4.

local id, kind_name, caller, class, space, text, digest = unpack(ARGV, 1, 7)
local total, brought, now, stage_life = ARGV[17], ARGV[18], ARGV[23], ARGV[24]
local pin, first_target = ARGV[12], 25
local newest = newest_key(kind_name, caller, space, text)

-- R1.3, S6: live, or complete, kept and not past its ttl.
local function is_reusable(job)
  if LIVE[job.status] then
    return true
  end
  local complete = job.status == 'done'
    or (job.status == 'partial' and job.done + job.failed == job.total)
  return complete and job.evicted ~= '1' and after(job.lease, job.ttl) > now
end

-- R1.3, R1.5: the newest job under the key, if it still serves the request.
local function reused()
  local seq = ARGV[8] == '1' and redis.call('GET', newest)
  local job = seq and load_job(seq)
  if not job or not is_reusable(job) then
    return nil
  end
  if space == 'client' and job.digest ~= digest then
    return { 'conflict', job.id }
  end
  if job.lease < now then
    job.lease = now
    save_job(job)
  end
  return { 'reused', job.id, job.status }
end

-- R1.4: the caps, in their order.
local function over_cap(kind)
  if ARGV[20] == '1' then
    return 'too-many'
  elseif caller_live(kind_name, caller) >= tonumber(ARGV[21]) then
    return 'caller-busy'
  elseif kind.live >= tonumber(ARGV[22]) then
    return 'busy'
  end
  return nil
end

-- R1.10: the stage to commit, unless it must be sent again.
local function staged()
  local stage = load(stage_key(id), { count = true, bytes = true })
  if stage and stage.count > tonumber(total) then
    error({ err = 'INVALID more targets are staged than the total says' })
  end
  if stage and stage.count == tonumber(total) and now < after(stage.last, stage_life)
    and is_live(stage.session) then
    return stage
  end
  return nil
end

-- Brings the targets to where the job finds them; at most 200 go into one command.
local function put_targets(rows)
  for at = first_target, #ARGV, 200 do
    local pairs_of = {}
    for position = at, math.min(at + 199, #ARGV) do
      pairs_of[#pairs_of + 1] = num(position - first_target)
      pairs_of[#pairs_of + 1] = ARGV[position]
    end
    redis.call('HSET', targets_key(rows), unpack(pairs_of))
  end
end

-- R12: the job that is run again names its newest rerun.
local function link_to_origin(origin)
  if origin then
    redis.call('HSET', job_key(origin.seq), 'newest_rerun', '@' .. id)
  end
end

local function new_job(seq, rows, bytes)
  return {
    seq = seq, rows = rows, id = id, kind = kind_name, caller = caller, class = class,
    key_space = space, key = text, digest = digest,
    width = math.max(tonumber(ARGV[9]), 1), halt = ARGV[10], halt_at = ARGV[11], pin = pin,
    ttl = ARGV[13], max_losses = math.max(tonumber(ARGV[14]), 1), rerun_of = ARGV[15],
    newest_rerun = '', created = now, started = '', finished = '', lease = now,
    expiry = after(now, ARGV[13]), status = 'queued', error = '', by = '', by_index = '',
    by_name = '', by_fence = '', total = tonumber(total), next = 0, done = 0, failed = 0,
    running = 0, parked = 0, halting = '', evicted = '', bytes = bytes, place = '', pos = 0,
    was = { place = '' }, index = {},
  }
end

local function create(kind)
  local stage, origin
  if brought == 'staged' then
    stage = staged()
  end
  if brought == 'not-yet' or (brought == 'staged' and not stage) then
    return { 'send' }
  end
  if ARGV[15] ~= '' then
    origin = load_job_of(string.sub(ARGV[15], 2))
  end
  may_draw()
  may_follow(kind.turn)
  -- Everything is checked: from here on it is written.
  local seq = draw()
  if stage then
    remove_stage(id, stage)
  else
    put_targets(seq)
  end
  local job = new_job(seq, stage and stage.rows or seq, stage and stage.bytes or tonumber(ARGV[19]))
  to_tail(job, kind)
  kind.live, kind.queued = kind.live + 1, kind.queued + 1
  kind.jobs_submitted = kind.jobs_submitted + 1
  save_kind(kind_name, kind)
  redis.call('HINCRBY', callers_key(kind_name), caller, 1)
  link_to_origin(origin)
  redis.call('SET', newest, seq)
  redis.call('HSET', IDS, id, seq)
  redis.call('ZADD', JOBS, seq, seq)
  if ARGV[16] ~= '' then
    redis.call('SET', note_key(seq), ARGV[16])
  end
  save_job(job)
  wake()
  return { 'created', seq }
end

local known = load_job_of(id)
if known then
  -- S2: the same submit sent again; another one may not use its id.
  local same = known.kind == kind_name and known.caller == caller and known.class == class
    and known.key_space == space and known.key == text and known.digest == digest
  return same and { 'created', known.seq } or { 'id-taken' }
end
if pin ~= '' and not is_live(string.sub(pin, 2)) then
  return { 'gone' }
end
local reply = reused()
if reply then
  return reply
end
local kind = load_kind(kind_name)
local refusal = over_cap(kind)
if refusal then
  return { refusal }
end
return create(kind)
