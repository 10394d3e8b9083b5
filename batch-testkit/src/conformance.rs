//! The one line of a store's author, and what it expands to.
//!
//! The list of rules is in `catalog.rs`; each test only names its rule, all the work
//! is in `suite.rs` and `kill.rs`.

/// Expands to one `#[test]` per rule of the contract, in a module per group.
///
/// It takes any expression of a type that implements [`Backend`](crate::Backend);
/// each test evaluates it anew. Use it once per module.
#[macro_export]
macro_rules! conformance {
    ($backend:expr) => {
        fn conformance_backend() -> impl $crate::Backend {
            $backend
        }

        $crate::for_each_rule!($crate::__rule_tests);
        $crate::for_each_runner_rule!($crate::__rule_tests);

        mod random {
            /// R1 to R9, R12, R14, S2 to S7, S13
            #[test]
            fn no_program_of_calls_breaks_the_model() {
                let backend = super::conformance_backend();
                $crate::random::test(&backend);
            }
        }

        mod kill {
            /// S10.1, S10.2
            #[test]
            fn nothing_acknowledged_is_lost_with_its_process() {
                let module = module_path!();
                let inside = module.split_once("::").map_or(module, |(_, inside)| inside);
                let name = format!("{inside}::nothing_acknowledged_is_lost_with_its_process");
                $crate::kill::test(&super::conformance_backend(), &name);
            }
        }
    };
}

/// The tests of a list of rules; part of [`conformance!`](crate::conformance).
#[doc(hidden)]
#[macro_export]
macro_rules! __rule_tests {
    ($($group:ident { $($ids:literal $name:ident;)* })*) => {
        $(mod $group {
            $(#[test]
            fn $name() {
                let rule = $crate::__rule!($group $ids $name);
                $crate::test(&super::conformance_backend(), &rule);
            })*
        })*
    };
}

/// The value of one rule; part of [`conformance!`](crate::conformance).
#[doc(hidden)]
#[macro_export]
macro_rules! __rule {
    ($group:ident $ids:literal $name:ident) => {
        $crate::Rule {
            ids: $ids,
            group: stringify!($group),
            name: stringify!($name),
            run: |case| Box::pin($crate::rules::$group::$name(case)),
        }
    };
}

/// All rules of a list as values.
#[doc(hidden)]
#[macro_export]
macro_rules! __rule_values {
    ($($group:ident { $($ids:literal $name:ident;)* })*) => {
        vec![$($($crate::__rule!($group $ids $name)),*),*]
    };
}
