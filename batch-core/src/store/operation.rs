//! A call by its name and subject, for whoever writes a store and names its errors (S12).

use std::fmt;

use super::error::StoreError;

/// A call of the trait, and what it is about if that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    name: &'static str,
    subject: Option<String>,
}

impl Operation {
    /// A call without a subject.
    pub fn of(name: &'static str) -> Self {
        Self {
            name,
            subject: None,
        }
    }

    /// A call about a job or a session.
    pub fn on(name: &'static str, subject: impl fmt::Display) -> Self {
        Self {
            name,
            subject: Some(subject.to_string()),
        }
    }

    /// Puts the call's name and subject into its error, and logs what a program would see.
    #[must_use]
    pub fn failed(self, cause: StoreError) -> StoreError {
        let cause = cause.in_operation(self.name);
        let kind = cause.kind();
        tracing::debug!(operation = self.name, %kind, "a call of the store failed");
        match self.subject {
            Some(subject) => cause.with_id(subject),
            None => cause,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::StoreErrorKind;
    use super::*;

    /// S12.2
    #[test]
    fn an_error_tells_its_call_and_subject() {
        let cause = StoreError::new(StoreErrorKind::Full, "unnamed", "no room");

        let named = Operation::on("submit", "job-1").failed(cause.clone());
        let bare = Operation::of("sweep").failed(cause);

        assert_eq!((named.operation(), named.id()), ("submit", Some("job-1")));
        assert_eq!((bare.operation(), bare.id()), ("sweep", None));
    }
}
