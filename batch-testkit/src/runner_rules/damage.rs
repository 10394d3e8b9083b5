//! Stores that answer with damage, or panic where nobody waits for an error (R8).

use std::sync::Arc;

use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;

use super::crew::{crew, outcomes};
use crate::breach::{Verdict, same};
use crate::case::Case;
use crate::fault::{Fault, FaultStore, Often, Plan};

/// R8.3, R3.2 A damaged job at the head of the rotation keeps the answers of no other job.
pub async fn damage_in_a_take_keeps_no_answer(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let mut crew = crew(case).on(store).start().await?;
    fault.plan(Plan {
        operation: Some("turn"),
        call: 1,
        often: Often::FromThenOn,
        fault: Fault::Before(StoreErrorKind::Corrupt),
    });
    let id = crew.submit("a", 2).await?;

    crew.script.expect("a1").await?.busy();
    crew.script.expect("a1").await?.done("ok");
    crew.script.expect("a2").await?.fails("no");

    crew.ends(&id, JobStatus::Partial).await?;
    let expected = ["done ok", "failed no"].map(String::from).to_vec();
    same(outcomes(case, &id).await?, expected)?;
    let tries: Vec<_> = case.all_targets(id.as_str()).await?;
    same(
        tries.iter().map(|target| target.tries).collect(),
        vec![2, 1],
    )?;
    fault.heal();
    same(crew.close(case).await?.targets().len(), 2)
}
