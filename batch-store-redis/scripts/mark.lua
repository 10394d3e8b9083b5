#!lua flags=allow-oom
-- Writes a little thing, behind all that was written before.
--
-- KEYS: the prefix.
-- ARGV: none.
-- Reply: ok.
-- Rules: S10.

redis.call('SET', MARK, '1')
return 'ok'
