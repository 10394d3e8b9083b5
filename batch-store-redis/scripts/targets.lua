#!lua flags=no-writes
-- Reads one consistent page of a job's targets.
--
-- KEYS: the prefix.
-- ARGV: id, order (index or stored), the first, how many rows, how many bytes.
-- Reply: missing, evicted, or {where the next page begins or empty, rows}; each row {index,
--   target}, and then {parked or running, fence, tries, busy since, due, session} or {done
--   or failed, fence, tries, ordinal, session, elapsed, stored, result or error, hint}.
-- Rules: R6, R13, S8, S9.

local job = load_job_of(ARGV[1])
if not job then
  return 'missing'
elseif job.evicted == '1' then
  return 'evicted'
end

local function outcome_of(index)
  local packed = redis.call('HGET', outcomes_key(job.rows), index)
  local kept = packed and cmsgpack.unpack(packed)
  return kept and { kept.status, kept.fence, kept.tries, kept.ordinal, kept.session,
    kept.elapsed or '', kept.stored, kept.text, kept.hint and '!' .. kept.hint or '' }
end

local function open_of(index)
  local open = load_open(job.rows, index)
  return open and { open.due and 'parked' or 'running', open.fence, num(open.tries),
    open.since or '', open.due or '', open.session }
end

local function row_at(at)
  local index = ARGV[2] == 'index' and at or redis.call('HGET', ordinals_key(job.rows), at)
  local target = index and redis.call('HGET', targets_key(job.rows), index)
  if not target then
    corrupt('a target of the job is missing')
  end
  return { index, target, outcome_of(index) or open_of(index) or {} }
end

-- Bytes of url, options, result, error and hint; a hint that is there begins with a mark.
local function bytes_of(row)
  local state = row[3]
  return target_bytes(row[2]) + #(state[8] or '') + math.max(0, #(state[9] or '') - 1)
end

local last = ARGV[2] == 'index' and job.total or job.done + job.failed
local from, most, bytes = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local rows, at = {}, from
while at < last and #rows < most do
  local row = row_at(num(at))
  bytes = bytes - bytes_of(row)
  if bytes < 0 and #rows > 0 then
    break
  end
  rows[#rows + 1] = row
  at = at + 1
end
return { at < last and num(at) or '', rows }
