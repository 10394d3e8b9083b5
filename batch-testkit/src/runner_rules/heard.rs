//! What the hooks of a runner were told, in order.

use std::sync::Arc;
use std::time::Duration;

use batch_core::hooks::{Hooks, JobEvent, TargetHook};
use batch_core::state::JobStatus;
use tokio::sync::watch;

use crate::breach::{Verdict, unlike};
use crate::script::SOON;

/// One call of a hook.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Note {
    /// Of `job`.
    Job(JobEvent),
    /// Of `target`: the error's text and the bytes.
    Target(Option<String>, usize),
    /// Of `job_seconds`.
    Seconds(Duration),
    /// Of `depth`.
    Depth(usize),
    /// Of `inflight`.
    Inflight(usize),
}

/// All notes so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard(Arc<watch::Sender<Vec<Note>>>);

impl Heard {
    /// Hooks that note what they are told.
    pub(super) fn hooks(&self) -> Hooks {
        Hooks {
            job: Some(self.hook(Note::Job)),
            target: Some(self.target()),
            job_seconds: Some(self.hook(Note::Seconds)),
            depth: Some(self.hook(Note::Depth)),
            inflight: Some(self.hook(Note::Inflight)),
        }
    }

    fn hook<T: 'static>(&self, note: fn(T) -> Note) -> Arc<dyn Fn(T) + Send + Sync> {
        let own = self.clone();
        Arc::new(move |value| own.note(note(value)))
    }

    fn target(&self) -> TargetHook {
        let own = self.clone();
        Arc::new(move |error, _, bytes| {
            own.note(Note::Target(error.map(ToString::to_string), bytes));
        })
    }

    /// Adds a note.
    pub(super) fn note(&self, note: Note) {
        self.0.send_modify(|notes| notes.push(note));
    }

    /// Waits until a note was made at least so many times.
    pub(super) async fn until(&self, note: &Note, times: usize) -> Verdict {
        let mut notes = self.0.subscribe();
        let made = notes.wait_for(|notes| count(notes, note) >= times);
        match tokio::time::timeout(SOON, made).await {
            Ok(_) => Ok(()),
            Err(_) => unlike(&*self.0.borrow(), &format!("{times} × {note:?}")),
        }
    }

    /// How often a note was made.
    pub(super) fn times(&self, note: &Note) -> usize {
        count(&self.0.borrow(), note)
    }

    /// How often the job hook heard of this ending.
    pub(super) fn ended(&self, status: JobStatus) -> usize {
        self.times(&Note::Job(JobEvent::Ended(status)))
    }

    /// What the target hook heard.
    pub(super) fn targets(&self) -> Vec<(Option<String>, usize)> {
        self.filtered(|note| match note {
            Note::Target(error, bytes) => Some((error.clone(), *bytes)),
            _ => None,
        })
    }

    /// What the depth gauge showed.
    pub(super) fn depths(&self) -> Vec<usize> {
        self.filtered(|note| match note {
            Note::Depth(depth) => Some(*depth),
            _ => None,
        })
    }

    /// What the in-flight gauge showed.
    pub(super) fn inflights(&self) -> Vec<usize> {
        self.filtered(|note| match note {
            Note::Inflight(inflight) => Some(*inflight),
            _ => None,
        })
    }

    /// How long jobs took.
    pub(super) fn seconds(&self) -> Vec<Duration> {
        self.filtered(|note| match note {
            Note::Seconds(took) => Some(*took),
            _ => None,
        })
    }

    fn filtered<T>(&self, pick: impl Fn(&Note) -> Option<T>) -> Vec<T> {
        self.0.borrow().iter().filter_map(pick).collect()
    }
}

fn count(notes: &[Note], note: &Note) -> usize {
    notes.iter().filter(|other| *other == note).count()
}
