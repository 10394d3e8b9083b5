//! Targets and results as a fetch sees them: typed, or as JSON text.
//!
//! [`Options`] and [`TargetResult`] are the shapes of a page fetch; any other
//! serde types serve as well.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::store::call::NewTarget;

/// One unit of work: what to fetch, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Target<O = Options> {
    /// What to fetch; may be empty.
    pub url: String,
    /// How to fetch it.
    #[serde(default)]
    pub options: O,
}

/// A target whose options are JSON text, as the store keeps it.
pub type RawTarget = Target<String>;

impl<O> Target<O> {
    /// A target with these options.
    pub fn new(url: impl Into<String>, options: O) -> Self {
        Self {
            url: url.into(),
            options,
        }
    }
}

impl<O: Serialize> Target<O> {
    /// The target as it is submitted.
    pub fn to_new(&self) -> serde_json::Result<NewTarget> {
        let options = serde_json::to_string(&self.options)?;
        Ok(NewTarget {
            url: self.url.clone(),
            options,
            origin: None,
        })
    }
}

/// Options of a page fetch; empty ones are left out of the JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Options {
    /// How the page is read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// What is asked of the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// Which pages of a document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pages: String,
    /// Which lines to keep.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub grep: String,
    /// Which parts of a JSON document to keep.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub jq: String,
    /// Whether context is added; `None` leaves it to the fetch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<bool>,
    /// Whether the fetch may fall back to other means.
    #[serde(default, skip_serializing_if = "is_false")]
    pub recover: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// What a page fetch returns: the content, and everything else about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TargetResult {
    /// The content.
    pub content: String,
    /// Every other field.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

impl NewTarget {
    /// A target without options.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            options: String::new(),
            origin: None,
        }
    }

    /// The same target with options as JSON text.
    #[must_use]
    pub fn with_options(mut self, json: impl Into<String>) -> Self {
        self.options = json.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R1.2: absent options are `{}`.
    #[test]
    fn empty_options_are_left_out() {
        let target = Target::new("u", Options::default());

        assert_eq!(target.to_new().unwrap().options, "{}");
    }

    #[test]
    fn options_keep_their_names() {
        let options = Options {
            jq: ".a".into(),
            context: Some(false),
            ..Options::default()
        };

        let json = serde_json::to_string(&options).unwrap();

        assert_eq!(json, r#"{"jq":".a","context":false}"#);
    }
}
