//! The second shrinking: leaves out whatever is not needed to break the same rule.
//!
//! proptest's own pass leaves about one junk step in five, since it stops at the first
//! smaller program of each kind.

use super::program::{Op, StartOf, TicketOf};

/// Runs that a shrinking may cost.
const BUDGET: u32 = 400;

/// Leaves out what is not needed, makes the rest simpler, and leaves out again.
pub(super) fn shrink(program: Vec<Op>, mut breaks: impl FnMut(&[Op]) -> bool) -> Vec<Op> {
    let mut runs = 0;
    let fewer = leave_out(program, &mut runs, &mut breaks);
    let simpler = simplify(fewer, &mut runs, &mut breaks);
    leave_out(simpler, &mut runs, &mut breaks)
}

/// The program without the steps that `breaks` does not need: halves, quarters, then one by
/// one until nothing can be left out.
fn leave_out(program: Vec<Op>, runs: &mut u32, breaks: &mut impl FnMut(&[Op]) -> bool) -> Vec<Op> {
    let mut smallest = program;
    let mut chunk = (smallest.len() / 2).max(1);
    loop {
        let before = smallest.len();
        let mut end = smallest.len();
        while end > 0 && *runs < BUDGET {
            let start = end.saturating_sub(chunk);
            let without = without(&smallest, start, end);
            *runs += 1;
            if breaks(&without) {
                smallest = without;
            }
            end = start;
        }
        let stuck = smallest.len() == before;
        if *runs >= BUDGET || (stuck && chunk == 1) {
            return smallest;
        }
        chunk = if stuck { chunk / 2 } else { chunk }.max(1);
    }
}

/// Names starts, tickets and calls that lie less far back, so that what lies between can go.
fn simplify(program: Vec<Op>, runs: &mut u32, breaks: &mut impl FnMut(&[Op]) -> bool) -> Vec<Op> {
    let mut smallest = program;
    for place in 0..smallest.len() {
        let candidates = smallest.get(place).map(simpler).unwrap_or_default();
        for candidate in candidates {
            let mut other = smallest.clone();
            if let Some(op) = other.get_mut(place) {
                *op = candidate;
            }
            *runs += 1;
            if *runs < BUDGET && breaks(&other) {
                smallest = other;
                break;
            }
        }
    }
    smallest
}

/// Simpler operations of the same sort, the simplest first.
fn simpler(op: &Op) -> Vec<Op> {
    match op {
        Op::Take { slot, ticket } if *ticket != TicketOf::New => vec![Op::Take {
            slot: *slot,
            ticket: TicketOf::New,
        }],
        Op::Finish { start, answer } if *start != StartOf::Running(0) => {
            let starts = [StartOf::Running(0), StartOf::First];
            let finish = |start| Op::Finish {
                start,
                answer: *answer,
            };
            starts.into_iter().map(finish).collect()
        }
        Op::Turn { start, answer, .. } => vec![Op::Finish {
            start: *start,
            answer: *answer,
        }],
        Op::Resend { what, back, clock } => {
            let resend = |back| Op::Resend {
                what: *what,
                back,
                clock: *clock,
            };
            (0..*back).map(resend).collect()
        }
        _ => Vec::new(),
    }
}

fn without(program: &[Op], start: usize, end: usize) -> Vec<Op> {
    let head = program.iter().take(start);
    head.chain(program.iter().skip(end)).cloned().collect()
}
