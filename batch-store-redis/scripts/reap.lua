#!lua flags=allow-oom
-- Takes back what a dead session held, one bounded step; each job whole or not at all.
--
-- KEYS: the prefix.
-- ARGV: session, the beat that was seen, now, how many jobs, starts and stages to take.
-- Reply: moved, or {more (1 or 0), returned, interrupted, starts without a job, ended},
--   each ended job {id, kind, status, created}.
-- Rules: R9.3 to R9.5, R14.

local id, now = ARGV[1], ARGV[3]
local session = load(session_key(id), { beat = true })
if session and session.dead ~= '1' and num(session.beat) ~= ARGV[2] then
  return 'moved'
end

local ended, returned, interrupted, strays = {}, 0, 0, 0
local by = { sort = 'reap' }

local function kept(job, kind)
  if has_ended(job) then
    ended[#ended + 1] = told(job)
  end
  keep(job, kind)
end

-- Pinned jobs end first, so that their targets go back instead of failing.
local function end_pinned(seq)
  local job = load_job(seq)
  if not job then
    redis.call('ZREM', pinned_key(id), seq)
    return
  end
  local kind = load_kind(job.kind)
  end_job(job, 'failed', 'interrupted', by, now)
  kept(job, kind)
end

-- R9.5: too many starts in a row were lost: the target fails.
local function fail(job, kind, rows, index, open, other)
  local outcome = {
    ordinal = num(job.done + job.failed), fence = open.fence, session = open.session,
    tries = num(math.min(open.tries + 1, 4294967295)), stored = now, status = 'failed',
    text = 'interrupted',
  }
  count_outcome(job, 'failed', #outcome.text, now)
  settle(job, kind, other, by, now)
  remove_open(rows, index, open)
  redis.call('HSET', ordinals_key(rows), outcome.ordinal, index)
  redis.call('HSET', outcomes_key(rows), index, cmsgpack.pack(outcome))
  interrupted = interrupted + 1
end

local function park(job, kind, rows, index, was, other)
  local open = copied(was)
  open.losses = math.min(was.losses + 1, 4294967295)
  open.ticket, open.due = nil, now
  job.parked = job.parked + 1
  settle(job, kind, earlier(other, now), by, now)
  unfile_open(rows, index, was)
  put_open(rows, index, open)
  returned = returned + 1
end

local function take_back(entry)
  local rows, index = held_at(entry)
  local open = load_open(rows, index)
  local job = open and load_job(open.seq)
  if not job then
    -- Damage, which must not keep the others from going back. A start without its row says
    -- nothing of its job, which may well be there.
    let_go(id, entry)
    if open then
      free(rows)
    end
    strays = strays + 1
    return
  end
  local kind, first = load_kind(job.kind), parked(rows, 1)[1]
  local other = first and first.due
  job.running = math.max(0, job.running - 1)
  if LIVE[job.status] and open.losses + 1 >= job.max_losses then
    fail(job, kind, rows, index, open, other)
  else
    park(job, kind, rows, index, open, other)
  end
  kept(job, kind)
end

local function give_up_stage(stage_id)
  local stage = load(stage_key(stage_id), {})
  if stage then
    free(stage.rows)
    remove_stage(stage_id, stage)
  else
    redis.call('ZREM', stages_key(id), stage_id)
  end
end

-- The last step: the session is gone, and counted as reaped.
local function remove_session()
  redis.call('ZREM', SESSIONS, id)
  if session then
    local kind = load_kind(session.kind)
    if kind.known then
      kind.sessions = math.max(0, kind.sessions - 1)
      kind.sessions_reaped = kind.sessions_reaped + 1
      save_kind(session.kind, kind)
    end
    redis.call('DEL', session_key(id))
  end
end

if session then
  redis.call('HSET', session_key(id), 'dead', '1')
end
local left = math.max(tonumber(ARGV[4]), 1)
for _, set in ipairs({
  { pinned_key(id), end_pinned }, { held_key(id), take_back }, { stages_key(id), give_up_stage },
}) do
  local found = left > 0 and redis.call('ZRANGE', set[1], 0, left - 1) or {}
  for _, member in ipairs(found) do
    set[2](member)
  end
  left = left - #found
end
if left > 0 then
  remove_session()
end
wake()
return { left > 0 and 0 or 1, returned, interrupted, strays, ended }
