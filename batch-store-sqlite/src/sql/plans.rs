//! The plan of every statement, beside a file that says what it is to be (S14).
//!
//! `UPDATE_PLANS=1 cargo test -p batch-store-sqlite plans` writes that file anew.

use rusqlite::{Connection, StatementStatus};

use super::ALL;
use crate::connect::set_up;
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

/// How often SQLite planned a statement anew when it was run with other values.
fn plans_anew(conn: &Connection, sql: &str) -> i32 {
    let mut statement = conn.prepare(sql).unwrap();
    for value in 0..3 {
        for parameter in 1..=statement.parameter_count() {
            statement.raw_bind_parameter(parameter, value).unwrap();
        }
        // A value may not fit its column; that is found after the planning.
        let _ = statement.raw_query().next();
    }
    statement.get_status(StatementStatus::RePrepare)
}

fn connection() -> Connection {
    let conn = Connection::open_in_memory().unwrap();
    set_up(&conn).unwrap();
    conn.execute_batch(TABLES).unwrap();
    conn
}

fn plans() -> Vec<(&'static str, String)> {
    let conn = connection();
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

#[test]
fn no_statement_is_planned_anew_for_other_values() {
    let conn = connection();

    let anew = ALL.iter().filter(|(_, sql)| plans_anew(&conn, sql) > 0);
    let names: Vec<&str> = anew.map(|(name, _)| *name).collect();

    assert_eq!(names, Vec::<&str>::new());
}
