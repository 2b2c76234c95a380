//! The rules: one file each, with one `static`.

mod add_constraint_without_guard;
mod add_or_drop_column_without_guard;
mod additive_upsert;
mod antijoin_other_table;
mod bulk_copy_append;
mod concurrent_index_if_not_exists;
mod conflict_on_generated_key;
mod conflict_target_has_no_unique_index;
mod create_or_replace_table_drops_data;
mod create_without_guard;
mod dbt_config_misspelt;
mod dbt_hook_not_idempotent;
mod dbt_incremental_without_filter;
mod dbt_incremental_without_unique_key;
mod dbt_predicates_hide_rows;
mod dbt_schema_change_loses_data;
mod dbt_snapshot_versions_every_run;
mod dbt_unique_key_ignored;
mod delete_insert_not_atomic;
mod delete_insert_range_mismatch;
mod drop_without_if_exists;
mod full_clear_then_window_load;
mod insert_ignore_swallows_errors;
mod insert_select_append;
mod insert_values_without_guard;
mod insert_with_volatile_key;
mod merge_delete_by_partial_source;
mod merge_nullable_key;
mod merge_on_constant;
mod merge_source_not_deduplicated;
mod merge_volatile_touch;
mod not_in_null_trap;
mod one_shot_statement_in_repeatable_file;
mod partial_failure_window;
mod relative_window;
mod rename_without_guard;
mod replace_into_rewrites_row;
mod replaceable_without_or_replace;
mod self_append_update;
mod self_referential_update;
mod shifting_value_remap;
mod statement_not_checked;
pub(super) mod suppression_problem;
mod toggle_update;
mod transaction_left_open;
mod type_or_enum_without_guard;
mod unguarded_volatile_timestamp_update;
mod unscoped_overwrite;
mod unsupported_guard_syntax;
mod update_from_duplicated_source;
mod upsert_batch_has_duplicates;
mod upsert_without_recency_guard;
mod volatile_value_in_load;
mod watermark_without_overlap_or_dedupe;

#[cfg(test)]
pub(crate) mod tests;

use crate::lint::rule::Rule;

/// The rule about guards that the dialect does not read.
pub const GUARD_SYNTAX: &str = "IDM508";

/// The rule about dbt models without a key.
pub const KEYLESS: &str = "IDM701";

/// Every rule, sorted by code.
pub static ALL: &[&Rule] = &[
    &insert_values_without_guard::RULE,
    &insert_select_append::RULE,
    &conflict_on_generated_key::RULE,
    &conflict_target_has_no_unique_index::RULE,
    &insert_ignore_swallows_errors::RULE,
    &replace_into_rewrites_row::RULE,
    &insert_with_volatile_key::RULE,
    &antijoin_other_table::RULE,
    &not_in_null_trap::RULE,
    &bulk_copy_append::RULE,
    &self_referential_update::RULE,
    &self_append_update::RULE,
    &toggle_update::RULE,
    &unguarded_volatile_timestamp_update::RULE,
    &update_from_duplicated_source::RULE,
    &shifting_value_remap::RULE,
    &additive_upsert::RULE,
    &merge_source_not_deduplicated::RULE,
    &merge_on_constant::RULE,
    &merge_nullable_key::RULE,
    &upsert_without_recency_guard::RULE,
    &merge_volatile_touch::RULE,
    &merge_delete_by_partial_source::RULE,
    &upsert_batch_has_duplicates::RULE,
    &delete_insert_range_mismatch::RULE,
    &delete_insert_not_atomic::RULE,
    &full_clear_then_window_load::RULE,
    &watermark_without_overlap_or_dedupe::RULE,
    &relative_window::RULE,
    &unscoped_overwrite::RULE,
    &transaction_left_open::RULE,
    &create_without_guard::RULE,
    &drop_without_if_exists::RULE,
    &add_or_drop_column_without_guard::RULE,
    &add_constraint_without_guard::RULE,
    &type_or_enum_without_guard::RULE,
    &replaceable_without_or_replace::RULE,
    &rename_without_guard::RULE,
    &unsupported_guard_syntax::RULE,
    &create_or_replace_table_drops_data::RULE,
    &concurrent_index_if_not_exists::RULE,
    &volatile_value_in_load::RULE,
    &dbt_incremental_without_unique_key::RULE,
    &dbt_unique_key_ignored::RULE,
    &dbt_incremental_without_filter::RULE,
    &dbt_hook_not_idempotent::RULE,
    &dbt_schema_change_loses_data::RULE,
    &dbt_predicates_hide_rows::RULE,
    &dbt_config_misspelt::RULE,
    &dbt_snapshot_versions_every_run::RULE,
    &one_shot_statement_in_repeatable_file::RULE,
    &partial_failure_window::RULE,
    &statement_not_checked::RULE,
    &suppression_problem::RULE,
];

/// The rule of that code or name.
pub fn find(name: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.code.eq_ignore_ascii_case(name) || rule.name == name)
}
