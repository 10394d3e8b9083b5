//! The plan of every statement, beside a file that says what it is to be (S14).
//!
//! `UPDATE_PLANS=1 cargo test -p batch-store-sqlite plans` writes that file anew.

use rusqlite::Connection;

use super::ALL;
use crate::schema::TABLES;

/// The plans as they are to be.
const EXPECTED: &str = include_str!("../../tests/plans/statements.txt");

/// Statements that walk a table from its start, and why each ends soon.
const WALKS: &[(&str, &str)] = &[
    ("DUST", "the first row of an ordered table, LIMIT 1"),
    (
        "EMPTY_KIND",
        "the first entry of an index of empty kinds, LIMIT 1",
    ),
];

fn plan_of(conn: &Connection, sql: &str) -> String {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        steps.push(row.get::<_, String>(3).unwrap());
    }
    steps.join("; ")
}

fn plans() -> Vec<(&'static str, String)> {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(TABLES).unwrap();
    let named = ALL.iter().map(|(name, sql)| (*name, plan_of(&conn, sql)));
    named.collect()
}

#[test]
fn every_plan_is_the_one_on_record() {
    let lines = plans().into_iter().map(|(name, plan)| {
        let line = format!("{name}: {plan}");
        line.trim_end().to_owned() + "\n"
    });
    let found: String = lines.collect();

    if std::env::var_os("UPDATE_PLANS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plans/statements.txt");
        std::fs::write(path, &found).unwrap();
    } else {
        assert_eq!(found, EXPECTED);
    }
}

#[test]
fn no_statement_scans_or_sorts() {
    let bad = plans().into_iter().filter(|(name, plan)| {
        let walks = WALKS.iter().any(|(known, _)| known == name);
        (plan.contains("SCAN") && !walks) || plan.contains("TEMP B-TREE")
    });

    assert_eq!(bad.collect::<Vec<_>>(), []);
}
