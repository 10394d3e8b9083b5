#!lua
-- Keeps a chunk of a long list, invisible until its job is submitted as staged.
--
-- KEYS: the prefix.
-- ARGV: id, session, index of the first target, now, bytes of the chunk; then the targets.
-- Reply: staged, id-taken or gone.
-- Rules: R1.10, S2.

local id, session, now, first_target = ARGV[1], ARGV[2], ARGV[4], 6

if redis.call('HEXISTS', IDS, id) == 1 then
  return 'id-taken'
elseif not is_live(session) then
  return 'gone'
end
local stage = load(stage_key(id), { count = true, bytes = true })
local abandoned
if stage and stage.session ~= session then
  if is_live(stage.session) then
    return 'id-taken'
  end
  abandoned, stage = stage, nil
end
local first, chunk = tonumber(ARGV[3]), #ARGV - first_target + 1
if first > (stage and stage.count or 0) then
  error({ err = 'INVALID the chunk leaves a gap; stage from the first missing target' })
end
if not stage then
  may_draw()
end
-- Everything is checked: from here on it is written.
if abandoned then
  free(abandoned.rows)
  remove_stage(id, abandoned)
end
local last = stage and stage.last
stage = stage or { rows = draw(), session = session, count = 0, bytes = 0, last = now, was = {} }
local key = targets_key(stage.rows)
local replaced = 0
for index = first, math.min(first + chunk, stage.count) - 1 do
  replaced = replaced + target_bytes(redis.call('HGET', key, num(index)))
end
for at = 0, chunk - 1, 200 do
  local pairs_of = {}
  for offset = at, math.min(at + 199, chunk - 1) do
    pairs_of[#pairs_of + 1] = num(first + offset)
    pairs_of[#pairs_of + 1] = ARGV[first_target + offset]
  end
  redis.call('HSET', key, unpack(pairs_of))
end
stage.bytes = math.max(0, stage.bytes - replaced) + tonumber(ARGV[5])
stage.count = math.max(stage.count, first + chunk)
stage.last = later(stage.last, now)
save(stage_key(id), stage)
redis.call('ZADD', stages_key(session), 0, id)
if last and last ~= stage.last then
  redis.call('ZREM', STAGES, last .. id)
end
redis.call('ZADD', STAGES, 0, stage.last .. id)
return 'staged'
