//! The programs that tests need beside the Rust toolchain.
//!
//! A missing one is installed where that needs no question: by root, with
//! apt-get. Everywhere else the task says what to install.

use std::path::Path;
use std::process::{Command, Stdio};

/// A program that some test runs.
struct Tool {
    program: &'static str,
    /// The Debian package that brings it.
    package: &'static str,
    purpose: &'static str,
}

const REQUIRED: &[Tool] = &[
    #[cfg(target_os = "linux")]
    Tool {
        program: "strace",
        package: "strace",
        purpose: "a test counts syncs with it",
    },
];

/// Makes sure that every required program can be run.
pub(crate) fn ensure() -> Result<(), String> {
    REQUIRED
        .iter()
        .filter(|tool| !is_present(tool.program))
        .try_for_each(provide)
}

fn provide(tool: &Tool) -> Result<(), String> {
    if is_present("apt-get") && is_root() {
        println!("installing {}: {}", tool.package, tool.purpose);
        install(tool.package);
    }
    if is_present(tool.program) {
        Ok(())
    } else {
        Err(missing(tool))
    }
}

fn missing(tool: &Tool) -> String {
    let Tool {
        program,
        package,
        purpose,
    } = tool;
    format!("`{program}` is missing; {purpose}: install it (apt-get install {package})")
}

/// Installs from the package lists at hand, then from fresh ones.
fn install(package: &str) {
    let installed = apt_get(&["install", "-y", package])
        || (apt_get(&["update"]) && apt_get(&["install", "-y", package]));
    if !installed {
        eprintln!("apt-get could not install {package}");
    }
}

fn apt_get(arguments: &[&str]) -> bool {
    let mut command = Command::new("apt-get");
    command
        .arg("-q")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn is_present(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_file(&folder.join(program)))
}

fn is_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_up_in_the_path() {
        assert!(!is_present("no-program-has-this-name"));
        assert_eq!(is_present("sh"), Path::new("/bin/sh").exists());
    }

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let tool = Tool {
            program: "ps",
            package: "procps",
            purpose: "a test lists processes",
        };
        let told = missing(&tool);
        assert_eq!(
            told,
            "`ps` is missing; a test lists processes: install it (apt-get install procps)"
        );
    }
}
