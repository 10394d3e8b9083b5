//! What a store promises beyond the core, declared by its author.
//!
//! The testkit runs the rules that a declaration opens, and holds a store that
//! declares less to answering `Unsupported` or `Unknown` where it must.

use crate::time::Timestamp;

/// What an acknowledged write survives (S10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// Nothing: it is lost with the process.
    Process,
    /// A killed process, not the machine's power.
    Kill,
    /// Power loss.
    Power,
}

/// Who may use the same data at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sharing {
    /// One process, through clones of one handle.
    OneOwner,
    /// Several processes of one machine.
    ManyProcesses,
    /// Several machines.
    ManyHosts,
}

/// What a store promises.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// Who may share the data.
    pub sharing: Sharing,
    /// The store's own clock now; `None` when time is its clients' (S15).
    pub store_time: Option<Timestamp>,
    /// Whether `wake` ever resolves.
    pub wakes: bool,
}

impl Capabilities {
    /// The promises known to version 1 of the contract; a later promise is a new constructor.
    pub fn v1(durability: Durability, sharing: Sharing) -> Self {
        Self {
            durability,
            sharing,
            store_time: None,
            wakes: false,
        }
    }

    /// Declares a clock of the store's own, and what it shows.
    #[must_use]
    pub fn with_store_time(mut self, now: Timestamp) -> Self {
        self.store_time = Some(now);
        self
    }

    /// Declares that `wake` resolves.
    #[must_use]
    pub fn with_wakes(mut self) -> Self {
        self.wakes = true;
        self
    }
}
