#!lua flags=allow-oom
-- Ends a live job at once; targets in flight finish and are stored.
--
-- KEYS: the prefix.
-- ARGV: id, request, now.
-- Reply: {cancelled, created}, {already, status} or {missing}.
-- Rules: R5, S2.

local job = load_job_of(ARGV[1])
if not job then
  return { 'missing' }
end
local request = ARGV[2]
if not LIVE[job.status] then
  if job.by == 'cancel' and job.by_name == request then
    return { 'cancelled', job.created }
  end
  return { 'already', job.status }
end
local kind = load_kind(job.kind)
end_job(job, 'cancelled', '', { sort = 'cancel', name = request }, ARGV[3])
keep(job, kind)
return { 'cancelled', job.created }
