//! The model by itself: it judges what it is told, and names the rule.

use std::time::Duration;

use batch_core::id::{JobId, Kind, RequestId, SessionId, Ticket};
use batch_core::store::call::{Cancel, Enter, Take};
use batch_core::store::reply::{CancelReply, EnterReply, TakeReply};
use batch_core::time::Timestamp;
use batch_testkit::model::{Call, Model, Reply};

const NOW: Timestamp = Timestamp::from_millis(1_000);

#[test]
fn an_expected_reply_is_accepted() {
    let mut model = Model::new();

    let judged = model.step(&enter(), &entered());

    assert_eq!(judged, Ok(()));
}

/// S15.1: a store's own clock is its own.
#[test]
fn a_store_time_is_not_judged() {
    let mut model = Model::new();
    let with_time = Reply::Enter(EnterReply::Entered {
        store_time: Some(NOW),
    });

    let judged = model.step(&enter(), &with_time);

    assert_eq!(judged, Ok(()));
}

/// R9.4
#[test]
fn a_breach_names_the_rule_and_says_why() {
    let mut model = Model::new();
    let idle = Reply::Take(TakeReply::Idle { ready_at: None });

    let breach = model.step(&take(), &idle).err();

    let breach = breach.unwrap_or_else(|| panic!("a session that never entered took"));
    assert_eq!(breach.rule, "R9.4");
    assert!(breach.why().contains("dead session"));
    assert_eq!(breach.expected, "take by s → Take(Gone)");
    assert_eq!(breach.observed, "→ Take(Idle { ready_at: None })");
}

/// S12.2: after a lost reply, both states are possible, and what follows decides.
#[test]
fn a_lost_reply_leaves_two_states_that_the_next_reply_tells_apart() {
    let mut states = Model::new().step_unknown(&enter());
    let idle = Reply::Take(TakeReply::Idle { ready_at: None });

    let possible = states
        .iter_mut()
        .filter_map(|state| state.step(&take(), &idle).ok())
        .count();

    assert_eq!(states.len(), 2);
    assert_eq!(possible, 1);
}

#[test]
fn a_lost_reply_of_a_call_that_changes_nothing_leaves_one_state() {
    let cancel = Call::Cancel(Cancel {
        id: JobId::new("unknown"),
        request: RequestId::new("r"),
        now: NOW,
    });
    let mut model = Model::new();

    let states = model.step_unknown(&cancel);

    assert_eq!(states.len(), 1);
    assert_eq!(
        model.step(&cancel, &Reply::Cancel(CancelReply::NotFound)),
        Ok(())
    );
}

fn enter() -> Call {
    Call::Enter(Enter {
        session: SessionId::new("s"),
        kind: Kind::default(),
        host: "host".to_owned(),
        beat_length: Duration::from_secs(2),
        now: NOW,
    })
}

fn entered() -> Reply {
    Reply::Enter(EnterReply::Entered { store_time: None })
}

fn take() -> Call {
    Call::Take(Take {
        session: SessionId::new("s"),
        ticket: Ticket::new("t"),
        now: NOW,
    })
}
