//! Values on the command line: lengths of time, sizes, and when to halt.
//!
//! Whole numbers only, so that nothing overflows or is rounded; what is out of
//! range is refused with the range.

use std::time::Duration;

use batch_core::store::call::Halt;

/// The longest time that can be asked for.
const LONGEST: Duration = Duration::from_hours(24 * 3650);

/// A length of time: a whole number with `ms`, `s`, `m`, `h` or `d`; seconds without.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let bad = || "give a whole number with ms, s, m, h or d, from 1ms to 3650d".to_owned();
    let (number, unit) = split(text).ok_or_else(bad)?;
    let scale = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(bad()),
    };
    let length = number
        .checked_mul(scale)
        .map(Duration::from_millis)
        .ok_or_else(bad)?;
    if length.is_zero() || length > LONGEST {
        Err(bad())
    } else {
        Ok(length)
    }
}

/// A number of bytes, with `K`, `M`, `G` or `T` for powers of 1024.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let bad = || "give a whole number of bytes, at least 1, with K, M, G or T for more".to_owned();
    let (number, unit) = split(text).ok_or_else(bad)?;
    let shift = match unit {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(bad()),
    };
    match number.checked_mul(1 << shift) {
        Some(bytes) if bytes > 0 => Ok(bytes),
        _ => Err(bad()),
    }
}

/// `never`, `fail=N` or `fail=P%`.
pub(crate) fn halt(text: &str) -> Result<Halt, String> {
    let bad = || "give never, fail=N with N at least 1, or fail=P% with P from 1 to 100".to_owned();
    if text == "never" {
        return Ok(Halt::Never);
    }
    let (number, unit) = text.strip_prefix("fail=").and_then(split).ok_or_else(bad)?;
    match (unit, number) {
        ("", 1..) => Ok(Halt::Failures(number)),
        ("%", 1..=100) => u8::try_from(number).map(Halt::Percent).map_err(|_| bad()),
        _ => Err(bad()),
    }
}

/// How the same halt is written.
pub(crate) fn halt_text(halt: Halt) -> String {
    match halt {
        Halt::Never => "never".to_owned(),
        Halt::Failures(number) => format!("fail={number}"),
        Halt::Percent(percent) => format!("fail={percent}%"),
    }
}

/// A header as `Name: value`; one without a colon has no name. It is refused where no
/// message repeats it, since it may be a password.
#[expect(clippy::unnecessary_wraps, reason = "the form of a value parser")]
pub(crate) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').unwrap_or(("", text));
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn split(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b49_times_are_whole_numbers_within_a_range() {
        for text in [
            "0",
            "-1",
            "1.5",
            "NaN",
            "",
            " 5 ",
            "5 s",
            "1000000000000000000000",
            "3651d",
        ] {
            assert!(duration(text).is_err(), "{text:?}");
        }
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("5"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("2d"), Ok(Duration::from_hours(48)));
    }

    #[test]
    fn b49_sizes_never_overflow() {
        assert_eq!(size("32M"), Ok(32 << 20));
        assert_eq!(size("18446744073709551615"), Ok(u64::MAX));
        for text in [
            "0",
            "18446744073709551616",
            "16777216T",
            "1.5M",
            "-1",
            "",
            "1k",
        ] {
            assert!(size(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_halt_is_read_as_it_is_written() {
        for text in ["never", "fail=1", "fail=18446744073709551615", "fail=50%"] {
            assert_eq!(halt(text).map(halt_text), Ok(text.to_owned()));
        }
        for text in [
            "",
            "fail=0",
            "fail=0%",
            "fail=101%",
            "fail=",
            "fail",
            "fail=1.5",
        ] {
            assert!(halt(text).is_err(), "{text:?}");
        }
    }
}
