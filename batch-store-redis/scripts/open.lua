#!lua
-- Makes a new store under the prefix, unless its keys are there without a schema:
-- then they are another program's.
--
-- KEYS: the prefix.
-- ARGV: the schema.
-- Reply: the schema that is there now; empty for another program's keys.
-- Rules: S11.

local schema = P .. 'schema'
local known = redis.call('GET', schema)
if known then
  return known
end
if redis.call('EXISTS', SEQUENCE, IDS, JOBS, EXPIRIES, KINDS, EMPTY_KINDS, SESSIONS, STAGES) > 0 then
  return ''
end
redis.call('SET', schema, ARGV[1])
return ARGV[1]
