//! The two readings of a list of targets: for its digest, and to stage it (R1.10).

use tokio_util::sync::CancellationToken;

use super::shared::Shared;
use crate::caller::BoxError;
use crate::canonical::canonical_options;
use crate::error::{Error, Field};
use crate::id::{JobId, SessionId};
use crate::key::KeyHasher;
use crate::limits::{INLINE_BYTES, INLINE_TARGETS, MOST_TARGETS};
use crate::source::{Source, SourceReader};
use crate::store::call::{NewTarget, Stage};
use crate::store::reply::StageReply;

/// What the first reading found.
pub(super) struct Scan {
    /// Digest of caller and targets.
    pub(super) digest: String,
    /// Number of targets.
    pub(super) total: u64,
    /// The targets, if they are few and small enough to travel in the submit.
    pub(super) inline: Option<Vec<NewTarget>>,
    /// The caller's name, for the second reading.
    caller: String,
}

/// Reads a list for digest and count, and keeps it if it is short.
pub(super) async fn scan(
    shared: &Shared,
    source: &dyn Source,
    caller: &str,
) -> Result<Scan, Error> {
    let mut reading = Reading::open(shared, source, caller).await?;
    let mut kept = Some(Chunk::default());
    while let Some(targets) = reading.next().await? {
        for target in targets {
            kept = kept
                .filter(|chunk| chunk.has_room(&target))
                .map(|chunk| chunk.with(target));
        }
    }
    let (digest, total) = reading.finish();
    let inline = kept.map(|chunk| chunk.targets);
    Ok(Scan {
        digest,
        total,
        inline,
        caller: caller.to_owned(),
    })
}

/// Reads the list again and stages it; `false` when the session was lost meanwhile.
pub(super) async fn stage(
    shared: &Shared,
    source: &dyn Source,
    scan: &Scan,
    id: &JobId,
    session: &SessionId,
) -> Result<bool, Error> {
    let mut reading = Reading::open(shared, source, &scan.caller).await?;
    let mut chunk = Chunk::default();
    let mut first = 0;
    while let Some(targets) = reading.next().await? {
        if reading.total > scan.total {
            return Err(Error::SourceChanged);
        }
        for target in targets {
            if !chunk.has_room(&target) {
                let full = std::mem::take(&mut chunk).targets;
                let count = full.len() as u64;
                if !stage_chunk(shared, id, session, first, full).await? {
                    return Ok(false);
                }
                first += count;
            }
            chunk = chunk.with(target);
        }
    }
    // R1.10: what is committed is what was hashed.
    if reading.finish() != (scan.digest.clone(), scan.total) {
        return Err(Error::SourceChanged);
    }
    stage_chunk(shared, id, session, first, chunk.targets).await
}

async fn stage_chunk(
    shared: &Shared,
    id: &JobId,
    session: &SessionId,
    first: u64,
    targets: Vec<NewTarget>,
) -> Result<bool, Error> {
    let call = Stage {
        id: id.clone(),
        session: session.clone(),
        first,
        targets,
        now: shared.now(),
    };
    match shared
        .send(("stage", id), || shared.store.stage(call.clone()))
        .await?
    {
        // The job exists already when a submit was applied whose answer was lost.
        StageReply::Staged | StageReply::IdTaken => Ok(true),
        StageReply::Gone => {
            shared.await_new_session(session).await;
            Ok(false)
        }
    }
}

/// One reading, with its digest so far. It ends when the runner has ended (R10.1).
struct Reading<'a> {
    stop: &'a CancellationToken,
    reader: Box<dyn SourceReader + 'a>,
    hasher: KeyHasher,
    total: u64,
}

impl<'a> Reading<'a> {
    async fn open(shared: &'a Shared, source: &'a dyn Source, caller: &str) -> Result<Self, Error> {
        let stop = &shared.signals.stop;
        let reader = unless(stop, source.open()).await?.map_err(Error::Source)?;
        Ok(Self {
            stop,
            reader,
            hasher: KeyHasher::new(caller),
            total: 0,
        })
    }

    /// The next targets with canonical options; `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<NewTarget>>, Error> {
        // A source that always has more would keep its thread from everything else.
        tokio::task::yield_now().await;
        let mut targets = unless(self.stop, self.reader.next())
            .await?
            .map_err(unread)?;
        if self.total + targets.len() as u64 > MOST_TARGETS {
            return Err(Error::TooManyTargets {
                limit: MOST_TARGETS,
            });
        }
        for target in &mut targets {
            target.options =
                canonical_options(&target.options).map_err(|reason| Error::BadTarget {
                    index: self.total,
                    field: Field::Options,
                    reason,
                })?;
            self.hasher.push(&target.url, &target.options);
            self.total += 1;
        }
        Ok(Some(targets).filter(|targets| !targets.is_empty()))
    }

    fn finish(self) -> (String, u64) {
        (self.hasher.finish(), self.total)
    }
}

/// Awaits the caller's own code, which may never answer, unless the runner ends.
async fn unless<T>(stop: &CancellationToken, work: impl Future<Output = T>) -> Result<T, Error> {
    stop.run_until_cancelled(work).await.ok_or(Error::Closed)
}

/// A list that is read from the store fails with an error of our own.
fn unread(error: BoxError) -> Error {
    error
        .downcast::<Error>()
        .map_or_else(Error::Source, |own| *own)
}

/// Targets that travel in one call.
#[derive(Default)]
struct Chunk {
    targets: Vec<NewTarget>,
    bytes: usize,
}

impl Chunk {
    /// Whether one more fits; the first one always does.
    fn has_room(&self, target: &NewTarget) -> bool {
        let bytes = self.bytes + target.url.len() + target.options.len();
        self.targets.is_empty() || (self.targets.len() < INLINE_TARGETS && bytes <= INLINE_BYTES)
    }

    fn with(mut self, target: NewTarget) -> Self {
        self.bytes += target.url.len() + target.options.len();
        self.targets.push(target);
        self
    }
}
