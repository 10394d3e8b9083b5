//! Every Rust file begins by saying what lives in it.

use crate::tree::File;

pub(super) fn check(files: &[File]) -> Vec<String> {
    let bare = files.iter().filter(|file| !file.text.starts_with("//!"));
    bare.map(|file| format!("{}: begin the file with a `//!` comment", file.path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn a_file_that_says_what_it_is_passes() {
        assert!(check(&[file("a.rs", "//! Nouns.\n")]).is_empty());
    }

    #[test]
    fn a_file_without_docs_is_found() {
        let findings = check(&[file("a.rs", "use std::fmt;\n//! Late.\n"), file("b.rs", "")]);
        assert_eq!(findings.len(), 2);
    }
}
