//! Draws programs. The weights favour what leads somewhere: takes and answers of running
//! starts, and times that meet the waits and ttls exactly.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

use super::program::{
    AnswerOf, BeatOf, ClockOf, HaltOf, KeyOf, NewJob, Op, Part, ReuseOf, Sent, StagedOf, StartOf,
    StopOf, TicketOf,
};
use super::world::JOBS;

/// The short ttl; the long one is four times as much.
const TTL: u16 = 1_000;
const HOUR: i64 = 3_600_000;

/// Programs of 5 to 60 operations after their sessions' enters.
pub(super) fn programs() -> impl Strategy<Value = Vec<Op>> {
    let enters = prop_oneof![8 => Just(3_u8), 1 => 0..3_u8];
    (enters, vec(op(), 5..57)).prop_map(|(enters, ops)| {
        let enters = (0..enters).map(|slot| Op::Enter {
            slot,
            kind: slot / 2,
        });
        number(enters.chain(ops).collect())
    })
}

/// Stands for the next job number in turn.
const NEXT: u8 = u8::MAX;

/// Gives the submits their numbers.
fn number(mut ops: Vec<Op>) -> Vec<Op> {
    let mut next = (0..JOBS).cycle();
    for op in &mut ops {
        if let Op::Submit(new) = op
            && new.job == NEXT
        {
            new.job = next.next().unwrap_or(0);
        }
    }
    ops
}

fn op() -> BoxedStrategy<Op> {
    prop_oneof![
        15 => new_job().prop_map(Op::Submit),
        14 => (slot(), ticket()).prop_map(|(slot, ticket)| Op::Take { slot, ticket }),
        14 => (start(), answer()).prop_map(|(start, answer)| Op::Finish { start, answer }),
        6 => (start(), answer(), ticket())
            .prop_map(|(start, answer, ticket)| Op::Turn { start, answer, ticket }),
        6 => wait().prop_map(|millis| Op::Wait { millis }),
        4 => resend(),
        15 => upkeep(),
        5 => life(),
    ]
    .boxed()
}

fn upkeep() -> BoxedStrategy<Op> {
    prop_oneof![
        2 => (job(), 0..2_u8).prop_map(|(job, request)| Op::Cancel { job, request }),
        3 => job().prop_map(|job| Op::Touch { job }),
        3 => (1..4_u8).prop_map(|max| Op::Sweep { max }),
        6 => (kind(), select(vec![0_u16, 20, 40, 80, 200]), 1..3_u8)
            .prop_map(|(kind, budget, max)| Op::Evict { kind, budget, max }),
        3 => (6..8_u8, slot(), select(vec![Part::Head, Part::Tail, Part::Whole]))
            .prop_map(|(job, slot, part)| Op::Stage { job, slot, part }),
        1 => select(vec![StopOf::Close, StopOf::Drop]).prop_map(|stop| Op::Reopen { stop }),
    ]
    .boxed()
}

fn life() -> BoxedStrategy<Op> {
    let beat = prop_oneof![5 => Just(BeatOf::Seen), 1 => Just(BeatOf::Older)];
    prop_oneof![
        3 => (slot(), prop_oneof![5 => Just(None), 1 => kind().prop_map(Some)])
            .prop_map(|(slot, kind)| Op::Enter { slot, kind: kind.unwrap_or(slot / 2) }),
        2 => slot().prop_map(|slot| Op::Renew { slot }),
        3 => (slot(), beat, 1..4_u8).prop_map(|(slot, beat, max)| Op::Reap { slot, beat, max }),
    ]
    .boxed()
}

fn resend() -> BoxedStrategy<Op> {
    let what = select(vec![
        Sent::Any,
        Sent::Submit,
        Sent::Take,
        Sent::Finish,
        Sent::Turn,
        Sent::Cancel,
    ]);
    let back = prop_oneof![3 => Just(0_u8), 2 => 0..4_u8, 1 => 0..20_u8];
    (what, back, select(vec![ClockOf::Then, ClockOf::Now]))
        .prop_map(|(what, back, clock)| Op::Resend { what, back, clock })
        .boxed()
}

fn new_job() -> BoxedStrategy<NewJob> {
    let content = prop_oneof![3 => 0..2_u8, 1 => 0..4_u8];
    let number = prop_oneof![8 => Just(NEXT), 1 => job()];
    let names = (number, kind(), caller(), content, key());
    let width = prop_oneof![2 => Just(1_u8), 3 => 2..4_u8];
    let pin = option::weighted(0.4, slot());
    let run = (pin, width, halt(), 1..4_u8);
    let ttl = prop_oneof![3 => Just(TTL), 1 => Just(4 * TTL)];
    let reuse = prop_oneof![5 => Just(ReuseOf::Allowed), 1 => Just(ReuseOf::Fresh)];
    let staged = prop_oneof![1 => Just(StagedOf::NotYet), 3 => Just(StagedOf::Staged)];
    let keep = (ttl, reuse, caps(), staged);
    (names, run, keep)
        .prop_map(|(names, run, keep)| {
            let (job, kind, caller, content, key) = names;
            let (pin, width, halt, losses) = run;
            let (ttl, reuse, caps, staged) = keep;
            NewJob {
                job,
                kind,
                caller,
                content,
                key,
                reuse,
                pin,
                width,
                halt,
                ttl,
                losses,
                caps,
                staged,
            }
        })
        .boxed()
}

fn caps() -> BoxedStrategy<[u8; 3]> {
    let tight = (2..5_u8, 1..3_u8, 1..4_u8).prop_map(|(a, b, c)| [a, b, c]);
    prop_oneof![4 => Just([9, 9, 9]), 1 => tight].boxed()
}

fn key() -> BoxedStrategy<KeyOf> {
    prop_oneof![
        5 => Just(KeyOf::Content),
        2 => (0..2_u8).prop_map(KeyOf::Client),
        1 => job().prop_map(KeyOf::Rerun),
    ]
    .boxed()
}

fn halt() -> BoxedStrategy<HaltOf> {
    prop_oneof![
        4 => Just(HaltOf::Never),
        1 => (1..3_u8).prop_map(HaltOf::Failures),
        1 => select(vec![1_u8, 34, 50, 100]).prop_map(HaltOf::Percent),
    ]
    .boxed()
}

fn start() -> BoxedStrategy<StartOf> {
    prop_oneof![
        12 => (0..4_u8).prop_map(StartOf::Running),
        1 => Just(StartOf::First),
        3 => (0..6_u8).prop_map(StartOf::Back),
        1 => (0..3_u8).prop_map(StartOf::Foreign),
        1 => (0..3_u8).prop_map(StartOf::NextFence),
        1 => (0..3_u8).prop_map(StartOf::Outside),
    ]
    .boxed()
}

fn answer() -> BoxedStrategy<AnswerOf> {
    prop_oneof![
        6 => (0..2_u8).prop_map(AnswerOf::Done),
        4 => (0..2_u8).prop_map(AnswerOf::Failed),
        4 => select(vec![0_u16, 100, 1_000]).prop_map(AnswerOf::Busy),
        2 => Just(AnswerOf::HandBack),
        1 => Just(AnswerOf::Refuse),
    ]
    .boxed()
}

fn wait() -> BoxedStrategy<i64> {
    let ttl = i64::from(TTL);
    prop_oneof![
        3 => Just(1_i64),
        3 => select(vec![99_i64, 100, ttl / 2]),
        3 => select(vec![ttl - 1, ttl, 4 * ttl]),
        2 => select(vec![-1_i64, -300]),
        1 => select(vec![HOUR - 1, HOUR]),
    ]
    .boxed()
}

fn ticket() -> BoxedStrategy<TicketOf> {
    prop_oneof![6 => Just(TicketOf::New), 1 => (0..3_u8).prop_map(TicketOf::Again)].boxed()
}

fn slot() -> impl Strategy<Value = u8> {
    0..3_u8
}

fn kind() -> impl Strategy<Value = u8> {
    prop_oneof![4 => Just(0_u8), 2 => Just(1), 1 => Just(2)]
}

fn caller() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(0_u8), 1 => 0..3_u8]
}

fn job() -> impl Strategy<Value = u8> {
    prop_oneof![3 => 0..4_u8, 1 => 0..JOBS]
}

/// A seed of proptest's generator from ours.
pub(super) fn seed_bytes(seed: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (byte, from) in bytes.iter_mut().zip(seed.to_le_bytes()) {
        *byte = from;
    }
    bytes
}
