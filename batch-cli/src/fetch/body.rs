//! How a result is stored: its content, as text or in base64, and what is known of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use batch_core::caller::BoxError;
use batch_core::fetch::Json;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A stored result.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_base64: Option<String>,
    #[serde(default)]
    meta: Map<String, Value>,
}

/// The JSON text of a result; bytes that are no text go in base64.
pub(crate) fn encode(content: Vec<u8>, meta: Map<String, Value>) -> Result<Json, BoxError> {
    let body = match String::from_utf8(content) {
        Ok(text) => Body {
            content: Some(text),
            content_base64: None,
            meta,
        },
        Err(bytes) => {
            let text = STANDARD.encode(bytes.as_bytes());
            Body {
                content: None,
                content_base64: Some(text),
                meta,
            }
        }
    };
    Ok(Json::of(&body)?)
}

/// The bytes of a stored result. One of another program is shown as its JSON, a line.
pub(crate) fn content(result: &str) -> Vec<u8> {
    decode(result).unwrap_or_else(|| format!("{result}\n").into_bytes())
}

fn decode(result: &str) -> Option<Vec<u8>> {
    match serde_json::from_str(result).ok()? {
        Body {
            content: Some(text),
            content_base64: None,
            ..
        } => Some(text.into_bytes()),
        Body {
            content: None,
            content_base64: Some(text),
            ..
        } => STANDARD.decode(text).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were() {
        for bytes in [
            &b""[..],
            b"text\n",
            b"a\0b",
            b"\xff\xfe\x00",
            "é\u{2028}".as_bytes(),
        ] {
            let stored = encode(bytes.to_vec(), Map::new()).unwrap();
            assert_eq!(content(stored.as_str()), bytes);
        }
    }

    #[test]
    fn a_foreign_result_is_shown_as_json() {
        assert_eq!(content(r#"{"answer":42}"#), b"{\"answer\":42}\n");
        assert_eq!(content("7"), b"7\n");
    }
}
