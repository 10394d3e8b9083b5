//! The list of all rules: every one stands here once, with its ids.
//!
//! To add a rule, write it in `rules/` and name it here. To add a group, add its file
//! to `rules/mod.rs` and its block here: any `async fn(&mut Case) -> Verdict` is a rule,
//! be it one call or a whole random run.

use crate::suite::Rule;

/// Calls a macro with the list of all rules, by group.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_rule {
    ($($then:tt)+) => {
        $($then)+! {
            submit {
                "R1.7" a_new_job_is_queued_with_pending_targets;
                "R1.7" a_job_keeps_its_settings;
                "R1.7" a_zero_setting_counts_as_one;
                "R1.7" a_job_pinned_to_an_unknown_session_is_gone;
                "R1.7" a_job_pinned_to_a_dying_session_is_gone;
                "R1.6" an_id_in_use_is_taken;
                "R1.6" id_taken_comes_first;
                "R1.6" gone_comes_before_reuse;
                "R1.4, R1.6" the_caps_are_told_in_their_order;
                "R1.6" b11_a_refusal_leaves_nothing;
                "R1.1, S12.1" a_job_without_targets_is_invalid;
                "R1.10, S12.1" a_wrong_total_is_invalid;
                "R1.7" an_empty_url_is_allowed;
                "R1.7" b17_twin_targets_are_told_apart_by_index;
                "R1.7, R11.3" b49_the_largest_settings_are_settings;
            }
            idempotency {
                "R1.3, S3.1" a_live_job_is_reused;
                "R1.3, S3.1" a_done_job_is_reused;
                "R1.3, S3.1" a_complete_partial_job_is_reused;
                "R1.3, R14.2" a_halted_partial_job_is_not_reused;
                "R1.3, S3.1" a_failed_job_is_not_reused;
                "R1.3, S3.1" a_cancelled_job_is_not_reused;
                "R1.3, S7.3" an_evicted_job_is_not_reused;
                "R1.3" an_older_job_is_not_considered;
                "R1.3" a_reuse_moves_the_lease;
                "R1.3" a_reuse_keeps_the_first_jobs_settings;
                "R1.3" another_kind_is_another_key;
                "R1.3" b47_another_caller_is_another_key;
                "R1.5" the_key_spaces_stay_apart;
                "R1.5, S3.1" a_client_key_with_other_targets_conflicts;
                "R1.5, S3.1" a_client_key_with_the_same_targets_is_reused;
                "R1.5" a_key_is_free_once_its_job_cannot_be_reused;
                "R1.5" fresh_moves_the_key;
                "R1.5" fresh_is_held_to_the_caps;
                "R1.3, R6.1" the_newest_job_is_found_by_its_key;
                "R1.3, S6.1" a_swept_job_leaves_its_key_free;
            }
            caps {
                "R1.4, S3.1" a_caller_at_its_cap_is_busy;
                "R1.4, S3.1" a_kind_at_its_cap_is_busy;
                "R1.4, S3.1" another_kind_has_its_own_caps;
                "R1.4" one_target_over_the_cap_is_too_many;
                "R1.3, S3.1" b08_a_repeat_of_a_live_request_hits_no_cap;
                "R1.4" b11_a_lowered_cap_lets_jobs_go_on;
                "S3.2, R4.1" b10_a_done_job_frees_one_place;
                "S3.2, R4.1" b10_a_failed_job_frees_one_place;
                "S3.2, R4.1" b10_a_partial_job_frees_one_place;
                "S3.2, R5.1" b10_a_cancelled_job_frees_one_place;
                "S3.2, R5.1" b10_a_target_in_flight_frees_no_second_place;
                "S3.2, S6.3" b10_an_expired_job_frees_one_place;
                "S3.2, R9.4" b10_an_interrupted_job_frees_one_place;
                "S3.2" b10_a_sweep_frees_no_second_place;
                "S3.2, R14.2" b10_a_halted_job_frees_one_place;
                "S3.2, R9.6" b10_a_refused_job_frees_one_place;
                "S3.2, R9.5" b10_a_job_lost_too_often_frees_one_place;
                "S3.2, S12.1" b10_an_invalid_submit_takes_no_place;
            }
            stage {
                "R1.10" a_list_that_is_not_there_is_asked_for;
                "R1.10" a_staged_list_becomes_a_job;
                "R1.10" a_stage_is_invisible;
                "R1.10" a_short_stage_is_asked_for_again;
                "R1.10, S2.6" a_chunk_sent_again_changes_nothing;
                "R1.10, S12.1" a_gap_is_invalid;
                "R1.10" a_chunk_for_a_job_is_refused;
                "R1.10" a_foreign_stage_is_taken;
                "R1.10" a_session_that_is_gone_cannot_stage;
                "R1.10, R9.4" a_reaped_stage_is_abandoned;
                "R1.10" a_stage_lives_an_hour;
                "R1.10" a_chunk_renews_its_stage;
                "R1.10" a_call_carries_at_most_a_thousand_targets;
                "R1.10" a_call_carries_at_most_a_mebibyte;
            }
            rotation {
                "R2.3, S4.2" two_jobs_take_turns;
                "R2.3, S4.2" b28_a_new_job_joins_at_the_tail;
                "R2.3, S4.2" two_sessions_share_one_rotation;
                "S4.1" b29_jobs_of_one_instant_start_in_submit_order;
                "S4.1, S15.2" b29_a_clock_stepped_back_changes_no_order;
                "S4.1" b29_the_sequence_never_repeats;
                "S4.1, S15.2" b29_thirty_jobs_start_in_submit_order;
                "R2.1, R2.4" a_job_turns_running_at_its_first_start;
                "R2.2, S4.3" a_serial_job_has_one_target_open;
                "R2.2, S4.3" the_width_is_kept_over_all_sessions;
                "R2.2, S4.3" a_parked_target_fills_the_width;
                "R2.2" a_due_target_goes_before_an_unstarted_one;
                "R2.2" an_unstarted_target_goes_before_one_not_due;
                "R2.2" parked_targets_go_by_due_time_then_index;
                "R2.1, S4.2" a_wide_job_starts_one_target_per_turn;
                "R2.1, S4.2" reuse_and_touch_move_no_job;
                "R2.1, S4.4" b28_an_ended_job_leaves_the_rotation;
                "R2.1" a_session_runs_its_own_kind;
                "R2.1, R3.7" a_start_carries_target_caller_and_tries;
            }
            waiting {
                "R2.5, R3.2" b22_a_busy_target_is_tried_at_its_time_and_not_before;
                "R2.5" idle_tells_the_earliest_due_time;
                "R2.5" a_take_promotes_the_earliest_due_job_to_the_tail;
                "R2.5" waiting_jobs_of_one_time_go_by_sequence;
                "R2.5" a_job_in_the_rotation_stays_whatever_the_clock_says;
                "R2.5" a_waiting_job_is_not_in_the_rotation;
                "R3.2, R6.2" a_busy_target_is_pending_with_its_times;
                "R3.2" b19_tries_are_kept_over_sessions;
                "R3.2" a_hand_back_counts_no_try;
                "R3.2, R6.2" an_outcome_counts_its_own_try;
                "R2.5, R3.2" a_waiting_job_delays_no_other;
                "R2.2, R3.2" a_serial_job_waits_for_its_busy_target;
                "R11.3, S15.2" an_absurd_wait_harms_nothing;
            }
            pin {
                "R1.7, S4.3" only_its_session_runs_a_pinned_job;
                "R1.7, S4.3" pinned_and_shared_jobs_take_turns;
                "R2.5, S4.3" a_take_promotes_a_shared_job_then_its_own;
                "R2.5, S4.3" a_foreign_pinned_job_is_not_waited_for;
                "R1.7, R1.3" a_pinned_job_is_reused_by_other_sessions;
            }
            outcome {
                "R3.3, R6.2" a_result_is_kept_with_its_circumstances;
                "R3.3" an_error_is_kept_with_its_hint;
                "R3.3, S9.1" an_empty_hint_is_a_hint;
                "R4.1" all_done_is_done;
                "R4.1" all_failed_is_failed;
                "R4.1" a_mix_is_partial;
                "R4.2" b16_one_finish_is_told_the_ending;
                "R4.1, S7.1" the_reply_tells_the_terminal_bytes;
                "R13.1" outcomes_are_read_in_the_order_stored;
                "R1.3" an_outcome_moves_the_lease;
            }
            fence {
                "S5.2, R9.1" a_reaped_start_cannot_store;
                "S5.2, R9.1" a_superseded_start_cannot_store;
                "S5.2, R9.1" b01_a_stale_owner_does_not_settle_twice;
                "S5.3" a_different_second_outcome_is_other;
                "S5.3" other_tells_the_ending_of_its_own_start;
                "S5.1" an_unknown_job_is_not_found;
                "S5.1" b17_an_index_past_the_end_is_not_found;
                "S5.2" b17_a_target_never_claimed_cannot_be_stored;
                "S5.2" a_foreign_session_cannot_store;
                "S5.2" a_foreign_session_cannot_repeat_an_outcome;
                "S5.2" a_foreign_session_cannot_repeat_a_busy_answer;
                "S5.2" a_future_fence_cannot_store;
                "S5.2" an_answer_after_busy_is_superseded;
                "R9.1" a_slow_outcome_is_stored;
                "R3.7, R9.1" the_fence_grows_by_one_with_each_start;
            }
            cancel {
                "R5.1" a_queued_job_is_cancelled;
                "R5.1" b13_a_late_finish_leaves_cancelled;
                "R5.1" b13_the_last_outcome_leaves_cancelled;
                "R5.1" b13_a_busy_target_stays_pending;
                "R5.1" a_handed_back_target_stays_pending;
                "R5.1" a_cancelled_waiting_job_is_not_waited_for;
                "R5.1, R9.4" a_dead_sessions_target_goes_back;
                "R5.1" b14_an_ended_job_is_already;
                "R5.1" b14_a_second_request_is_already;
                "R5.1" b14_unknown_and_swept_jobs_are_not_found;
                "R5.1, R4.1" a_cancel_and_the_last_outcome_agree;
            }
            session {
                "R9.2" a_session_begins_at_beat_one;
                "R9.2" each_renewal_is_one_beat;
                "R9.2" a_renewal_tells_every_running_start;
                "R9.2" an_unknown_session_is_gone;
                "R9.3, S2.6" entering_again_changes_nothing;
                "R9.4" a_dying_session_is_gone_everywhere;
                "R9.3" a_moved_beat_refuses_the_reap;
                "R9.3" b04_identity_is_the_start_not_the_host;
                "R9.4" sessions_are_read_in_pages;
                "R9.2" a_beat_changes_no_job;
            }
            reap {
                "R9.4" a_dead_sessions_target_is_due_at_once;
                "R9.4" its_pinned_jobs_end_interrupted;
                "R9.4" an_ended_pinned_job_stays;
                "R9.4" a_resume_job_goes_on;
                "R9.4" the_last_step_removes_the_session;
                "S1.2, R9.4" a_reap_works_in_bounded_steps;
                "R9.4" any_kind_of_session_can_be_reaped;
                "R9.5" lost_starts_in_a_row_fail_the_target;
                "R9.5, R4.1" an_interrupted_target_may_end_its_job;
                "R9.5, R9.1" an_interrupted_start_cannot_store;
                "R9.5" an_answer_resets_the_losses;
                "R9.5" a_lost_start_counts_no_try;
                "R9.6" a_refused_job_ends_unknown_caller;
                "R9.6, R5.1" a_late_refusal_leaves_cancelled;
            }
            resend {
                "S2.1" a_submit_is_created_again;
                "S2.1" a_submit_is_created_again_after_its_key_moved;
                "S2.1, S7.3" a_submit_is_created_again_after_an_eviction;
                "S2.1, R1.7" a_pinned_submit_is_created_again_after_the_reap;
                "S2.6" a_refused_submit_decides_anew;
                "S2.2" a_take_answers_the_same_start;
                "S2.2, R5.1" a_take_answers_the_same_start_after_a_cancel;
                "S2.6" an_idle_take_decides_anew;
                "S2.2, R9.4" a_take_of_a_reaped_session_is_gone;
                "S2.2" a_ticket_is_a_name_within_its_session;
                "S2.3" b17_an_outcome_sent_again_is_stored_once;
                "S2.3, R9.4" an_outcome_is_known_after_the_reap;
                "S2.4" a_busy_answer_sent_again_counts_once;
                "S2.4" a_hand_back_is_known_until_a_later_answer;
                "S2.4" a_busy_answer_before_the_outcome_is_superseded;
                "S2.4, R9.6" a_refusal_sent_again_tells_the_same_ending;
                "S2.3, S7.3" of_an_evicted_job_the_ending_finish_is_known;
                "S2.5" a_cancel_is_cancelled_again;
                "S2.5" a_cancel_that_came_late_stays_already;
                "S2.6" a_sweep_sent_again_decides_anew;
            }
            turn {
                "R2.7" a_turn_stores_and_takes;
                "R2.7" a_turn_tells_the_ending;
                "R2.7" the_take_runs_after_a_refused_finish;
                "R2.7, S2.2, S2.3" a_turn_sent_again_gives_the_same_replies;
                "R2.7, S2.4" a_turn_may_restart_what_it_handed_back;
                "R2.7, R2.5" a_busy_turn_tells_when_to_come_back;
                "R2.7, R9.4" a_turn_of_a_reaped_session_is_gone;
                "R2.7" a_fused_turn_leaves_the_state_of_the_pair;
            }
            ttl {
                "S6.1" b22_an_ended_job_is_gone_at_its_ttl_and_not_before;
                "S6.1" b22_a_done_job_is_reused_until_its_ttl_and_not_at_it;
                "S6.1" b22_each_job_has_its_own_ttl;
                "S6.2" a_live_job_is_reused_past_its_ttl;
                "S6.3" an_abandoned_live_job_expires;
                "S6.3" b22_a_live_job_does_not_expire_early;
                "S6.4" b23_a_job_in_flight_is_not_swept;
                "S6.4" b23_after_the_last_outcome_the_ttl_counts_again;
                "S6.3" a_job_handed_back_past_its_ttl_expires_at_once;
                "S6.3" a_waiting_job_may_expire;
                "R6.4" a_touch_keeps_a_job;
                "R6.4" b23_a_touch_revives_nothing;
                "R6.4, S15.2" a_touch_moves_no_lease_back;
                "S1.3" b23_a_late_outcome_finds_a_swept_job_gone;
                "S1.2, S1.3" b32_a_sweep_works_in_bounded_steps;
                "S6.1" a_sweep_goes_over_all_kinds;
                "S6.1, R11.3" b49_an_absurd_ttl_keeps_its_job;
                "S1.2, R11.3" b49_a_step_of_nothing_goes_on;
            }
            evict {
                "S7.1" the_oldest_lease_goes_first;
                "S7.1" of_equal_leases_the_older_job_goes_first;
                "S7.2" the_newest_lease_stays;
                "S7.2" what_fits_is_left_alone;
                "S6.4, S7.1" live_and_flying_jobs_are_not_evicted;
                "S7.3" b17_an_evicted_job_keeps_its_counts;
                "S7.3" the_reply_tells_jobs_and_bytes;
                "S1.2" an_eviction_works_in_bounded_steps;
                "S7.1" an_eviction_concerns_its_own_kind;
                "S7.3, S6.1" an_evicted_job_is_swept_at_its_ttl;
            }
            halt {
                "R14.1" without_halt_failures_stop_nothing;
                "R14.1, R14.2" n_failures_halt_the_job;
                "R14.2" a_halted_job_with_a_result_is_partial;
                "R14.1" a_percentage_halts_when_it_is_reached;
                "R14.1, R14.2" what_is_in_flight_is_stored;
                "R14.2, R4.1" with_nothing_pending_it_ends_by_its_outcomes;
                "R14.2" a_busy_answer_may_end_a_halting_job;
                "R14.2, R9.4" a_reap_may_end_a_halting_job;
                "R14.1, R5.1" a_halting_job_can_be_cancelled;
                "R14.1, R11.3" a_zero_limit_counts_as_one;
            }
            rerun {
                "R12.1, R12.3" a_rerun_and_its_origin_name_each_other;
                "R12.3" a_target_keeps_its_first_index;
                "R12.3" in_the_first_job_the_index_is_its_own;
                "R12.2" the_same_rerun_is_reused;
                "R12.2, R1.5" reruns_have_keys_of_their_own;
                "R12.3" a_rerun_outlives_its_origin;
            }
            reads {
                "R6.1, S8.1" b50_reads_change_nothing;
                "R6.2, S8.2" a_page_ends_at_its_rows;
                "R6.2" a_full_last_page_has_no_next;
                "R6.2" a_page_past_the_end_is_empty;
                "R6.2" a_page_of_no_rows_holds_one;
                "R6.2" a_page_ends_at_four_mebibytes;
                "R13.1" the_stored_order_is_read_from_any_outcome_on;
                "R6.3" a_later_page_of_an_evicted_job_says_so;
                "R6.3" a_later_page_of_a_swept_job_says_so;
                "S9.1" a_note_is_read_with_its_job_only;
                "S12.1" a_long_note_is_invalid;
                "S8.3" a_list_is_filtered;
                "S12.1" a_rotation_without_a_kind_is_invalid;
                "S8.2, S4.1" b29_pages_of_a_list_skip_nothing;
                "S8.3" a_list_examines_a_bounded_number_of_rows;
                "S13.1" kinds_are_read_in_pages;
            }
            fidelity {
                "S9.1" b34_any_text_comes_back_equal;
                "S9.2" b35_numbers_come_back_digit_for_digit;
                "S9.1" a_long_url_comes_back_whole;
                "S9.3" b46_callers_stay_apart;
                "S9.3" b46_kinds_stay_apart;
                "S9.3" b46_ids_stay_apart;
                "S9.3" b46_sessions_and_tickets_stay_apart;
                "S9.3" b46_keys_stay_apart;
                "S9.3" b46_long_names_are_names;
                "S9.3" b46_parts_of_a_name_are_not_joined;
                "S9.3, S7.1" b46_an_eviction_reads_no_pattern;
                "S9.1" a_note_comes_back_equal;
            }
            privacy {
                "R8.5" no_log_line_shows_a_payload;
                "R8.5, S12.1" no_error_text_shows_a_payload;
            }
            counters {
                "S13.1" endings_are_counted_by_status;
                "S13.1" busy_answers_are_counted;
                "S13.1" refusals_and_reuses_count_nothing;
                "S13.2" swept_jobs_stay_counted;
                "S13.1" a_reaped_session_is_counted_once;
                "S13.3" b31_an_abandoned_kind_is_taken_with_its_last_job;
                "S13.3" a_served_kind_keeps_its_counters;
                "S13.1" kinds_are_counted_apart;
                "S3.2" an_unknown_kind_counts_zero;
            }
            time {
                "S15.2" b22_a_clock_stepped_back_takes_nothing_away;
                "S6.1, S6.3, R2.5" b22_every_limit_is_met_to_the_millisecond;
                "S6.1, S15.2" b22_a_step_back_between_two_looks_takes_nothing;
                "S15.2" a_stamp_from_the_future_is_alive;
                "S9.2, S15.2" the_edges_of_time_are_times;
                "S15.2" a_negative_time_is_a_time;
                "S15.2" an_outcome_of_an_earlier_clock_is_kept;
                "S15.1" store_time_is_reported_everywhere_or_nowhere;
            }
            store {
                "R2.6" a_submit_wakes;
                "R2.6" an_outcome_wakes;
                "R2.6" a_reap_wakes;
                "S12.1" a_closed_store_says_so;
                "S12.1" an_error_names_its_operation;
                "S10.1" a_closed_store_opens_with_the_same_data;
                "S10.1" a_dropped_store_opens_with_the_same_data;
                "S10.1, S4.1" b29_the_order_survives_a_reopening;
                "S10.1, S4.1" b29_jobs_of_one_instant_keep_their_order;
                "S1.2, S10.1" b32_a_sweep_goes_on_after_a_reopening;
                "S10.1, S2.2, S2.3" a_resend_after_a_reopening_answers_as_before;
                "S10.1" a_second_handle_sees_every_write;
            }
            lost {
                "S1.1, S2.1" b08_a_lost_submit_makes_one_job;
                "S1.1" a_lost_refusal_leaves_nothing;
                "S1.1, R1.10" a_lost_chunk_is_staged_once;
                "S1.1" a_lost_enter_makes_one_session;
                "S1.1" a_lost_renewal_goes_on_beating;
                "S1.1, S2.2" a_lost_take_starts_one_target;
                "S1.1, S2.3" a_lost_outcome_is_stored_once;
                "S1.1, S2.4" b20_a_lost_busy_answer_is_one_try;
                "S1.1, R2.7" a_lost_turn_stores_and_starts_once;
                "S1.1, S2.5" a_lost_cancel_cancels_once;
                "S1.1" a_lost_touch_moves_the_lease;
                "S1.1, S2.6" a_lost_sweep_takes_each_job_away_once;
                "S1.1, S2.6" a_lost_eviction_frees_each_job_once;
                "S1.1, S2.6" a_lost_reap_takes_each_start_back_once;
            }
            race {
                "R1.6, S3.1" b08_fifty_identical_submits_make_one_job;
                "R1.6, S3.1" b11_racing_submits_never_exceed_a_cap;
                "R2.2, S4.3" b02_many_takers_start_no_target_twice;
                "R4.1, R5.1, S1.1" b14_a_cancel_races_the_last_outcome;
                "R6.4, S6.1, S1.1" b23_a_touch_races_the_sweep;
            }
        }
    };
}

/// All rules, in the order of the list.
pub fn rules() -> Vec<Rule> {
    let store: Vec<Rule> = crate::for_each_rule!(crate::__rule_values);
    let runner: Vec<Rule> = crate::for_each_runner_rule!(crate::__rule_values);
    store.into_iter().chain(runner).collect()
}
