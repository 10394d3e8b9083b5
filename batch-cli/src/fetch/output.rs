//! Reads what a command writes: all of its output up to a limit, the end of its errors.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// What came through a pipe.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Captured {
    All(Vec<u8>),
    TooLarge,
}

const CHUNK: usize = 64 << 10;

/// Reads to the end, or until there is more than `limit`.
pub(super) async fn all(mut pipe: impl AsyncRead + Unpin, limit: usize) -> io::Result<Captured> {
    let mut bytes = Vec::new();
    while pipe.read_buf(&mut bytes).await? > 0 {
        if bytes.len() > limit {
            return Ok(Captured::TooLarge);
        }
        bytes.reserve(CHUNK.min(bytes.len()));
    }
    Ok(Captured::All(bytes))
}

/// Reads to the end, and keeps the last `limit` bytes.
pub(super) async fn end(mut pipe: impl AsyncRead + Unpin, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while pipe.read_buf(&mut bytes).await? > 0 {
        if bytes.len() > limit.saturating_mul(2) {
            keep_end(&mut bytes, limit);
        }
    }
    keep_end(&mut bytes, limit);
    Ok(bytes)
}

fn keep_end(bytes: &mut Vec<u8>, limit: usize) {
    bytes.drain(..bytes.len().saturating_sub(limit));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn output_is_kept_up_to_the_limit() {
        assert_eq!(
            all(&b"12345"[..], 5).await.unwrap(),
            Captured::All(b"12345".to_vec())
        );
        assert_eq!(all(&b"123456"[..], 5).await.unwrap(), Captured::TooLarge);
    }

    #[tokio::test]
    async fn of_errors_the_end_is_kept() {
        assert_eq!(end(&b"123456789012"[..], 5).await.unwrap(), b"89012");
        assert_eq!(end(&b"12"[..], 5).await.unwrap(), b"12");
    }
}
