//! Memory stores with one planted bug each: the random engine must name the broken rule.
//!
//! The bugs are in `bug.rs`; a bug that is not caught is a hole in the model or the world.

mod bug;
mod store;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use batch_core::store::Store;
use batch_testkit::random::{CASES, Failure, check, explore};
use batch_testkit::{Backend, Setup, Site, Stop};

use bug::Bug;
use store::Mutant;

/// One seed is enough to notice a hole; another one may need more cases for a rare bug.
const SEED: u64 = 1;

/// Makes stores with a bug, whose data outlive their handles.
#[derive(Debug)]
struct Lasting {
    bug: Bug,
    stores: Mutex<BTreeMap<String, Arc<Mutant>>>,
}

impl Lasting {
    fn new(bug: Bug) -> Self {
        Self {
            bug,
            stores: Mutex::default(),
        }
    }

    fn store(&self, site: &Site) -> Arc<Mutant> {
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let store = stores.entry(site.namespace().to_owned());
        Arc::clone(store.or_insert_with(|| Arc::new(Mutant::new(self.bug))))
    }
}

#[async_trait]
impl Backend for Lasting {
    fn name(&self) -> &'static str {
        "mutant"
    }

    async fn create(&self, site: &Site) -> Setup<Arc<dyn Store>> {
        Ok(self.store(site))
    }

    async fn reopen(&self, site: &Site, _how: Stop) -> Setup<Option<Arc<dyn Store>>> {
        match self.bug {
            Bug::ForgetsOnReopen => Ok(Some(Arc::new(Mutant::new(self.bug)))),
            _ => Ok(Some(self.store(site))),
        }
    }
}

#[test]
fn a_store_that_outlives_its_handles_passes() {
    let report = check(&Lasting::new(Bug::None), 64, 5);

    assert!(report.is_ok(), "{report:?}");
}

/// The smallest program that shows the bug, which must break one of the rules.
fn caught(bug: Bug, rules: &[&str]) {
    let failure = match explore(&Lasting::new(bug), CASES, SEED) {
        Err(failure) => failure,
        Ok(report) => panic!("{bug:?} passed {} cases", report.cases),
    };
    let Failure::Rule(found) = &failure else {
        panic!("{failure}");
    };
    println!("{bug:?}, case {}:\n{failure}\n", found.case);
    assert!(found.file.as_deref().is_some_and(clear), "{failure}");
    assert!(rules.contains(&found.breach.rule), "{failure}");
    assert!(found.program.len() <= 24, "{failure}");
}

/// Removes the site that the check kept for its program.
fn clear(file: &Path) -> bool {
    let site = file.parent();
    site.is_some_and(|site| std::fs::remove_dir_all(site).is_ok())
}

macro_rules! caught {
    ($($name:ident: $bug:ident breaks $($rule:literal)+;)*) => {
        $(#[test]
        fn $name() {
            caught(Bug::$bug, &[$($rule),+]);
        })*
    };
}

caught! {
    a_cap_that_is_skipped_is_seen: SkipsCallerCap breaks "R1.4";
    a_fresh_submit_that_reuses_is_seen: ReusesForFresh breaks "R1.5" "R1.3";
    a_reuse_that_forgets_the_lease_is_seen: ForgetsLeaseOnReuse breaks "R6.4";
    a_width_that_is_ignored_is_seen: IgnoresWidth breaks "R2.2" "S4.2" "S4.3";
    a_halt_that_is_ignored_is_seen: IgnoresHalt breaks "R14.1" "R14.2" "R9.4";
    a_pin_that_is_ignored_is_seen: IgnoresPin breaks "S4.3" "S4.2" "R2.5" "R9.4";
    a_take_before_the_due_time_is_seen: TakesEarly breaks "S4.3";
    a_ticket_that_is_forgotten_is_seen: ForgetsTickets breaks "S2.2" "R9.2";
    tries_that_start_again_are_seen: ResetsTries breaks "R3.2";
    a_superseded_finish_that_stores_is_seen: StoresForAnyStart breaks "S5.2" "S2.4";
    a_second_outcome_that_is_taken_is_seen: AcceptsSecondOutcome breaks "S5.3";
    a_hint_that_is_lost_is_seen: LosesHints breaks "R3.3" "R4.1";
    a_hand_back_that_counts_as_busy_is_seen: CountsHandBacks breaks "R3.2" "S13.1";
    a_turn_that_stops_after_a_refusal_is_seen: StopsAfterRefusal breaks "R2.7" "S2.2";
    a_cancel_that_is_forgotten_is_seen: ForgetsCancels breaks "S2.5";
    a_beat_that_is_ignored_is_seen: IgnoresBeats breaks "R9.3";
    a_start_that_renew_hides_is_seen: HidesStarts breaks "R9.2";
    a_loss_too_many_is_seen: LosesOnceMore breaks "R9.5";
    a_sweep_one_millisecond_early_is_seen: SweepsEarly breaks "S6.1" "S6.3" "R1.10";
    an_eviction_below_the_budget_is_seen: EvictsTooMuch breaks "S7.1";
    a_gap_in_a_stage_is_seen: ForgivesGaps breaks "R1.10";
    a_touch_that_answers_now_is_seen: TouchesBack breaks "R6.4";
    a_page_that_hides_the_next_is_seen: CutsPages breaks "R6.3";
    a_live_count_that_is_wrong_is_seen: MiscountsCallers breaks "S3.2";
    a_reopened_store_that_is_empty_is_seen: ForgetsOnReopen breaks "R9.2" "S13.3" "S8.3" "R6.1";
    a_panic_is_seen: Panics breaks "R8.1";
}
