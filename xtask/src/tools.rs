//! The programs that tests need beside the Rust toolchain.
//!
//! A missing one is installed where that needs no question: by root, with
//! apt-get. Everywhere else the task says what to install.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

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
    Tool {
        program: "redis-server",
        package: "redis-server",
        purpose: "tests of the Redis store start servers of their own",
    },
    #[cfg(target_os = "linux")]
    Tool {
        program: "faketime",
        package: "faketime",
        purpose: "a test of the Redis store runs under a wrong clock",
    },
];

/// Debian's hook that every package asks before it starts a service.
const POLICY: &str = "/usr/sbin/policy-rc.d";

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
    let policy = NoServices::begin(Path::new(POLICY));
    let installed = apt_get(&["install", "-y", package])
        || (apt_get(&["update"]) && apt_get(&["install", "-y", package]));
    if !installed {
        eprintln!("apt-get could not install {package}");
    }
    drop(policy);
}

/// While it lives, an installed package starts no service: the tests start their own.
struct NoServices<'p> {
    /// The hook that was made; a machine that has one keeps its own.
    made: Option<&'p Path>,
}

impl<'p> NoServices<'p> {
    fn begin(hook: &'p Path) -> Self {
        // 101 means: not allowed.
        let made = !hook.exists() && write_program(hook, "#!/bin/sh\nexit 101\n").is_ok();
        Self {
            made: made.then_some(hook),
        }
    }
}

impl Drop for NoServices<'_> {
    fn drop(&mut self) {
        if let Some(hook) = self.made
            && let Err(error) = fs::remove_file(hook)
        {
            eprintln!("remove {} by hand: {error}", hook.display());
        }
    }
}

#[cfg(unix)]
fn write_program(path: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    fs::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn write_program(_path: &Path, _text: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
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

    #[cfg(unix)]
    #[test]
    fn services_are_forbidden_only_while_a_package_is_installed() {
        let dir = tempfile::tempdir().unwrap();
        let hook = dir.path().join("policy-rc.d");

        let policy = NoServices::begin(&hook);
        let answer = Command::new(&hook).status().unwrap();
        drop(policy);

        assert_eq!(answer.code(), Some(101));
        assert!(!hook.exists());
    }

    #[test]
    fn a_machine_keeps_its_own_policy_for_services() {
        let dir = tempfile::tempdir().unwrap();
        let hook = dir.path().join("policy-rc.d");
        fs::write(&hook, "own").unwrap();

        drop(NoServices::begin(&hook));

        assert_eq!(fs::read_to_string(&hook).unwrap(), "own");
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
