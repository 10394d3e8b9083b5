//! A list as the runner reads it: in batches, off the runtime's threads (R1.10).

use async_trait::async_trait;
use batch_core::caller::BoxError;
use batch_core::source::{Source, SourceReader};
use batch_core::store::call::NewTarget;

use super::List;
use super::reading::Reading;

#[async_trait]
impl Source for List {
    async fn open(&self) -> Result<Box<dyn SourceReader + '_>, BoxError> {
        Ok(Box::new(Batches {
            reading: Some(self.read()),
        }))
    }
}

struct Batches {
    /// Away while a batch is being read; lost if that was given up.
    reading: Option<Reading>,
}

#[async_trait]
impl SourceReader for Batches {
    async fn next(&mut self) -> Result<Vec<NewTarget>, BoxError> {
        let mut reading = self
            .reading
            .take()
            .ok_or("the reading of the list was given up")?;
        let read = move || {
            let batch = reading.batch();
            (reading, batch)
        };
        let (reading, batch) = tokio::task::spawn_blocking(read).await?;
        self.reading = Some(reading);
        Ok(batch?)
    }
}
