//! Names that the system draws or passes on: job, session, ticket, request, kind.
//!
//! Every one is opaque text: compared byte for byte, never read as syntax (S9).
//! What a caller is called lives in `caller.rs`.

use std::fmt;

use rand::RngExt;

macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Takes any text as it is.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

macro_rules! drawn {
    ($($name:ident),*) => {
        $(impl $name {
            /// Draws a new one: 16 random bytes as 32 hex digits.
            pub fn random() -> Self {
                Self(random_hex())
            }
        })*
    };
}

opaque! {
    /// The id of a job, drawn by the runner that submits it (R1.7).
    JobId
}
opaque! {
    /// One start of one runner, as the store knows it. Never a configured name (R9.3).
    SessionId
}
opaque! {
    /// Names one `take`, so that a lost reply can be asked for again (S2).
    Ticket
}
opaque! {
    /// Names one `cancel`, so that a lost reply can be asked for again (S2).
    RequestId
}
opaque! {
    /// Which work a job is for; a runner serves one kind. Empty by default.
    Kind
}

drawn!(JobId, SessionId, Ticket, RequestId);

impl Default for Kind {
    fn default() -> Self {
        Self::new("")
    }
}

fn random_hex() -> String {
    hex::encode(rand::rng().random::<[u8; 16]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R1.7
    #[test]
    fn a_drawn_job_id_is_sixteen_bytes_in_hex() {
        let id = JobId::random();

        assert_eq!(id.as_str().len(), 32);
        assert!(hex::decode(id.as_str()).is_ok());
        assert_ne!(id, JobId::random());
    }
}
