//! The list of the runner's rules: every one stands here once, with its ids.
//!
//! A group `runner_x` is the file `x.rs`; how to add one is said in the list of the
//! store's rules.

/// Calls a macro with the list of the runner's rules, by group.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_runner_rule {
    ($($then:tt)+) => {
        $($then)+! {
            runner_again {
                "R12.1, R12.3" the_chosen_targets_are_run_again;
                "R12.3, R3.7" a_chain_of_reruns_keeps_the_first_index;
                "R12.2" a_rerun_is_reused_like_any_job;
                "R12.1" what_cannot_be_run_again_says_why;
            }
            runner_cancel {
                "R5.1, R5.2, B13" b13_a_late_fetch_leaves_its_job_cancelled;
                "R5.1, B13" b13_the_last_fetch_leaves_its_job_cancelled;
                "R5.1, B13" b13_a_busy_target_of_a_cancelled_job_stays_pending;
                "R5.1, B14" b14_what_has_ended_is_not_cancelled;
                "R5.1, B14" b14_a_cancel_that_races_the_end_agrees_with_it;
            }
            runner_close {
                "R10.1, B26" b26_an_idle_runner_closes_at_once;
                "R10.2, B26" b26_an_outcome_that_arrives_is_stored;
                "R10.2" an_error_after_the_signal_hands_back;
                "R10.1, B26" b26_a_fetch_that_ignores_the_signal_is_left;
                "R10.1, B26" b26_a_close_ends_in_time_without_a_store;
                "R10.1, B26" b26_a_close_ends_in_time_with_a_store_that_refuses;
                "R10.1, R10.2, R3.1" a_hanging_submit_leaves_time_to_the_fetches;
                "R10.1, R7.2" a_close_without_time_tells_the_gauges;
                "R10.1, R1.8" a_close_waits_for_begun_submits;
                "R10.3, R1.7" pinned_jobs_end_and_shared_ones_stay;
                "R10.4" after_the_close_only_submits_are_refused;
                "R10.5, B26" b26_a_close_may_be_repeated_and_dropped;
                "R10.5" dropping_the_last_handle_closes;
                "R10.3, R9.2" a_lost_renewal_does_not_keep_the_session;
            }
            runner_ending {
                "R4.1, R4.2" outcomes_decide_how_a_job_ends;
                "R4.2, S15" a_job_never_takes_less_than_no_time;
                "R4.2, B16" b16_every_ending_is_told_once_over_all_runners;
                "R4.2, R7.3, B16" b16_a_hook_sees_the_job_ended;
            }
            runner_faults {
                "R8.4" a_failed_call_is_logged_with_its_job;
                "R8.1" a_store_that_panics_ends_no_worker;
                "R2.6" a_restless_store_is_asked_now_and_then;
                "R8.2, R8.1" a_refused_take_loses_nothing;
                "R8.2, S2.2" a_lost_take_loses_nothing;
                "R8.2, B20" b20_a_refused_turn_loses_nothing;
                "R8.2, B20, S2.3" b20_a_lost_turn_counts_once;
                "R8.2, S1.1" a_dropped_turn_loses_nothing;
                "R8.2, S2.1" b08_a_lost_submit_of_a_runner_makes_one_job;
                "R8.2, R9.2" refused_renewals_harm_nothing;
                "R8.2, R9.2" lost_renewals_harm_nothing;
                "R8.1" refused_sweeps_harm_nothing;
                "R8.1" refused_looks_harm_nothing;
                "R8.2, R4.2" a_lost_cancel_is_told_once;
                "R8.2" a_turn_that_stands_still_is_sent_again;
                "R8.2, R9.2" while_an_outcome_waits_nothing_is_taken;
                "R8.3, B40" b40_a_refused_outcome_is_replaced_by_a_failure;
                "R8.3, B40" b40_an_outcome_with_room_is_stored_without_its_take;
                "R8.3, R9.2" a_target_whose_failure_is_refused_goes_back;
                "R8.2, B20" b20_a_broken_store_causes_no_storm;
                "R8.1, B20" b20_a_closed_store_causes_no_storm;
            }
            runner_damage {
                "R8.3, R3.2" damage_in_a_take_keeps_no_answer;
            }
            runner_gauges {
                "R7.1, R7.2" gauges_follow_every_change;
                "R7.1" a_job_that_another_runner_ended_leaves_the_gauge;
                "R7.1, B50" b50_a_job_that_ended_before_its_submit_was_answered_is_not_counted;
                "R7.3, R8.1, B50" b50_hooks_that_panic_harm_nothing;
                "R7.3, B50" b50_a_hook_may_submit_and_cancel;
                "R7.3, R1.11" a_hook_of_a_reap_may_submit;
                "R7.3" a_slow_hook_holds_up_its_worker_only;
            }
            runner_long {
                "R1.10" a_long_list_arrives_whole;
                "R1.10" a_list_of_large_targets_arrives_whole;
                "R1.10, R1.3" a_long_list_is_reused_without_staging;
                "R1.10" a_long_list_is_never_held_whole;
                "R1.10" a_list_that_changes_is_refused;
                "R1.3" a_list_that_changed_before_its_submit_is_refused;
                "R1.10" a_list_that_grew_without_end_is_refused;
                "R10.1, R1.10" a_list_without_an_end_ends_with_its_runner;
                "R1.10, R8.2" a_long_list_survives_lost_replies;
            }
            runner_race {
                "R1.6, B08" b08_equal_submits_at_once_make_one_job;
                "R1.6, R1.4, B11" b11_different_submits_at_once_keep_the_caps;
                "R1.11, B10" b10_a_refusal_does_not_outlive_a_dead_session;
            }
            runner_reads {
                "R6.1" a_read_writes_nothing;
                "R6.4" a_touch_moves_the_lease_only;
                "R6.3, R13.1" every_read_of_an_unknown_job_says_so;
            }
            runner_retry {
                "R3.2, B19" b19_a_busy_target_is_tried_until_it_answers;
                "R3.2, B19" b19_a_target_is_given_up_when_its_time_is_over;
                "R3.2, S15, B22" b22_a_clock_that_goes_back_gives_nothing_up;
                "R3.2" a_longer_wait_is_honoured_within_its_limit;
                "R3.2, B19" b19_a_restart_goes_on_counting;
                "R3.2, B19" b19_two_runners_count_together;
            }
            runner_rotation {
                "R2.3, R2.1" two_jobs_take_turns_on_one_worker;
                "R2.3, B28" b28_a_long_job_starves_nobody;
                "R2.2, R3.3" a_job_is_serial_with_many_workers;
                "R2.2" a_width_of_two_runs_two_at_once;
                "R2.2, R11.1" a_width_is_clamped;
                "R2.3, R2.2, B02" b02_two_runners_run_every_target_once;
                "R2.3" two_runners_keep_the_order_of_turns;
                "R2.3, B29" b29_jobs_start_as_they_were_submitted;
            }
            runner_sessions {
                "R9.1, R7.4, B01" b01_a_superseded_outcome_is_refused_and_the_runner_goes_on;
                "R9.4, R1.7" a_runner_that_was_given_up_enters_again;
                "R9.2" a_start_that_nobody_learned_of_is_handed_back;
                "R9.3, R9.4, B10" b10_pinned_jobs_of_a_stopped_runner_end;
                "R1.11, B10" b10_a_submit_at_its_cap_looks_for_the_dead;
                "R9.3, R9.5, B04" b04_a_shared_job_of_a_stopped_runner_goes_on;
                "R9.3" a_runner_that_beats_is_never_given_up;
                "R9.5" a_target_lost_too_often_is_interrupted;
                "R9.4" a_stopped_runner_of_another_kind_is_reaped;
                "R9.6" a_job_of_an_unknown_caller_is_refused;
                "R9.6, R1.8" a_caller_that_fails_to_be_rebuilt_is_tried_later;
            }
            runner_settings {
                "R11.3, B49" b49_absurd_settings_are_clamped;
                "R11.3, B49" b49_the_least_settings_work;
                "R11.1" nothing_set_means_the_defaults;
                "R8.1, B44" b44_one_thread_is_enough;
                "R11.4" sweeps_follow_submits_and_looks_follow_beats;
                "R11.4" sweeps_follow_each_other;
            }
            runner_stopping {
                "R14.1, R14.2" a_job_halts_at_its_number_of_failures;
                "R14.1, R14.2, R11.1" a_job_halts_at_its_share_of_failures;
                "R14.1, R14.2" what_is_in_flight_ends_a_halting_job;
                "R9.2, R14.2, R4.2" a_lost_start_ends_a_halting_job;
            }
            runner_submit {
                "R1.1" a_submit_without_targets_is_refused;
                "R1.2" bad_options_name_their_target;
                "R1.2, R1.3, B07" b07_another_spelling_is_the_same_request;
                "R1.3, R7.4" a_repeat_is_reused_and_meets_no_cap;
                "R1.3" a_failed_or_cancelled_job_is_not_reused;
                "R1.4, R7.4" every_cap_refuses_by_its_name;
                "R1.5" a_client_key_with_other_targets_is_a_conflict;
                "R1.5" a_fresh_submit_takes_the_key_over;
                "R1.7, R2.4" a_job_is_queued_until_a_worker_reaches_it;
                "R1.8, R1.9" a_dropped_submit_makes_its_job;
                "R1.8" the_callers_value_reaches_its_fetch;
                "R1.8, R8.2" a_submit_that_nobody_learned_of_keeps_its_caller;
                "R5.1, R1.8" a_cancel_leaves_its_caller_to_what_is_on_its_way;
                "R8.1, R3.1" a_caller_that_panics_when_dropped_ends_no_worker;
            }
            runner_target {
                "R3.1, B25" b25_a_panic_fails_its_target_only;
                "R3.1, B25" b25_an_error_that_panics_when_dropped_ends_no_worker;
                "R3.1, B25" b25_a_panic_before_the_first_await_fails_its_target;
                "R3.1, B25" b25_a_panic_of_blocking_work_keeps_what_it_carries;
                "R3.1, B25" b25_four_workers_survive_a_hundred_panics;
                "R3.3, R3.4" every_answer_is_stored_and_told;
                "R3.5" a_try_over_its_time_is_dropped;
                "R3.5" a_try_that_blocks_beyond_its_time_is_late;
                "R3.6" a_result_over_the_limit_fails_its_target;
                "R3.7" a_fetch_knows_its_attempt;
                "R3.4, S7" results_over_the_budget_are_evicted;
                "R3.6, R6.2" a_huge_result_is_stored;
                "R9.2, R8.1, B44" b44_a_fetch_that_blocks_its_thread_harms_nobody;
            }
            runner_waiting {
                "R2.5, R2.6, B20" b20_a_waiting_job_holds_no_worker;
                "R2.6" waiting_jobs_cause_no_store_calls;
                "R2.6" many_idle_workers_ask_like_one;
                "R2.6" an_idle_runner_asks_once_per_poll;
                "R2.6, R1.9" a_submit_wakes_an_idle_worker;
                "R2.6, R2.1" no_worker_needs_a_poll;
            }
            runner_watch {
                "R13.1" events_come_in_order_from_any_point;
                "R13.1, R13.2" a_job_is_followed_from_another_runner;
                "R13.1" a_watch_of_a_cancelled_job_sees_its_last_outcome;
                "R13.1" a_job_that_starts_between_two_reads_has_started_first;
                "R13.2" a_wait_ends_with_its_time;
                "R13.2, R8.2" a_wait_ends_with_its_time_without_a_store;
            }
        }
    };
}
