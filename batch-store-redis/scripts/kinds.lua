#!lua flags=no-writes
-- Reads the names of kinds in their order.
--
-- KEYS: the prefix.
-- ARGV: where to begin, as a bound of an order by bytes; how many.
-- Reply: the names.
-- Rules: S8, S13.

return redis.call('ZRANGEBYLEX', KINDS, ARGV[1], '+', 'LIMIT', 0, ARGV[2])
