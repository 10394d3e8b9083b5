#!lua flags=allow-oom
-- Shows that a session is alive, and reports what it holds.
--
-- KEYS: the prefix.
-- ARGV: session, now, how many starts to report.
-- Reply: gone, or {beat, seconds and microseconds of the server's clock, starts}, each
--   start {ordered ticket, job, index, fence}.
-- Rules: R9.2, S15.

local id, now = ARGV[1], ARGV[2]
local session = load(session_key(id), { beat = true })
if not session or session.dead == '1' then
  return 'gone'
end
local starts = {}
for _, entry in ipairs(redis.call('ZRANGE', held_key(id), 0, tonumber(ARGV[3]) - 1)) do
  local rows, index = held_at(entry)
  local open = load_open(rows, index)
  local job = open and redis.call('HGET', job_key(open.seq), 'id')
  -- A start without its row or its job is damage that reap removes; the session lives on.
  if job then
    starts[#starts + 1] = { open.ticket, job, index, open.fence }
  end
end
local beat = num(session.beat + 1)
redis.call('HSET', session_key(id), 'beat', beat, 'seen', later(session.seen, now))
local time = redis.call('TIME')
return { beat, time[1], time[2], starts }
