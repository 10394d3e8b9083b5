-- Take, for `take.lua` and `turn.lua` (R2).

-- The job of an entry. One without a job goes, so that it is in nobody's way: the next take
-- finds what is behind it.
local function job_of(name_of_kind, key, entry, seq)
  local job = load_job(seq)
  if not job then
    redis.call('ZREM', key, entry)
    redis.call('ZREM', rotation_key(name_of_kind), seq)
    corrupt('an index entry without its job')
  end
  return job
end

local function head_of(name_of_kind, key)
  local seq = redis.call('ZRANGE', key, 0, 0)[1]
  return seq and job_of(name_of_kind, key, seq, seq)
end

-- The front of one set. The earliest due waiting job moves to the tail, then the head
-- counts (R2.5).
local function front(name_of_kind, kind, pin, now)
  local head = head_of(name_of_kind, ready_key(name_of_kind, pin))
  local waiting = waiting_key(name_of_kind, pin)
  local first = redis.call('ZRANGE', waiting, 0, 0)[1]
  if not first then
    return { head = head }
  end
  local due = string.sub(first, 1, 20)
  if due > now then
    return { head = head, waits = due }
  end
  local promoted = job_of(name_of_kind, waiting, first, num(tonumber(string.sub(first, 21))))
  to_tail(promoted, kind)
  return { head = head or promoted, promoted = promoted }
end

local function started(job, index, open, target)
  return { 'started', open.session, job.id, index, open.fence, job.caller, job.class,
    num(open.tries), open.since or '', target }
end

local function target_of(job, index)
  return redis.call('HGET', targets_key(job.rows), index) or corrupt('a start without its target')
end

-- S2: the same start again, as long as it is open.
local function replayed(session, ticket)
  local from = ordered(ticket)
  local entry = redis.call('ZRANGEBYLEX', held_key(session), '[' .. from, '(' .. from .. ':',
    'LIMIT', 0, 1)[1]
  if not entry then
    return nil
  end
  local rows, index = held_at(entry)
  local open = load_open(rows, index) or corrupt('a held start that is not open')
  local job = load_job(open.seq) or corrupt('a start without its job')
  return started(job, index, open, target_of(job, index))
end

-- A parked target that is due goes first, then an unstarted one; at width, the first
-- parked one (R2.2). Answers the index, the start, what it was, and who is due next.
local function open_one(job, session, ticket, now)
  local waiting = parked(job.rows, 2)
  local first = waiting[1]
  if not (first and first.due <= now) and may_start_new(job) then
    local index = num(job.next)
    job.next = job.next + 1
    return index, { seq = job.seq, fence = '1', session = session, ticket = ticket,
      losses = 0, tries = 0 }, nil, first and first.due
  end
  if not first then
    corrupt('a job in the rotation that may start nothing')
  end
  local was = load_open(job.rows, first.index) or corrupt('a parked target that is not open')
  local open = copied(was)
  open.fence = num(tonumber(was.fence) + 1)
  open.session, open.ticket, open.due = session, ticket, nil
  job.parked = math.max(0, job.parked - 1)
  return first.index, open, was, waiting[2] and waiting[2].due
end

local function start(job, kind, session, ticket, now, promoted)
  local index, open, was, next_due = open_one(job, session, ticket, now)
  local target = target_of(job, index)
  job.running = job.running + 1
  job.status = 'running'
  if job.started == '' then
    job.started = now
  end
  job.place = ''
  find_place(job, kind, next_due, now)
  -- Everything is checked: from here on it is written.
  if was then
    unfile_open(job.rows, index, was)
  end
  put_open(job.rows, index, open)
  for at = 1, 2 do
    local other = promoted[at]
    if other and other.seq ~= job.seq then
      save_job(other)
    end
  end
  keep(job, kind)
  return started(job, index, open, target)
end

local function take(session, ticket, now)
  local row = redis.call('HMGET', session_key(session), 'kind', 'dead')
  if not row[1] or row[2] == '1' then
    return { 'gone' }
  end
  local again = replayed(session, ticket)
  if again then
    return again
  end
  local kind = load_kind(row[1])
  local shared = front(row[1], kind, '', now)
  local pinned = front(row[1], kind, '@' .. session, now)
  local job = shared.head
  if not job or (pinned.head and pinned.head.pos < job.pos) then
    job = pinned.head
  end
  if not job then
    return { 'idle', earlier(shared.waits, pinned.waits) or '' }
  end
  return start(job, kind, session, ticket, now, { shared.promoted, pinned.promoted })
end
