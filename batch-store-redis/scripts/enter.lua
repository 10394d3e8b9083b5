#!lua flags=allow-oom
-- Begins a session, or answers again that it has begun. A full server lets it pass: what
-- sweeps and evicts is a session's runner.
--
-- KEYS: the prefix.
-- ARGV: session, kind, host, length of a beat, now.
-- Reply: {entered or gone, seconds and microseconds of the server's clock}.
-- Rules: R9.2, R9.3, S15.

local id, kind_name, now = ARGV[1], ARGV[2], ARGV[5]
local session = load(session_key(id), {})
local time = redis.call('TIME')
if session then
  local same = session.dead ~= '1' and session.kind == kind_name
  return { same and 'entered' or 'gone', time[1], time[2] }
end
local kind = load_kind(kind_name)
kind.sessions = kind.sessions + 1
save_kind(kind_name, kind)
redis.call('HSET', session_key(id), 'kind', kind_name, 'host', ARGV[3], 'beat', '1',
  'length', ARGV[4], 'dead', '', 'entered', now, 'seen', now)
redis.call('ZADD', SESSIONS, 0, id)
return { 'entered', time[1], time[2] }
