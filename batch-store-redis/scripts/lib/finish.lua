-- Finish, for `finish.lua` and `turn.lua` (R3.2, R3.3, R9.1, R9.6, S5).

-- How the job ended, if the finish of this start ended it.
local function ending_by(job, call)
  if job.by == 'finish' and job.by_index == call.index and job.by_name == call.session
    and job.by_fence == call.fence then
    return job.status
  end
  return ''
end

local function stored(job, ended, bytes)
  return { 'stored', ended, job.created, num(bytes) }
end

local function stored_before(job, ended)
  local kind = load_kind(job.kind)
  return stored(job, ended, kind.bytes)
end

-- S2, S5: the start that stored the outcome may say the same again; no other may speak,
-- nor one that was reaped (R9.1).
local function again(job, kept, call)
  if not kept.elapsed or kept.fence ~= call.fence or kept.session ~= call.session then
    return { 'superseded' }
  end
  local ended = ending_by(job, call)
  if kept.status == call.answer and kept.text == call.text and kept.hint == call.hint then
    return stored_before(job, ended)
  end
  return { 'other', kept.status, ended, job.created }
end

-- Whether this very answer of this start is the last one that parked the target.
local function was_answered(open, call)
  local last = open.last
  return last and last.fence == call.fence and last.session == call.session
    and last.answer == call.answer and last.wait == call.wait
end

-- R3.3: an outcome closes the target.
local function store(job, open, call)
  local outcome = {
    ordinal = num(job.done + job.failed),
    fence = call.fence,
    session = call.session,
    tries = num(math.min(open.tries + 1, 4294967295)),
    elapsed = call.elapsed,
    stored = call.now,
    status = call.answer,
    text = call.text,
    hint = call.hint,
  }
  count_outcome(job, call.answer, #call.text + #(call.hint or ''), call.now)
  return outcome
end

-- R3.2, R9.6: the target is parked; whoever answered may say so again.
local function park(job, kind, open, call, by)
  if call.answer == 'busy' then
    open.tries = math.min(open.tries + 1, 4294967295)
    open.since = open.since or call.now
    kind.targets_retried_later = kind.targets_retried_later + 1
  end
  open.last = { fence = call.fence, session = call.session, answer = call.answer,
    wait = call.wait }
  open.due = after(call.now, call.wait)
  open.ticket, open.losses = nil, 0
  job.parked = job.parked + 1
  if call.answer == 'refuse' and LIVE[job.status] then
    end_job(job, 'failed', 'unknown caller', by, call.now)
  end
end

local function answer(job, was, call)
  local kind, open = load_kind(job.kind), copied(was)
  local other = parked(job.rows, 1)[1]
  local by = { sort = 'finish', index = call.index, name = call.session, fence = call.fence }
  local outcome
  job.running = math.max(0, job.running - 1)
  if call.answer == 'done' or call.answer == 'failed' then
    outcome = store(job, open, call)
  else
    park(job, kind, open, call, by)
  end
  settle(job, kind, earlier(open.due, other and other.due), by, call.now)
  -- Everything is checked: from here on it is written.
  if outcome then
    remove_open(job.rows, call.index, was)
    redis.call('HSET', ordinals_key(job.rows), outcome.ordinal, call.index)
    redis.call('HSET', outcomes_key(job.rows), call.index, cmsgpack.pack(outcome))
  else
    unfile_open(job.rows, call.index, was)
    put_open(job.rows, call.index, open)
  end
  local ended = has_ended(job) and job.status or ''
  keep(job, kind)
  return stored(job, ended, kind.bytes)
end

local function finish(call)
  local job = load_job_of(call.id)
  if not job or #call.index > 15 or tonumber(call.index) >= job.total then
    return { 'missing' }
  end
  if job.evicted == '1' then
    -- S2: of an evicted job only the finish that ended it is remembered.
    local ended = ending_by(job, call)
    return ended == '' and { 'missing' } or stored_before(job, ended)
  end
  local kept = redis.call('HGET', outcomes_key(job.rows), call.index)
  if kept then
    return again(job, cmsgpack.unpack(kept), call)
  end
  local open = load_open(job.rows, call.index)
  if open and not open.due and open.fence == call.fence and open.session == call.session then
    return answer(job, open, call)
  elseif open and was_answered(open, call) then
    return stored_before(job, ending_by(job, call))
  end
  return { 'superseded' }
end

-- The call as the arguments that begin at `at`.
local function finish_call(at)
  local answer_of = ARGV[at + 4]
  local call = {
    id = ARGV[at], session = ARGV[at + 1], index = ARGV[at + 2], fence = ARGV[at + 3],
    answer = answer_of, text = ARGV[at + 5], wait = ARGV[at + 7], elapsed = ARGV[at + 8],
    now = ARGV[at + 9],
  }
  -- A hint begins with a mark, so that an empty one is not an absent one.
  if ARGV[at + 6] ~= '' then
    call.hint = string.sub(ARGV[at + 6], 2)
  end
  return call
end
