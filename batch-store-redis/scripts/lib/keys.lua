-- Every key, under the one prefix that all scripts get as their only key.
--
-- The prefix is a hash tag, so that all that a rule compares lives in one slot. What a
-- key holds is said beside it.

local P = KEYS[1]

-- The last number drawn from the sequence.
local SEQUENCE = P .. 'sequence'
-- HASH: a job's place in the sequence, by its id.
local IDS = P .. 'ids'
-- ZSET: all jobs, by sequence.
local JOBS = P .. 'jobs'
-- ZSET of 20 digits of time and 20 of sequence: when sweep looks at a job.
local EXPIRIES = P .. 'expiries'
-- ZSET: all kinds, by name.
local KINDS = P .. 'kinds'
-- ZSET: kinds that neither a job nor a session keeps.
local EMPTY_KINDS = P .. 'empty-kinds'
-- ZSET: all sessions, by id; an id stays until the last step of its reap.
local SESSIONS = P .. 'sessions'
-- ZSET of 20 digits of time and an id: all stages, by their last chunk.
local STAGES = P .. 'stages'
-- What is written last before replicas are waited for.
local MARK = P .. 'mark'
-- The channel on which a kind is named that has a job to take.
local WAKE = P .. 'wake'

-- HASH: a job.
local function job_key(seq)
  return P .. 'job:' .. seq
end

-- Text: a job's note.
local function note_key(seq)
  return P .. 'note:' .. seq
end

-- Text: the sequence of the newest job under a key.
local function newest_key(kind, caller, space, text)
  return P .. 'key:' .. name(kind) .. name(caller) .. space .. ':' .. text
end

-- HASH: the targets of a job, by index.
local function targets_key(rows)
  return P .. 'targets:' .. rows
end

-- HASH: the latest start of each open target of a job, by index.
local function opens_key(rows)
  return P .. 'opens:' .. rows
end

-- ZSET of 20 digits of time and 20 of index: the parked targets of a job.
local function parked_key(rows)
  return P .. 'parked:' .. rows
end

-- HASH: the outcomes of a job, by index.
local function outcomes_key(rows)
  return P .. 'outcomes:' .. rows
end

-- HASH: the index of a job's n-th outcome, by n.
local function ordinals_key(rows)
  return P .. 'ordinals:' .. rows
end

-- HASH: a kind's counts.
local function kind_key(kind)
  return P .. 'kind:' .. kind
end

-- HASH: live jobs of a kind, by caller.
local function callers_key(kind)
  return P .. 'callers:' .. kind
end

-- ZSET: a kind's rotation, shared or of one session, by position.
local function ready_key(kind, pin)
  return P .. 'ready:' .. name(kind) .. pin
end

-- ZSET of 20 digits of time and 20 of sequence: a kind's waiting jobs, shared or pinned.
local function waiting_key(kind, pin)
  return P .. 'waiting:' .. name(kind) .. pin
end

-- ZSET: a kind's rotation with every pinned one, by position.
local function rotation_key(kind)
  return P .. 'rotation:' .. kind
end

-- ZSET: the live jobs pinned to a session, by sequence.
local function pinned_key(session)
  return P .. 'pinned:' .. session
end

-- ZSET of 20 digits of time and 20 of sequence: a kind's freeable jobs, by lease.
local function freeable_key(kind)
  return P .. 'freeable:' .. kind
end

-- HASH: a session.
local function session_key(session)
  return P .. 'session:' .. session
end

-- ZSET of an ordered ticket and where its start is: a session's running starts.
local function held_key(session)
  return P .. 'held:' .. session
end

-- HASH: a stage.
local function stage_key(id)
  return P .. 'stage:' .. id
end

-- ZSET: the stages of a session, by id.
local function stages_key(session)
  return P .. 'stages-of:' .. session
end

-- Frees all rows of a job at once; the server does it beside its work.
local function free(rows)
  redis.call('UNLINK', targets_key(rows), opens_key(rows), parked_key(rows),
    outcomes_key(rows), ordinals_key(rows))
end
