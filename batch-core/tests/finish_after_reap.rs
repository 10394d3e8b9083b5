//! Finishes of starts that a reap has closed (R9.1).
//!
//! What a reap stores for a lost start is not an answer of that start.

use std::time::Duration;

use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::memory::MemoryStore;
use batch_core::store::call::{
    Answer, CallerName, Caps, Enter, Finish, Halt, Key, KeySpace, NewTarget, Reap, Recovery, Reuse,
    Settings, Start, Submit, Take, Targets,
};
use batch_core::store::reply::FinishReply;
use batch_core::store::{Store, StoreResult};
use batch_core::time::Timestamp;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// R9.1, R9.5: it is superseded, whether it says the same as the reap or something else.
#[tokio::test]
async fn a_reaped_start_cannot_claim_the_outcome_that_the_reap_stored() -> StoreResult<()> {
    let store = store_with_one_started_target().await?;
    let reap = Reap {
        session: SessionId::new("s"),
        beat: 1,
        now: NOW,
        max: 9,
    };
    store.reap(reap).await?;

    let same = store.finish(finish("interrupted")).await?;
    let other = store.finish(finish("refused")).await?;

    assert_eq!(same, FinishReply::Superseded);
    assert_eq!(other, FinishReply::Superseded);
    Ok(())
}

async fn store_with_one_started_target() -> StoreResult<MemoryStore> {
    let store = MemoryStore::new();
    let enter = Enter {
        session: SessionId::new("s"),
        kind: Kind::default(),
        host: String::new(),
        beat_length: Duration::from_secs(2),
        now: NOW,
    };
    store.enter(enter).await?;
    store.submit(submit()).await?;
    let take = Take {
        session: SessionId::new("s"),
        ticket: Ticket::new("t"),
        now: NOW,
    };
    store.take(take).await?;
    Ok(store)
}

fn submit() -> Submit {
    Submit {
        id: JobId::new("j"),
        kind: Kind::default(),
        caller: CallerName {
            name: "ann".to_owned(),
            class: String::new(),
        },
        key: Key {
            space: KeySpace::Content,
            text: "k".to_owned(),
        },
        digest: "k".to_owned(),
        reuse: Reuse::Allowed,
        settings: settings(),
        total: 1,
        targets: Targets::Inline(vec![NewTarget {
            url: "u".to_owned(),
            options: "{}".to_owned(),
            origin: None,
        }]),
        caps: Caps {
            targets_per_job: 9,
            jobs_per_caller: 9,
            jobs_total: 9,
        },
        now: NOW,
    }
}

fn settings() -> Settings {
    Settings {
        width: 1,
        halt: Halt::Never,
        recovery: Recovery::Resume,
        ttl: Duration::from_mins(1),
        max_losses: 1,
        rerun_of: None,
        note: String::new(),
    }
}

fn finish(error: &str) -> Finish {
    Finish {
        start: Start {
            session: SessionId::new("s"),
            job: JobId::new("j"),
            index: 0,
            fence: 1,
        },
        answer: Answer::Failed {
            error: error.to_owned(),
            hint: None,
        },
        elapsed: Duration::ZERO,
        now: NOW,
    }
}
