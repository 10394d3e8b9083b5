#!lua flags=no-writes
-- Reads sessions by id: those with a row, and those that only starts name.
--
-- KEYS: the prefix.
-- ARGV: where to begin, as a bound of an order by bytes; how many.
-- Reply: a list of {id, the session's fields and values}, empty for one without a row;
--   in two orders, and with ids that are in both.
-- Rules: R9.3, R9.4.

local sessions = {}
for _, index in ipairs({ SESSIONS, HOLDERS }) do
  for _, id in ipairs(redis.call('ZRANGEBYLEX', index, ARGV[1], '+', 'LIMIT', 0, ARGV[2])) do
    sessions[#sessions + 1] = { id, redis.call('HGETALL', session_key(id)) }
  end
end
return sessions
