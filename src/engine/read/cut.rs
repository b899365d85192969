//! Where text may be cut. Stands in for `crate::engine::text::{cut_back, cut_forward}`, which also keep graphemes whole.

use crate::engine::text::{is_high, is_low};

fn inside_pair(units: &[u16], at: usize) -> bool {
    at > 0 && at < units.len() && is_low(units[at]) && is_high(units[at - 1])
}

/// The best cut at or before `at`.
pub(super) fn cut_back(units: &[u16], at: usize) -> usize {
    if inside_pair(units, at) { at - 1 } else { at }
}

/// The best cut at or after `at`.
pub(super) fn cut_forward(units: &[u16], at: usize) -> usize {
    if inside_pair(units, at) { at + 1 } else { at }
}
