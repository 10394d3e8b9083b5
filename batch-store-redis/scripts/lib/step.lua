-- What happens to a job in one step: its ending, its place, its counts.

-- Where a job stands after a change: in the rotation, in the waiting set, or in neither
-- (R2.1, R2.2, R2.5). One in the rotation stays where it is.
local function may_start_new(job)
  return job.running + job.parked < job.width and job.next < job.total
end

local function to_tail(job, kind)
  may_follow(kind.turn)
  kind.turn = kind.turn + 1
  job.place, job.pos = 'ready', kind.turn
end

local function find_place(job, kind, earliest_due, now)
  if not LIVE[job.status] or job.halting == '1' then
    job.place = ''
  elseif job.place == 'ready' then
    return
  elseif may_start_new(job) or (earliest_due and earliest_due <= now) then
    to_tail(job, kind)
  elseif earliest_due then
    job.place, job.due = 'waiting', earliest_due
  else
    job.place = ''
  end
end

-- The status and error with which a live job ends now (R4, R14).
local function verdict(job)
  if not LIVE[job.status] then
    return nil
  elseif job.done + job.failed == job.total then
    if job.failed == 0 then
      return 'done', ''
    end
    return job.done == 0 and 'failed' or 'partial', ''
  elseif job.halting == '1' and job.running == 0 then
    return job.done == 0 and 'failed' or 'partial', 'halted'
  end
  return nil
end

-- R14: whether a job has failed often enough to stop.
local function halts(job)
  local limit = tonumber(job.halt_at)
  if job.halt == 'failures' then
    return job.failed >= math.max(limit, 1)
  elseif job.halt == 'percent' then
    return job.failed * 100 >= math.max(limit, 1) * job.total
  end
  return false
end

-- Ends a live job. `by` names the call that did, so that it may be sent again (S2).
local function end_job(job, status, why, by, now)
  job.status, job.error, job.finished, job.place = status, why, now, ''
  job.by, job.by_name = by.sort, by.name or ''
  job.by_index, job.by_fence = by.index or '', by.fence or ''
  job.lease = later(job.lease, now)
  job.expiry = after(job.lease, job.ttl)
end

-- Ends the job if its outcomes say so, else finds its place.
local function settle(job, kind, earliest_due, by, now)
  local status, why = verdict(job)
  if status then
    end_job(job, status, why, by, now)
  else
    find_place(job, kind, earliest_due, now)
  end
end

-- Counts an outcome; enough failures stop the job (R14).
local function count_outcome(job, status, bytes, now)
  job[status] = job[status] + 1
  job.bytes = job.bytes + bytes
  job.lease = later(job.lease, now)
  if LIVE[job.status] and halts(job) then
    job.halting = '1'
  end
end

local function terminal_bytes(job)
  return LIVE[job.status] and 0 or job.bytes
end

-- Whether this step ended the job.
local function has_ended(job)
  return LIVE[job.was.status] and not LIVE[job.status]
end

-- Writes the job, and moves the counts of its kind and caller by the difference (R4.1).
local function keep(job, kind)
  local was, own = job.was, after(job.lease, job.ttl)
  -- S6: sweep put a job in flight off; once it is not, its own time counts again.
  if job.running == 0 and job.expiry > own then
    job.expiry = own
  end
  kind.bytes = math.max(0, kind.bytes + terminal_bytes(job) - terminal_bytes(was))
  kind.targets_done = kind.targets_done + job.done - was.done
  kind.targets_failed = kind.targets_failed + job.failed - was.failed
  if was.status ~= job.status then
    kind[was.status] = math.max(0, kind[was.status] - 1)
    kind[job.status] = kind[job.status] + 1
  end
  if has_ended(job) then
    kind.live = math.max(0, kind.live - 1)
    kind['jobs_' .. job.status] = kind['jobs_' .. job.status] + 1
    one_live_less(job.kind, job.caller)
  end
  save_job(job)
  save_kind(job.kind, kind)
end

-- A job that a step ended, for the reply.
local function told(job)
  return { job.id, job.kind, job.status, job.created }
end
