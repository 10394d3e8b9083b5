//! A submit in the making: every field has a default, a rule names what it is about.
//!
//! Two requests are of the same content when they are `like` the same name.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use batch_core::id::{JobId, Kind};
use batch_core::store::call::{
    CallerName, Caps, Halt, Key, KeySpace, NewTarget, Recovery, Reuse, Settings, Submit, Targets,
};
use batch_core::time::Timestamp;

use crate::markers::Markers;

/// Caps that no rule reaches by accident.
const LARGE: u64 = 1_000_000;

/// The ttl of a job that names none.
pub const HOUR: Duration = Duration::from_hours(1);

/// One millisecond less: when nothing may have happened yet.
pub const fn just_before(length: Duration) -> Duration {
    length.saturating_sub(Duration::from_millis(1))
}

/// A submit in the making.
#[derive(Debug, Clone)]
pub struct Request {
    id: JobId,
    content: String,
    kind: Kind,
    caller: Option<CallerName>,
    key: Option<Key>,
    reuse: Reuse,
    settings: Settings,
    count: u64,
    own: Option<Vec<NewTarget>>,
    note: Option<String>,
    place: Place,
    caps: Caps,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Inline,
    NotYet,
    Staged,
}

/// A request for a job of this id: one target, mode `Resume`, ttl one hour.
pub fn job(id: &str) -> Request {
    Request {
        id: JobId::new(id),
        content: id.to_owned(),
        kind: Kind::default(),
        caller: None,
        key: None,
        reuse: Reuse::Allowed,
        settings: Settings {
            width: 1,
            halt: Halt::Never,
            recovery: Recovery::Resume,
            ttl: HOUR,
            max_losses: 3,
            rerun_of: None,
            note: String::new(),
        },
        count: 1,
        own: None,
        note: None,
        place: Place::Inline,
        caps: Caps {
            targets_per_job: LARGE,
            jobs_per_caller: LARGE,
            jobs_total: LARGE,
        },
    }
}

/// A target as given, without markers.
pub fn target(url: impl Into<String>, options: impl Into<String>) -> NewTarget {
    NewTarget {
        url: url.into(),
        options: options.into(),
        origin: None,
    }
}

#[allow(
    clippy::return_self_not_must_use,
    reason = "a builder reads as one sentence"
)]
impl Request {
    /// With the content of the request of another name.
    pub fn like(mut self, name: &str) -> Self {
        name.clone_into(&mut self.content);
        self
    }

    /// With so many targets.
    pub fn targets(mut self, count: u64) -> Self {
        self.count = count;
        self
    }

    /// With these very targets.
    pub fn with(mut self, targets: Vec<NewTarget>) -> Self {
        self.count = targets.len() as u64;
        self.own = Some(targets);
        self
    }

    /// With a total that the targets do not say.
    pub fn total(mut self, total: u64) -> Self {
        self.count = total;
        self
    }

    /// Of this kind.
    pub fn kind(mut self, kind: &str) -> Self {
        self.kind = Kind::new(kind);
        self
    }

    /// Of the caller of this name.
    pub fn caller(mut self, name: &str) -> Self {
        self.caller = Some(CallerName {
            name: name.to_owned(),
            class: "user".to_owned(),
        });
        self
    }

    /// Under a key that the client gives.
    pub fn client_key(mut self, text: &str) -> Self {
        self.key = Some(Key {
            space: KeySpace::Client,
            text: text.to_owned(),
        });
        self
    }

    /// Runs another job again.
    pub fn rerun_of(mut self, origin: &str, which: &str) -> Self {
        self.settings.rerun_of = Some(JobId::new(origin));
        self.key = Some(Key {
            space: KeySpace::Rerun,
            text: format!("{origin} {which}"),
        });
        self
    }

    /// A new job, whatever was made under its key.
    pub fn fresh(mut self) -> Self {
        self.reuse = Reuse::Fresh;
        self
    }

    /// With so many targets open at once.
    pub fn width(mut self, width: u32) -> Self {
        self.settings.width = width;
        self
    }

    /// Stopped by failures.
    pub fn halt(mut self, halt: Halt) -> Self {
        self.settings.halt = halt;
        self
    }

    /// Pinned to the submitting session, and interrupted with it.
    pub fn pinned(mut self, session: &str) -> Self {
        self.settings.recovery = Recovery::Interrupt {
            session: session.into(),
        };
        self
    }

    /// Kept so long after its lease.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.settings.ttl = ttl;
        self
    }

    /// Failing a target after so many lost starts in a row.
    pub fn max_losses(mut self, losses: u32) -> Self {
        self.settings.max_losses = losses;
        self
    }

    /// With this note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Held to so many targets per job.
    pub fn targets_cap(mut self, cap: u64) -> Self {
        self.caps.targets_per_job = cap;
        self
    }

    /// Held to so many live jobs of the caller, and of the kind.
    pub fn caps(mut self, per_caller: u64, total: u64) -> Self {
        self.caps.jobs_per_caller = per_caller;
        self.caps.jobs_total = total;
        self
    }

    /// With its targets still at the client.
    pub fn not_yet(mut self) -> Self {
        self.place = Place::NotYet;
        self
    }

    /// With its targets staged under its id.
    pub fn staged(mut self) -> Self {
        self.place = Place::Staged;
        self
    }

    /// The targets of the list.
    pub fn list(&self, markers: &Markers) -> Vec<NewTarget> {
        let content = &self.content;
        let marked = |index| NewTarget {
            url: format!("https://{}.example/{content}/{index}", markers.text("url")),
            options: format!(
                r#"{{"{}":"{}"}}"#,
                markers.text("option"),
                markers.text("value")
            ),
            origin: None,
        };
        match &self.own {
            Some(targets) => targets.clone(),
            None => (0..self.count).map(marked).collect(),
        }
    }

    /// The call, at `now`.
    pub fn call(&self, markers: &Markers, now: Timestamp) -> Submit {
        let caller = self.caller.clone().unwrap_or_else(|| CallerName {
            name: markers.text("caller"),
            class: markers.text("class"),
        });
        let list = self.list(markers);
        let digest = digest(&caller.name, &list);
        let key = self.key.clone().unwrap_or_else(|| Key {
            space: KeySpace::Content,
            text: digest.clone(),
        });
        Submit {
            id: self.id.clone(),
            kind: self.kind.clone(),
            caller,
            key,
            digest,
            reuse: self.reuse,
            settings: Settings {
                note: self.note.clone().unwrap_or_else(|| markers.text("note")),
                ..self.settings.clone()
            },
            total: self.count,
            targets: match self.place {
                Place::Inline => Targets::Inline(list),
                Place::NotYet => Targets::NotYet,
                Place::Staged => Targets::Staged,
            },
            caps: self.caps,
            now,
        }
    }
}

/// Any text that tells contents apart will do: to the store it is opaque.
fn digest(caller: &str, targets: &[NewTarget]) -> String {
    let mut hasher = DefaultHasher::new();
    caller.hash(&mut hasher);
    for target in targets {
        (&target.url, &target.options).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}
