//! Where requests and replies end, in the two protocols that the proxy speaks.

use super::resp;

/// How bytes are parted into requests and replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One line each.
    Lines,
    /// The protocol of Redis, versions 2 and 3.
    Redis,
}

/// A whole message at the start of what arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) len: usize,
    /// Of a request: the server replies to it. Of a reply: a request asked for it.
    pub(super) paired: bool,
}

impl Framing {
    pub(super) fn request(self, bytes: &[u8]) -> Option<Frame> {
        let len = self.len(bytes)?;
        let paired = self == Self::Lines || !resp::is_subscription(bytes.get(..len)?);
        Some(Frame { len, paired })
    }

    pub(super) fn reply(self, bytes: &[u8]) -> Option<Frame> {
        let len = self.len(bytes)?;
        let paired = self == Self::Lines || bytes.first() != Some(&b'>');
        Some(Frame { len, paired })
    }

    fn len(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Lines => bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .map(|at| at + 1),
            Self::Redis => resp::value_len(bytes),
        }
    }
}
