//! What does a cancel leave of a job?
//!
//! The target in flight is stored, the later ones never start.
//! `cargo run -p examples --example cancel`

use std::sync::Arc;

use batch_core::caller::PlainCaller;
use batch_core::memory::MemoryStore;
use batch_core::runner::Runner;
use batch_core::store::call::NewTarget;
use batch_core::submission::Submission;
use tokio::sync::Notify;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (begun.clone(), go_on.clone());
    let fetch = move |_, _, _, _| {
        let (tell, wait) = (tell.clone(), wait.clone());
        async move {
            tell.notify_one();
            wait.notified().await;
            Ok::<_, std::io::Error>("finished all the same")
        }
    };
    let runner = Runner::builder(Arc::new(MemoryStore::new()), fetch)
        .start()
        .await?;
    let targets = vec![NewTarget::new("first"), NewTarget::new("second")];
    let ann = Arc::new(PlainCaller::new("ann"));
    let submitted = runner.submit(Submission::new(ann, targets)).await?;

    begun.notified().await;
    println!("cancelled: {}", runner.cancel(&submitted.id).await?);
    go_on.notify_one();
    runner.close(None).await;

    let job = runner.status(&submitted.id).await?;
    println!(
        "{}: {} done, {} pending",
        job.status, job.counts.done, job.counts.pending
    );
    Ok(())
}
