#!lua flags=allow-oom
-- Moves the lease of an existing job, never back.
--
-- KEYS: the prefix.
-- ARGV: id, now.
-- Reply: {touched, lease} or {missing}.
-- Rules: R6.

local job = load_job_of(ARGV[1])
if not job then
  return { 'missing' }
end
if job.lease < ARGV[2] then
  job.lease = ARGV[2]
  save_job(job)
end
return { 'touched', job.lease }
