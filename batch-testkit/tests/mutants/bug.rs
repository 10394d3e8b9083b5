//! What may be wrong with a store.

/// A planted bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bug {
    /// A caller may have any number of live jobs.
    SkipsCallerCap,
    /// A fresh submit reuses.
    ReusesForFresh,
    /// A reuse does not move the lease.
    ForgetsLeaseOnReuse,
    /// One more target may be open than asked for.
    IgnoresWidth,
    /// Failures never stop a job.
    IgnoresHalt,
    /// Any session runs a pinned job.
    IgnoresPin,
    /// An idle take starts what is due later.
    TakesEarly,
    /// A ticket that comes again starts another target.
    ForgetsTickets,
    /// Started targets show no tries.
    ResetsTries,
    /// A finish under an old start stores for the current one.
    StoresForAnyStart,
    /// A second, different outcome is acknowledged.
    AcceptsSecondOutcome,
    /// Hints are not stored.
    LosesHints,
    /// A hand-back counts as busy.
    CountsHandBacks,
    /// A turn whose finish is refused does not take.
    StopsAfterRefusal,
    /// A cancel that is sent again is another's.
    ForgetsCancels,
    /// A reap at an older beat goes ahead.
    IgnoresBeats,
    /// Renew reports no starts.
    HidesStarts,
    /// A target may be lost once more than asked for.
    LosesOnceMore,
    /// A ttl ends one millisecond early.
    SweepsEarly,
    /// The budget is taken for zero.
    EvictsTooMuch,
    /// A chunk that leaves a gap is acknowledged.
    ForgivesGaps,
    /// A touch answers its own time.
    TouchesBack,
    /// A page of targets has no next one.
    CutsPages,
    /// Live jobs of a caller are those of all callers.
    MiscountsCallers,
    /// Cancelling an unknown job panics.
    Panics,
    /// A store that is reopened is empty.
    ForgetsOnReopen,
    /// Nothing is wrong.
    None,
}
