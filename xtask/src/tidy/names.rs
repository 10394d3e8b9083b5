//! No file or folder has a name that says nothing.

use crate::tree::File;

const BANNED: [&str; 5] = ["utils", "helpers", "common", "manager", "misc"];

pub(super) fn check(files: &[File]) -> Vec<String> {
    files.iter().filter_map(finding).collect()
}

fn finding(file: &File) -> Option<String> {
    let stems = file
        .path
        .split('/')
        .map(|part| part.split('.').next().unwrap_or(part));
    let banned = stems.into_iter().find(|stem| BANNED.contains(stem))?;
    Some(format!(
        "{}: rename `{banned}` after what is in it",
        file.path
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn a_noun_passes() {
        assert!(check(&[file("core/src/common_sense.rs", "")]).is_empty());
    }

    #[test]
    fn a_banned_file_or_folder_is_found() {
        let files = [
            file("core/src/utils.rs", ""),
            file("core/helpers/mod.rs", ""),
        ];
        let findings = check(&files);
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0],
            "core/src/utils.rs: rename `utils` after what is in it"
        );
    }
}
