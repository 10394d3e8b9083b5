//! Finish and turn: fences, resends, outcomes and parking (R3, R9.1, S2.3, S2.4, S5).

use batch_core::store::call::{Answer, Finish, Start, Turn};
use batch_core::store::reply::{Ending, FinishReply, TurnReply};
use batch_core::store::view::Outcome;
use batch_core::time::Timestamp;

use super::row::{Answered, EndedBy, JobRow, Stored, StoredBy, TargetRow, TargetState};
use super::{Model, Reply, Verdict, verdict};

/// How a finish relates to what the target has seen.
enum Standing {
    Current,
    Stored(Outcome),
    AnsweredSame,
    Superseded,
}

impl Model {
    /// Stores an outcome or parks the target; every refusal changes nothing.
    pub(super) fn finish(&mut self, call: &Finish) -> Verdict {
        let Some(job) = self.jobs.get(&call.start.job) else {
            return answer("S5.1", FinishReply::NotFound);
        };
        let index = usize::try_from(call.start.index).ok();
        let Some(target) = index.and_then(|index| job.targets.get(index)) else {
            return answer("S5.1", FinishReply::NotFound);
        };
        if job.evicted {
            return self.finish_evicted(job, &call.start);
        }
        match standing(target, call) {
            Standing::Current => self.apply(call),
            Standing::Stored(outcome) if outcome_of(&call.answer).as_ref() == Some(&outcome) => {
                answer("S2.3", self.stored(job, &call.start))
            }
            Standing::Stored(outcome) => answer("S5.3", other(job, &call.start, &outcome)),
            Standing::AnsweredSame => answer("S2.4", self.stored(job, &call.start)),
            Standing::Superseded if was_answered(target, &call.start) => {
                answer("S2.4", FinishReply::Superseded)
            }
            Standing::Superseded => answer("S5.2", FinishReply::Superseded),
        }
    }

    /// R2.7: what two calls would have answered, whatever the finish was refused for.
    pub(super) fn turn(&mut self, call: &Turn) -> Verdict {
        let finish = self.finish(&call.finish);
        let take = self.take(&call.take);
        match (finish.reply, take.reply) {
            (Reply::Finish(reply), Reply::Take(taken)) => Verdict {
                rule: finish.rule,
                take_rule: Some(take.rule),
                reply: Reply::Turn(TurnReply {
                    finish: reply,
                    take: taken,
                }),
            },
            (other, _) => verdict("R2.7", other),
        }
    }

    /// S2.3: of an evicted job only the finish that ended it is still known.
    fn finish_evicted(&self, job: &JobRow, start: &Start) -> Verdict {
        if job.ended_by_finish(start) {
            return answer("S2.3", self.stored(job, start));
        }
        answer("S2.3", FinishReply::NotFound)
    }

    fn apply(&mut self, call: &Finish) -> Verdict {
        let rule = match outcome_of(&call.answer) {
            Some(outcome) => {
                let by = StoredBy::Finish;
                self.store(&call.start, &outcome, by, call);
                "R4.1"
            }
            None => self.park(call),
        };
        let ended_by = EndedBy::Finish(call.start.clone());
        if call.answer == Answer::Refuse {
            self.end_unknown_caller(&call.start.job, ended_by.clone(), call.now);
        }
        self.end_if_due(&call.start.job, &ended_by, call.now);
        self.settle(&call.start.job, call.now);
        match self.jobs.get(&call.start.job) {
            Some(job) if job.halting => answer("R14.2", self.stored(job, &call.start)),
            Some(job) => answer(rule, self.stored(job, &call.start)),
            None => answer(rule, FinishReply::NotFound),
        }
    }

    fn store(&mut self, start: &Start, outcome: &Outcome, by: StoredBy, call: &Finish) {
        let stored = Stored {
            outcome: outcome.clone(),
            ordinal: 0,
            by,
            session: start.session.clone(),
            elapsed: Some(call.elapsed),
            at: call.now,
        };
        self.store_outcome(&start.job, start.index, stored);
    }

    /// R3.2, R9.5, R9.6: an answer without outcome parks the target and forgets its losses.
    fn park(&mut self, call: &Finish) -> &'static str {
        let now = call.now;
        let (wait, rule) = match &call.answer {
            Answer::Busy { wait } => (*wait, "R3.2"),
            Answer::HandBack { wait } => (*wait, "R10.2"),
            _ => (std::time::Duration::ZERO, "R9.6"),
        };
        let Some(job) = self.jobs.get_mut(&call.start.job) else {
            return rule;
        };
        let kind = job.kind.clone();
        let index = usize::try_from(call.start.index).ok();
        if let Some(target) = index.and_then(|index| job.targets.get_mut(index)) {
            target.state = TargetState::Parked {
                due: now.after(wait),
            };
            target.losses = 0;
            target.answered = Some(Answered {
                session: call.start.session.clone(),
                fence: call.start.fence,
                answer: call.answer.clone(),
            });
            count_busy(target, &call.answer, now);
        }
        if matches!(call.answer, Answer::Busy { .. }) {
            self.counters(&kind).targets_retried_later += 1;
        }
        rule
    }

    /// `Stored`, with the ending if this very finish ended the job.
    fn stored(&self, job: &JobRow, start: &Start) -> FinishReply {
        FinishReply::Stored {
            ended: ending(job, start),
            terminal_bytes: self.terminal_bytes(&job.kind),
        }
    }
}

/// R3.2: the first busy time stays, the count grows.
fn count_busy(target: &mut TargetRow, answer: &Answer, now: Timestamp) {
    if matches!(answer, Answer::Busy { .. }) {
        target.busy += 1;
        target.busy_since.get_or_insert(now);
    }
}

/// R9.1: only the newest start speaks, and only until it is answered or reaped.
fn standing(target: &TargetRow, call: &Finish) -> Standing {
    let start = &call.start;
    let newest = target.fence == start.fence;
    match &target.state {
        TargetState::Running { session, .. } if newest && *session == start.session => {
            return Standing::Current;
        }
        TargetState::Stored(stored)
            if newest && stored.by == StoredBy::Finish && stored.session == start.session =>
        {
            return Standing::Stored(stored.outcome.clone());
        }
        _ => {}
    }
    match &target.answered {
        Some(answered) if was_answered(target, start) && answered.answer == call.answer => {
            Standing::AnsweredSame
        }
        _ => Standing::Superseded,
    }
}

fn was_answered(target: &TargetRow, start: &Start) -> bool {
    let answered = target.answered.as_ref();
    answered.is_some_and(|last| last.fence == start.fence && last.session == start.session)
}

fn other(job: &JobRow, start: &Start, outcome: &Outcome) -> FinishReply {
    FinishReply::Other {
        status: outcome.status(),
        ended: ending(job, start),
    }
}

fn ending(job: &JobRow, start: &Start) -> Option<Ending> {
    job.ended_by_finish(start).then_some(Ending {
        status: job.status,
        created_at: job.created_at,
    })
}

fn outcome_of(answer: &Answer) -> Option<Outcome> {
    match answer {
        Answer::Done { result } => Some(Outcome::Done {
            result: result.clone(),
        }),
        Answer::Failed { error, hint } => Some(Outcome::Failed {
            error: error.clone(),
            hint: hint.clone(),
        }),
        Answer::Busy { .. } | Answer::HandBack { .. } | Answer::Refuse => None,
    }
}

fn answer(rule: &'static str, reply: FinishReply) -> Verdict {
    verdict(rule, Reply::Finish(reply))
}
