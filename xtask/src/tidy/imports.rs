//! The direction of dependencies between the workspace's crates.
//!
//! Core depends on none of them, the testkit and the stores on core, stores
//! on the testkit for their tests only, and nothing on the command.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const CORE: &str = "batch-core";
const TESTKIT: &str = "batch-testkit";
const COMMAND: &str = "batch-cli";
const STORES: &str = "batch-store-";

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Build,
    Tests,
}

/// One crate of the workspace that depends on another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Dependency {
    from: String,
    to: String,
    used: Use,
}

pub(super) fn check(root: &Path) -> Result<Vec<String>, String> {
    let metadata = metadata(root)?;
    let dependencies = dependencies(&metadata);
    if dependencies.is_empty() {
        return Err("cargo metadata lists no dependency of ours; adapt its reader".to_owned());
    }
    Ok(dependencies
        .iter()
        .filter(|dependency| !is_allowed(dependency))
        .map(finding)
        .collect())
}

fn metadata(root: &Path) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root);
    let output = command
        .output()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "{command:?} ended with {} and no JSON: {error}",
            output.status
        )
    })
}

fn dependencies(metadata: &Value) -> Vec<Dependency> {
    let packages = items(metadata, "packages");
    let ours: Vec<&str> = packages
        .iter()
        .filter_map(|package| name(package))
        .collect();
    let all = packages.iter().flat_map(|package| {
        items(package, "dependencies")
            .iter()
            .filter_map(|to| dependency(package, to))
    });
    all.filter(|dependency| ours.contains(&dependency.to.as_str()))
        .collect()
}

fn dependency(package: &Value, to: &Value) -> Option<Dependency> {
    let tests = to.get("kind").and_then(Value::as_str) == Some("dev");
    Some(Dependency {
        from: name(package)?.to_owned(),
        to: name(to)?.to_owned(),
        used: if tests { Use::Tests } else { Use::Build },
    })
}

fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value
        .get(field)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn name(value: &Value) -> Option<&str> {
    value.get("name").and_then(Value::as_str)
}

fn is_allowed(dependency: &Dependency) -> bool {
    let Dependency { from, to, used } = dependency;
    match (from.as_str(), to.as_str()) {
        (CORE, _) | (_, COMMAND) => false,
        (TESTKIT, to) => to == CORE,
        (from, to) if from.starts_with(STORES) => {
            to == CORE || (to == TESTKIT && *used == Use::Tests)
        }
        _ => true,
    }
}

fn finding(dependency: &Dependency) -> String {
    let Dependency { from, to, .. } = dependency;
    format!("{from}/Cargo.toml: {from} must not depend on {to}; remove it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn allowed(from: &str, to: &str, used: Use) -> bool {
        is_allowed(&Dependency {
            from: from.to_owned(),
            to: to.to_owned(),
            used,
        })
    }

    #[test]
    fn core_depends_on_none_of_ours() {
        assert!(!allowed("batch-core", "batch-testkit", Use::Tests));
        assert!(!allowed("batch-core", "batch-store-sqlite", Use::Build));
    }

    #[test]
    fn stores_build_on_core_alone() {
        assert!(allowed("batch-store-sqlite", "batch-core", Use::Build));
        assert!(allowed("batch-store-sqlite", "batch-testkit", Use::Tests));
        assert!(!allowed("batch-store-sqlite", "batch-testkit", Use::Build));
        assert!(!allowed(
            "batch-store-sqlite",
            "batch-store-redis",
            Use::Tests
        ));
    }

    #[test]
    fn the_testkit_knows_no_store() {
        assert!(allowed("batch-testkit", "batch-core", Use::Build));
        assert!(!allowed("batch-testkit", "batch-store-sqlite", Use::Tests));
    }

    #[test]
    fn nothing_depends_on_the_command() {
        assert!(allowed("batch-cli", "batch-store-sqlite", Use::Build));
        assert!(!allowed("xtask", "batch-cli", Use::Build));
    }

    #[test]
    fn metadata_is_reduced_to_our_own_crates() {
        let metadata = json!({"packages": [
            {"name": "batch-core", "dependencies": [{"name": "serde", "kind": null}]},
            {"name": "batch-testkit", "dependencies": [
                {"name": "batch-core", "kind": null},
                {"name": "batch-core", "kind": "dev"},
            ]},
        ]});
        let found = dependencies(&metadata);
        let uses: Vec<Use> = found.iter().map(|dependency| dependency.used).collect();
        assert_eq!(uses, [Use::Build, Use::Tests]);
        assert_eq!(found[0].from, "batch-testkit");
    }
}
