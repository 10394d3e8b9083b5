#!lua
-- Answers a start. An answer without an outcome is sent to a copy of this script that
-- runs above the server's memory limit too, see `scripts.rs`.
--
-- KEYS: the prefix.
-- ARGV: job, session, index, fence, answer (done, failed, busy, hand-back, refuse), result
--   or error, hint (empty, or ! and the hint), wait, elapsed, now.
-- Reply: {stored, status that the job ended with, created, terminal bytes}, {other, status,
--   status that the job ended with, created}, {superseded} or {missing}.
-- Rules: R3.2, R3.3, R4.1, R5.1, R9.1, R9.6, R14, S2, S5.

local reply = finish(finish_call(1))
wake()
return reply
