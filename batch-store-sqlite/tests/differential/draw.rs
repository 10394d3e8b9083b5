//! Draws calls over a small world of names, so that they meet each other often.

use std::time::Duration;

use batch_core::id::{JobId, Kind, RequestId, SessionId, Ticket};
use batch_core::store::Store;
use batch_core::store::call::{
    Answer, CallerName, Cancel, Caps, Enter, Evict, Finish, Halt, Key, KeySpace, NewTarget, Reap,
    Recovery, Renew, Reuse, Settings, Stage, Start, Submit, Sweep, Take, Targets, Touch, Turn,
};
use batch_core::store::reply::{RenewReply, TakeReply, TurnReply};
use batch_core::time::Timestamp;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

const KINDS: [&str; 3] = ["", "k", "k\0:{x}"];
const CALLERS: [&str; 4] = ["a", "a:b", "'; DROP TABLE job;--", "\u{1f600}\0"];
const SESSIONS: [&str; 4] = ["s1", "s2", "", "../s"];

/// One call of the trait.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    Submit(Box<Submit>),
    Stage(Stage),
    Enter(Enter),
    Renew(Renew),
    Reap(Reap),
    Take(Take),
    Finish(Finish),
    Turn(Box<Turn>),
    Cancel(Cancel),
    Touch(Touch),
    Sweep(Sweep),
    Evict(Evict),
}

/// What a call was answered: as text to compare, and the starts that it tells of.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answered {
    text: String,
    starts: Vec<Start>,
}

impl PartialEq for Answered {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

fn told<T: std::fmt::Debug>(reply: T) -> Answered {
    Answered {
        text: format!("{reply:?}"),
        starts: Vec::new(),
    }
}

fn started(reply: &TakeReply) -> Vec<Start> {
    match reply {
        TakeReply::Started(started) => vec![started.start.clone()],
        TakeReply::Idle { .. } | TakeReply::Gone => Vec::new(),
    }
}

impl Call {
    /// Sends the call; errors are compared by their kind.
    pub(crate) async fn send(&self, store: &dyn Store) -> Answered {
        match self.clone() {
            Self::Submit(call) => told(store.submit(*call).await.map_err(|e| e.kind())),
            Self::Stage(call) => told(store.stage(call).await.map_err(|e| e.kind())),
            Self::Enter(call) => told(store.enter(call).await.unwrap()),
            Self::Renew(call) => {
                let reply = store.renew(call).await.unwrap();
                let starts = match &reply {
                    RenewReply::Beat { starts, .. } => {
                        starts.iter().map(|held| held.start.clone()).collect()
                    }
                    RenewReply::Gone => Vec::new(),
                };
                Answered {
                    starts,
                    ..told(reply)
                }
            }
            Self::Reap(call) => told(store.reap(call).await.unwrap()),
            Self::Take(call) => {
                let reply = store.take(call).await.unwrap();
                Answered {
                    starts: started(&reply),
                    ..told(reply)
                }
            }
            Self::Finish(call) => told(store.finish(call).await.unwrap()),
            Self::Turn(call) => {
                let reply: TurnReply = store.turn(*call).await.unwrap();
                Answered {
                    starts: started(&reply.take),
                    ..told(reply)
                }
            }
            Self::Cancel(call) => told(store.cancel(call).await.unwrap()),
            Self::Touch(call) => told(store.touch(call).await.unwrap()),
            Self::Sweep(call) => told(store.sweep(call).await.unwrap()),
            Self::Evict(call) => told(store.evict(call).await.unwrap()),
        }
    }
}

/// Draws calls, and remembers what earlier ones were told.
pub(crate) struct Draw {
    rng: StdRng,
    now: i64,
    starts: Vec<Start>,
    started: usize,
    last: Option<Call>,
}

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: StdRng::seed_from_u64(seed),
            now: 1_000,
            starts: Vec::new(),
            started: 0,
            last: None,
        }
    }

    /// How many starts there were.
    pub(crate) fn started(&self) -> usize {
        self.started
    }

    pub(crate) fn learn(&mut self, answered: &Answered) {
        self.started += answered.starts.len();
        self.starts.extend(answered.starts.iter().cloned());
        if self.starts.len() > 12 {
            self.starts.remove(0);
        }
    }

    /// The next call; now and then the one before is sent again.
    pub(crate) fn call(&mut self) -> Call {
        if let Some(last) = self.last.clone()
            && self.rng.random_bool(0.1)
        {
            return last;
        }
        self.now += self.rng.random_range(-2..30);
        let call = self.fresh();
        self.last = Some(call.clone());
        call
    }

    fn fresh(&mut self) -> Call {
        let now = self.now();
        match self.rng.random_range(0..100) {
            0..22 => Call::Submit(Box::new(self.submit())),
            22..26 => Call::Stage(self.stage()),
            26..34 => Call::Enter(self.enter()),
            34..38 => Call::Renew(Renew {
                session: self.session(),
                now,
            }),
            38..41 => Call::Reap(Reap {
                session: self.session(),
                beat: self.rng.random_range(0..4),
                now,
                max: self.rng.random_range(0..4),
            }),
            41..58 => Call::Take(self.take()),
            58..74 => Call::Finish(self.finish()),
            74..86 => Call::Turn(Box::new(Turn {
                finish: self.finish(),
                take: self.take(),
            })),
            86..90 => Call::Cancel(Cancel {
                id: self.job(),
                request: RequestId::new(format!("r{}", self.rng.random_range(0..3))),
                now,
            }),
            90..93 => Call::Touch(Touch {
                id: self.job(),
                now,
            }),
            93..97 => Call::Sweep(Sweep {
                now,
                max: self.rng.random_range(0..5),
            }),
            _ => Call::Evict(Evict {
                kind: self.kind(),
                max_bytes: self.rng.random_range(0..60),
                max: self.rng.random_range(0..3),
            }),
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now)
    }

    fn of(&mut self, names: &[&'static str]) -> &'static str {
        names.choose(&mut self.rng).copied().unwrap_or_default()
    }

    fn kind(&mut self) -> Kind {
        Kind::new(self.of(&KINDS))
    }

    fn session(&mut self) -> SessionId {
        SessionId::new(self.of(&SESSIONS))
    }

    fn job(&mut self) -> JobId {
        JobId::new(format!("j{}", self.rng.random_range(0..40)))
    }

    fn wait(&mut self) -> Duration {
        Duration::from_millis(*[0, 20, 90, u64::MAX].choose(&mut self.rng).unwrap_or(&0))
    }

    fn submit(&mut self) -> Submit {
        let key = self.rng.random_range(0..6);
        let space = [KeySpace::Content, KeySpace::Client, KeySpace::Rerun];
        let total = self.rng.random_range(1..5);
        let targets = match self.rng.random_range(0..10) {
            0 => Targets::NotYet,
            1 => Targets::Staged,
            _ => Targets::Inline((0..total).map(|_| self.target()).collect()),
        };
        Submit {
            id: self.job(),
            kind: self.kind(),
            caller: CallerName {
                name: self.of(&CALLERS).to_owned(),
                class: self.of(&CALLERS).to_owned(),
            },
            key: Key {
                space: *space.choose(&mut self.rng).unwrap_or(&KeySpace::Content),
                text: format!("key{key}"),
            },
            digest: format!("digest{}", self.rng.random_range(0..2)),
            reuse: if self.rng.random_bool(0.2) {
                Reuse::Fresh
            } else {
                Reuse::Allowed
            },
            settings: self.settings(),
            total,
            targets,
            caps: Caps {
                targets_per_job: 4,
                jobs_per_caller: 3,
                jobs_total: 8,
            },
            now: self.now(),
        }
    }

    fn settings(&mut self) -> Settings {
        let halts = [
            Halt::Never,
            Halt::Failures(1),
            Halt::Failures(u64::MAX),
            Halt::Percent(50),
        ];
        Settings {
            width: self.rng.random_range(0..4),
            halt: *halts.choose(&mut self.rng).unwrap_or(&Halt::Never),
            recovery: if self.rng.random_bool(0.3) {
                Recovery::Interrupt {
                    session: self.session(),
                }
            } else {
                Recovery::Resume
            },
            ttl: Duration::from_micros(self.rng.random_range(100_000..1_500_000)),
            max_losses: self.rng.random_range(0..3),
            rerun_of: self.rng.random_bool(0.2).then(|| self.job()),
            note: self.of(&["", "a note\0"]).to_owned(),
        }
    }

    fn target(&mut self) -> NewTarget {
        let origins = [None, Some(0), Some(7), Some(u64::MAX)];
        NewTarget {
            url: self.of(&["", "u\0", "\u{202e}url"]).to_owned(),
            options: self.of(&["{}", r#"{"a":"\u0000"}"#]).to_owned(),
            origin: origins.choose(&mut self.rng).copied().flatten(),
        }
    }

    fn stage(&mut self) -> Stage {
        let count = self.rng.random_range(0..4);
        Stage {
            id: self.job(),
            session: self.session(),
            first: self.rng.random_range(0..3),
            targets: (0..count).map(|_| self.target()).collect(),
            now: self.now(),
        }
    }

    fn enter(&mut self) -> Enter {
        Enter {
            session: self.session(),
            kind: self.kind(),
            host: self.of(&CALLERS).to_owned(),
            beat_length: Duration::from_micros(self.rng.random_range(0..3_000_000)),
            now: self.now(),
        }
    }

    fn take(&mut self) -> Take {
        Take {
            session: self.session(),
            ticket: Ticket::new(format!("t{}", self.rng.random_range(0..10_000))),
            now: self.now(),
        }
    }

    fn finish(&mut self) -> Finish {
        let known = self.starts.choose(&mut self.rng).cloned();
        let mut start = known.unwrap_or_else(|| Start {
            session: self.session(),
            job: self.job(),
            index: self.rng.random_range(0..3),
            fence: 1,
        });
        if self.rng.random_bool(0.05) {
            start.fence += 1;
        }
        if self.rng.random_bool(0.03) {
            start.index = u64::MAX;
        }
        Finish {
            start,
            answer: self.answer(),
            elapsed: Duration::from_micros(self.rng.random_range(0..5_000)),
            now: self.now(),
        }
    }

    fn answer(&mut self) -> Answer {
        match self.rng.random_range(0..10) {
            0..4 => Answer::Done {
                result: self
                    .of(&["1", "\"\\u0000\"", "[9007199254740993]"])
                    .to_owned(),
            },
            4..6 => Answer::Failed {
                error: self.of(&["", "no\0"]).to_owned(),
                hint: self.rng.random_bool(0.5).then(|| "hint".to_owned()),
            },
            6 | 7 => Answer::Busy { wait: self.wait() },
            8 => Answer::HandBack { wait: self.wait() },
            _ => Answer::Refuse,
        }
    }
}
