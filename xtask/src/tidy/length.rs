//! No Rust file is longer than a reader's patience.

use crate::tree::File;

const MAX_LINES: usize = 400;

pub(super) fn check(files: &[File]) -> Vec<String> {
    files.iter().filter_map(finding).collect()
}

fn finding(file: &File) -> Option<String> {
    let lines = file.text.lines().count();
    let told = || {
        format!(
            "{}: {lines} lines; split it, {MAX_LINES} is the limit",
            file.path
        )
    };
    (lines > MAX_LINES).then(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(check(&[file("a.rs", &"\n".repeat(MAX_LINES))]).is_empty());
    }

    #[test]
    fn one_line_more_is_found() {
        let findings = check(&[file("a.rs", &"\n".repeat(MAX_LINES + 1))]);
        assert_eq!(findings, ["a.rs: 401 lines; split it, 400 is the limit"]);
    }
}
