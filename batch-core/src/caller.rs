//! Who submits, as a service sees it, and how a runner gets it back by name.
//!
//! Only name and class are stored (R1.8). The value itself, with whatever a
//! fetch needs of it, stays in memory.

use std::any::Any;
use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;

/// Who submits.
///
/// A fetch that needs its own type back takes it by
/// `(&*caller as &dyn Any).downcast_ref()`.
pub trait Caller: Any + Send + Sync {
    /// The identity that caps and keys are counted by; opaque UTF-8.
    fn name(&self) -> &str;

    /// What sort of caller it is; opaque UTF-8.
    fn class(&self) -> &str;
}

/// A caller that is nothing but its name and class.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlainCaller {
    name: String,
    class: String,
}

impl PlainCaller {
    /// A caller of this name, without a class.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            class: String::new(),
        }
    }

    /// The same caller with a class.
    #[must_use]
    pub fn with_class(mut self, class: impl Into<String>) -> Self {
        self.class = class.into();
        self
    }
}

impl Caller for PlainCaller {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self) -> &str {
        &self.class
    }
}

/// Any error, as injected code returns it.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Rebuilds callers of jobs that this runner did not submit (R1.7, R9.6).
#[async_trait]
pub trait Callers: Send + Sync + 'static {
    /// The caller of this name and class.
    ///
    /// `None` means that there is none: its jobs end `failed: unknown caller`.
    /// An error is taken as passing: the target is handed back and tried later.
    async fn rebuild(&self, name: &str, class: &str) -> Result<Option<Arc<dyn Caller>>, BoxError>;
}

/// Rebuilds every caller as a [`PlainCaller`].
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainCallers;

#[async_trait]
impl Callers for PlainCallers {
    async fn rebuild(&self, name: &str, class: &str) -> Result<Option<Arc<dyn Caller>>, BoxError> {
        Ok(Some(Arc::new(PlainCaller::new(name).with_class(class))))
    }
}
