//! Finds rule ids, such as S5 or R1.3, in a line of text.

/// The ids in `line`, in order.
///
/// An id is a word: `R` or `S`, a number, and at most one point and number.
pub(super) fn ids(line: &str) -> Vec<&str> {
    let word = |character: char| character.is_alphanumeric() || matches!(character, '.' | '_');
    let words = line.split(|character| !word(character));
    words
        .map(|word| word.trim_matches('.'))
        .filter(|word| is_id(word))
        .collect()
}

fn is_id(word: &str) -> bool {
    let number = word.strip_prefix(['R', 'S']);
    number.is_some_and(|number| match number.split_once('.') {
        None => is_number(number),
        Some((rule, part)) => is_number(rule) && is_number(part),
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_among_words() {
        assert_eq!(
            ids("/// S5.1, S2.3: refused (R9.3)."),
            ["S5.1", "S2.3", "R9.3"]
        );
        assert_eq!(ids("holds S5; see R1.10."), ["S5", "R1.10"]);
    }

    #[test]
    fn other_words_are_left_alone() {
        assert!(ids("R, S, RS1, R1a, xR1, R_1, S1.x, R1.2.3, r1, R.1").is_empty());
    }
}
