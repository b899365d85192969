//! Where spilled results are kept.
